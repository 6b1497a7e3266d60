"""From outside to a Model, and between Data and MjData. Nothing else imports mujoco."""

from .loading import load, load_bytes, to_bytes
from .transfer import get_data, put_data

__all__ = ["get_data", "load", "load_bytes", "put_data", "to_bytes"]
