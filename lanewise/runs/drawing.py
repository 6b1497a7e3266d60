"""Draws pictures with MuJoCo, as a program of its own: python drawing.py FOLDER

Which OpenGL is used is settled when mujoco is imported, by MUJOCO_GL, and one that does not work
may end the process. So painting.py starts this in another process, once for each that it tries.
FOLDER has the model, and job.json says what is to be drawn of it. Then every row on standard input
is a picture: the number of its camera, a state, and values of fields of the model, all float64. Its
pixels go to standard output, and its depths, as far as they are wanted.
"""

import json
import os
import sys

import mujoco
import numpy as np


class Drawing:
    """A model, and everything that MuJoCo needs to draw it."""

    def __init__(self, folder):
        with open(os.path.join(folder, "job.json")) as file:
            self.job = json.load(file)
        self.model = mujoco.MjModel.from_binary_path(os.path.join(folder, "model.mjb"))
        self.data = mujoco.MjData(self.model)
        width, height = self.job["size"]
        buffer = self.model.vis.global_
        buffer.offwidth = max(buffer.offwidth, width)
        buffer.offheight = max(buffer.offheight, height)
        self.spec = self.job["spec"]
        self.nstate = mujoco.mj_stateSize(self.model, self.spec)
        self.fields = [getattr(self.model, name) for name in self.job["fields"]]
        self.length = 1 + self.nstate + sum(x.size for x in self.fields)
        # positions are enough to see where things are; forces follow from all of a state
        moving = self.spec & mujoco.mjtState.mjSTATE_QVEL
        self.forward = mujoco.mj_forward if moving else mujoco.mj_fwdPosition
        self.cameras = {}
        self.option, self.perturb = mujoco.MjvOption(), mujoco.MjvPerturb()
        for flag, value in self.job["flags"].items():
            self.option.flags[int(flag)] = value
        self.scene = mujoco.MjvScene(self.model, self.job["max_geom"])
        self.gl = mujoco.GLContext(width, height)
        self.gl.make_current()
        self.context = mujoco.MjrContext(self.model, mujoco.mjtFontScale.mjFONTSCALE_150)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self.context)
        self.viewport = mujoco.MjrRect(0, 0, width, height)
        self.pixels = np.empty((height, width, 3), np.uint8)
        self.depths = np.empty((height, width), np.float32)

    def draw(self, row):
        """The bytes of a picture."""
        number, rest = int(row[0]), row[1 + self.nstate :]
        for values in self.fields:
            values[...] = rest[: values.size].reshape(values.shape)
            rest = rest[values.size :]
        mujoco.mj_setState(self.model, self.data, row[1 : 1 + self.nstate], self.spec)
        self.forward(self.model, self.data)
        if number not in self.cameras:
            self.cameras[number] = camera(self.model, self.data, self.job["view"])
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(
            self.model, self.data, self.option, self.perturb, self.cameras[number], everything,
            self.scene,
        )  # fmt: skip
        mujoco.mjr_render(self.viewport, self.scene, self.context)
        mujoco.mjr_readPixels(self.pixels, self.depths, self.viewport, self.context)
        wanted = ("rgb", self.pixels), ("depth", self.depths)
        # OpenGL has the lowest line first
        return b"".join(x[::-1].tobytes() for name, x in wanted if self.job[name])


def camera(model, data, view):
    """MuJoCo's free camera; or, about the geoms, the one that Gymnasium begins with. What else the
    view says are attributes of an MjvCamera."""
    found = mujoco.MjvCamera()
    if view.get("about") == "geoms":
        found.lookat[:] = np.median(data.geom_xpos, axis=0)
        found.distance = model.stat.extent
    else:
        mujoco.mjv_defaultFreeCamera(model, found)
    for name, value in view.items():
        if name == "lookat":
            found.lookat[:] = value
        elif name != "about":
            setattr(found, name, value)
    return found


def main(folder, requests, answers):
    drawing = Drawing(folder)
    while len(row := requests.read(8 * drawing.length)) == 8 * drawing.length:
        answers.write(drawing.draw(np.frombuffer(row)))
        answers.flush()


if __name__ == "__main__":
    pixels = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what drivers print is no picture
    main(sys.argv[1], sys.stdin.buffer, pixels)
    pixels.close()
    os._exit(0)  # drivers of OpenGL may fail at exit, when all is done
