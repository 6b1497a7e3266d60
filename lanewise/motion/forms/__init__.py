"""The forms that motions have in files, one file a form.

A form has a name, the kind of file it is in, how it is recognized, how it is read and how written.
Reading turns what the file holds into a Clip and decides what it means; writing takes a Clip and,
where the form has an order or bodies, a robot.
"""

from . import (
    amass_npz,
    beyondmimic_npz,
    bones_csv,
    bvh_text,
    g1_csv,
    gmr_pkl,
    isaaclab_npz,
    qpos_npz,
    sonic_folder,
    sonic_pkl,
)
from .form import Form

FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        qpos_npz.MUJOCO,
        isaaclab_npz.ISAACLAB_2,
        isaaclab_npz.ISAACLAB_3,
        beyondmimic_npz.MJLAB,
        beyondmimic_npz.BEYONDMIMIC,
        sonic_pkl.SONIC,
        gmr_pkl.GMR,
        sonic_folder.FOLDER,
        g1_csv.CSV,
        bones_csv.BONES,
        amass_npz.AMASS,
        amass_npz.SMPL,
        bvh_text.BVH,
    )
}

__all__ = ["FORMS", "Form"]
