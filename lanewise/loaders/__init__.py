"""From outside to a Model, and between Data and MjData."""

from .loading import load
from .transfer import get_data, put_data

__all__ = ["get_data", "load", "put_data"]
