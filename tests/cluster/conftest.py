"""One Ray cluster for all tests of this folder: it takes seconds to start."""

import os

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


@pytest.fixture(scope="session")
def cluster():
    from lanewise.cluster import Trial

    with Trial(nodes=2) as found:
        yield found


def pytest_collection_modifyitems(items):
    """By one process, where tests run on several."""
    for item in items:
        if "cluster" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("cluster"))
