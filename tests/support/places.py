"""Where things are in the repository."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
PACKAGE = ROOT / "lanewise"
DOCS = ROOT / "docs"
MODELS = TESTS / "models"  # MJCF files of the tests
ENGINES = TESTS / "engines"  # what other engines have said
SHARED = ROOT.parent / "shared"  # public models, where somebody has put them beside the project
