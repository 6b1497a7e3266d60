"""Draws pictures with MuJoCo's renderer, as a program of its own: python drawing.py JOB

Which OpenGL is used is settled when mujoco is imported, by MUJOCO_GL, and one that does not work
may end the process. So pictures.py starts this in another process, once for each that it tries. JOB
is an npz: the bytes of an MJB, poses, the camera and the size; the pixels go to standard output.
"""

import os
import sys

import mujoco
import numpy as np


def draw(job, out) -> None:
    """All pictures of a job, (height, width, 3) bytes each."""
    folder = os.path.dirname(job)
    with np.load(job, allow_pickle=False) as given:
        width, height = (int(n) for n in given["size"])
        camera = bytes(given["camera"]).decode()
        poses = {name: given[name] for name in ("qpos", "mocap_pos", "mocap_quat") if name in given}
    model = mujoco.MjModel.from_binary_path(os.path.join(folder, "model.mjb"))
    model.vis.global_.offwidth, model.vis.global_.offheight = width, height
    data = mujoco.MjData(model)
    with mujoco.Renderer(model, height, width, max_geom=20 * model.ngeom + 2000) as renderer:
        for k in range(len(poses["qpos"])):
            for name, rows in poses.items():
                getattr(data, name)[:] = rows[k]
            # tendons, lights and cameras follow from positions
            mujoco.mj_fwdPosition(model, data)
            renderer.update_scene(data, camera or -1)
            out.write(renderer.render().tobytes())
    out.flush()


if __name__ == "__main__":
    pixels = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what drivers print is no picture
    draw(sys.argv[1], pixels)
    pixels.close()
    os._exit(0)  # drivers of OpenGL may fail at exit, when all is done
