"""Joints of the SMPL family, in the order of its poses: facts of the body models.

Poses are axis times angle for each joint, relative to its parent. The pelvis turns about its own
joint J0, whose place depends on the shape of the body: p_pelvis = J0 + trans.
"""

BODY = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2",
    "left_ankle", "right_ankle", "spine3", "left_foot", "right_foot", "neck", "left_collar",
    "right_collar", "head", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
    "left_wrist", "right_wrist",
)  # fmt: skip
HANDS = tuple(
    f"{side}_{finger}{k}"
    for side in ("left", "right")
    for finger in ("index", "middle", "pinky", "ring", "thumb")
    for k in (1, 2, 3)
)
FACE = ("jaw", "left_eye_smplhf", "right_eye_smplhf")
MODELS = {
    "smpl": (*BODY, "left_hand", "right_hand"),
    "smplh": (*BODY, *HANDS),
    "smplx": (*BODY, *FACE, *HANDS),
    "body": BODY,
}
BY_NUMBER = {len(names): kind for kind, names in MODELS.items()}
