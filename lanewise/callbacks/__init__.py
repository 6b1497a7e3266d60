"""Code of the user's in the step: what its kernels may use beside lanewise.lanes."""

from ..engine.constraint.rne_post import rne_post_constraint
from ..engine.smooth.com import subtree_vel
from ..engine.user import world
from .layers import dense, dense_elu, dense_relu, dense_swish, dense_tanh, layer

__all__ = [
    "dense",
    "dense_elu",
    "dense_relu",
    "dense_swish",
    "dense_tanh",
    "layer",
    "rne_post_constraint",
    "subtree_vel",
    "world",
]
