"""An installation of MuJoCo whose files do not belong together is named."""

import base64
import hashlib
import subprocess
import sys

import pytest

from lanewise import installation


def install(site, name, version, files):
    """A distribution, as pip leaves it: the last one to have a file wins."""
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    lines = [f"{info.name}/RECORD,,"]
    for file, content in files.items():
        path = site / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{file},sha256={digest},{len(content)}")
    (info / "RECORD").write_text("\n".join(lines))


THREE = {"mujoco/__init__.py": b"__version__ = '3.3.0'", "mujoco/_structs.so": b"three"}
FOUR = {"mujoco/__init__.py": b"__version__ = '4.0.0'", "mujoco/_structs.so": b"four"}
LATER = {"mujoco/__init__.py": b"__version__ = '4.0.1'", "mujoco/_structs.so": b"later"}


@pytest.mark.parametrize("order", [1, -1])
def test_three_and_four(order, tmp_path):
    both = [("mujoco", "3.3.0", THREE), ("mujoco_core", "4.0.0", FOUR)]
    for name, version, files in both[::order]:
        install(tmp_path, name, version, files)
    assert "mujoco 3.3.0 and mujoco-core 4.0.0" in installation.mixture(tmp_path)
    assert len(installation.overwritten(tmp_path)) == 2


def test_four_and_its_next_patch(tmp_path):
    """mujoco 4.0.0 has a file that mujoco-core 4.0.1 has, too."""
    install(tmp_path, "mujoco", "4.0.0", {"mujoco/__init__.py": FOUR["mujoco/__init__.py"]})
    install(tmp_path, "mujoco_core", "4.0.1", LATER)
    assert installation.distributions(tmp_path) == {"mujoco": "4.0.0", "mujoco-core": "4.0.1"}
    assert installation.mixture(tmp_path) == ""
    assert installation.overwritten(tmp_path) == []


def test_a_file_that_is_gone(tmp_path):
    install(tmp_path, "mujoco_core", "4.0.0", FOUR)
    (tmp_path / "mujoco" / "_structs.so").unlink()
    assert installation.overwritten(tmp_path) == ["mujoco/_structs.so of 4.0"]


def test_what_is_installed_here_is_whole():
    site = installation.package_site()
    assert installation.mixture(site) == ""


def run(site, code):
    """The last line that a process says, which finds MuJoCo in a folder."""
    code = f"import sys; sys.path.insert(0, {str(site)!r}); {code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode != 0
    return done.stderr.strip().splitlines()[-1]


def test_the_first_use_says_it(tmp_path):
    install(tmp_path, "mujoco", "3.3.0", THREE)
    line = run(tmp_path, "import lanewise; lanewise.load")
    assert "IncompatibleMuJoCo" in line and "pip" in line
    install(tmp_path, "mujoco_core", "4.0.0", FOUR)
    line = run(tmp_path, "import lanewise; lanewise.load")
    assert "mujoco 3.3.0 and mujoco-core 4.0.0" in line
    assert "pip uninstall -y mujoco mujoco-core" in line


def test_a_library_that_is_not_there(tmp_path):
    install(
        tmp_path, "mujoco_core", "4.0.0", {"mujoco/__init__.py": b"raise OSError('no libmujoco')"}
    )
    line = run(tmp_path, "import lanewise; lanewise.load")
    assert "cannot be imported (no libmujoco)" in line
    assert "pip uninstall" in line


def test_doctor_says_it_and_everything_else(tmp_path):
    install(tmp_path, "mujoco", "3.3.0", THREE)
    install(tmp_path, "mujoco_core", "4.0.0", FOUR)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    code += "from lanewise.cli import main; sys.exit(main(['doctor']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "mixed" in done.stdout and "processor" in done.stdout
    assert "damaged" in done.stdout
    assert done.stderr.count("\n") == 1
