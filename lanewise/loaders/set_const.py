"""mj_setConst for every world of a Batch: constants that follow from a model's other fields."""

import copy

import mujoco

from .per_world import field_problem, model_field, write_field

# what mj_setConst writes, by mjxmacro.h; what flexes have is left out
OUTPUTS = (
    "body_treeid", "body_sameframe", "body_subtreemass", "body_invweight0", "body_margin",
    "body_contype", "body_conaffinity", "bvh_aabb", "jnt_actuatorid", "dof_invweight0",
    "dof_M0", "dof_length", "tree_bodyadr", "tree_bodynum", "tree_dofadr", "tree_dofnum",
    "tree_sleep_policy", "geom_sameframe", "geom_size", "geom_aabb", "geom_rbound",
    "geom_fluid", "site_sameframe", "cam_poscom0", "cam_pos0", "cam_mat0", "light_poscom0",
    "light_pos0", "light_dir0", "efm0_dofid", "efm0_L_rownnz", "efm0_L_rowadr", "efm0_L_colind",
    "efm0_L", "efmC_perm", "eq_data", "tendon_actuatorid", "tendon_treenum", "tendon_treeid",
    "ten_J_rownnz", "ten_J_rowadr", "ten_J_colind", "tendon_length0", "tendon_invweight0",
    "actuator_acc0", "actuator_length0",
)  # fmt: skip
FLAGS = ("flg_gravcomp", "flg_adhesion", "flg_surfacevel")  # that it writes and kernels read


def reads(names):
    """Whether mj_setConst reads any of these fields."""
    inputs = mujoco.MjModel._setconst_inputs
    return any(name in inputs or name.startswith("opt.") for name in names)


def set_const(mj, expanded, sims):
    """Yield (world, {field: value} or an error's text) of the worlds in sims.

    `expanded` has the rows of all worlds; all other fields are those of mj.
    """
    scratch, data = copy.copy(mj), mujoco.MjData(mj)
    outputs = [name for name in OUTPUTS if name not in expanded]
    for sim in sims:
        # MuJoCo would follow whatever ids it is given
        if problem := field_problem(mj, {name: rows[sim] for name, rows in expanded.items()}):
            yield sim, problem
            continue
        for name in outputs:
            write_field(scratch, name, model_field(mj, name))
        for name, rows in expanded.items():
            write_field(scratch, name, rows[sim])
        try:
            mujoco.mj_setConst(scratch, data)
        except mujoco.FatalError as error:
            scratch, data = copy.copy(mj), mujoco.MjData(mj)
            yield sim, str(error)
            continue
        yield sim, {name: model_field(scratch, name) for name in (*OUTPUTS, *FLAGS)}
