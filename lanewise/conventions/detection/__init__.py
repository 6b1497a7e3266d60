"""Which convention logged numbers are in: `detect` and its verdict (verdict.py)."""

from .verdict import Detection, detect

__all__ = ["Detection", "detect"]
