"""What Lanewise raises. All of it derives from LanewiseError."""

import difflib
import operator
import pickle


class LanewiseError(Exception):
    """Base of all errors that Lanewise raises on its own account."""


class ModelError(LanewiseError, ValueError):
    """A model that cannot be read or compiled."""


class ModelNotFound(ModelError, FileNotFoundError):
    """A path that is no model file."""


class UnsupportedFeature(LanewiseError, NotImplementedError):
    """A model or call needs what is not built; `features` maps each feature to its elements."""

    def __init__(self, features, advice="", what="this model uses features that are not supported"):
        self.features = dict(features)
        lines = [f"  {name}: {_listed(elements)}" for name, elements in self.features.items()]
        super().__init__(f"{what}:\n" + "\n".join(lines) + advice)


class KernelError(LanewiseError, TypeError):
    """A kernel that cannot be compiled; the message has the place and the reason."""


class UnknownName(LanewiseError, KeyError, ValueError):
    """A name that nothing of that kind has; the message has near ones, and what there is."""

    __str__ = Exception.__str__  # a KeyError would put it in quotes


class UnknownNumber(LanewiseError, IndexError, ValueError):
    """A number that nothing of that kind has; the message has how many there are."""


class ConventionError(LanewiseError, ValueError):
    """Numbers that are not what a convention says, or a convention that nobody knows."""


class IncompatibleMuJoCo(LanewiseError, ImportError):
    """The installed MuJoCo is not the version that Lanewise reproduces."""


class IncompatiblePickle(LanewiseError, pickle.UnpicklingError):
    """A pickle that another version of Lanewise or MuJoCo made."""


class ClusterError(LanewiseError, RuntimeError):
    """Nodes that are not there, do not answer or cannot be used; the message has what was lost."""


def _listed(elements, most=8):
    elements = list(elements)
    more = f", and {len(elements) - most} more" if len(elements) > most else ""
    return ", ".join(map(str, elements[:most])) + more


def did_you_mean(name, names):
    """' (did you mean ...?)' with close matches, or ''."""
    close = difflib.get_close_matches(str(name), list(names), n=3)
    return f" (did you mean {', '.join(map(repr, close))}?)" if close else ""


def no_such(kind, name, names):
    """'no joint ... (did you mean ...?); there are ...'"""
    names = [n for n in names if n]
    known = _listed([repr(n) for n in names], most=20) if names else "none with a name"
    return f"no {kind} {name!r}{did_you_mean(name, names)}; there are {known}"


def whole_number(value, name):
    """value as an int; TypeError if it is not a whole number."""
    try:
        return operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{name} must be a whole number, got {value!r} ({kind})") from None


def truth(value, name):
    """value as a bool; TypeError if it is something else, 0 and 1 excepted."""
    if type(value).__name__ in ("bool", "bool_") or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name} must be True or False, got {value!r} ({type(value).__name__})")
