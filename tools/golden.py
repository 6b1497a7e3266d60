"""The bits of ten models after a thousand steps, beside those that were written down.

    python tools/golden.py            # compare, on every kernel target that this processor can run
    python tools/golden.py --write    # renew the files, where a change of bits is meant

tests/golden/TARGET.json has, for each model, a digest of the compiled model, four digits of the
state's digest after every step, and a digest of each field of FIELDS after some of them. So a
difference comes with its first step and its fields, and another model is not taken for another
engine. Worlds start from numbers of an integer generator, so nothing here hangs on a C library;
what MuJoCo's compiler makes of a model may, and then the model's digest says so.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # these sources, wherever lanewise is installed from

import lanewise as lw  # noqa: E402
from lanewise.lanes import machine  # noqa: E402

FOLDER = ROOT / "tests" / "golden"
NSIM = 9  # a gang, and a world alone
NSTEP = 1000
SHORT = 4  # digits of the digest of every step
SHOWN = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, NSTEP)  # steps with digests of all fields
FIELDS = ("xpos", "cvel", "ncon", "qfrc_bias", "qfrc_actuator", "qfrc_constraint", "qacc", "state")
BUNDLED = ("arm", "boxes", "cartpole", "grasp", "hand", "humanoid", "pendulum", "quadruped")
OWN = ("crooked", "tendons")  # of tests/models

Record = dict[str, Any]


def models() -> dict[str, Path]:
    """The ten models, and where they are."""
    bundled = {name: lw.models.path(name) for name in BUNDLED}
    return bundled | {name: ROOT / "tests" / "models" / f"{name}.xml" for name in OWN}


def targets() -> list[str]:
    """The kernel targets that this processor can run, the best first."""
    return [known.name for known in machine.COMMON if machine.fits(known)]


def target() -> str:
    """The one that this process runs, or the best that is no better than this processor."""
    choice = machine.chosen()
    return choice.name if isinstance(choice, machine.Machine) else targets()[0]


# ------------------------------------------------------------------------------------------ running


def integers(seed: int) -> Iterator[int]:
    """Numbers from 0 to 2**31 - 1, the same everywhere."""
    x = seed
    while True:
        x = (6364136223846793005 * x + 1442695040888963407) % 2**64
        yield x >> 33


def numbers(stream: Iterator[int], shape: tuple[int, ...]) -> np.ndarray:
    """Numbers from -1 to 1; each is a quotient that a float64 holds exactly."""
    count = int(np.prod(shape))
    values = [(next(stream) - 2**30) / 2**30 for _ in range(count)]
    return np.array(values, np.float64).reshape(shape)


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:12]


def model_digest(mj_model: mujoco.MjModel) -> str:
    buffer = np.zeros(mujoco.mj_sizeModel(mj_model), np.uint8)
    mujoco.mj_saveModel(mj_model, None, buffer)
    return digest(buffer)


def run(path: Path) -> Record:
    """What a file has of one model."""
    mj_model = mujoco.MjModel.from_xml_path(str(path))
    b = lw.Batch(mj_model, NSIM, nthread=1)
    stream = integers(mj_model.nv)
    if mj_model.nkey:
        b.reset(keyframe=0)
    b.qvel += 0.25 * numbers(stream, b.qvel.shape)
    outputs = {name: b.state if name == "state" else b.bind(name) for name in FIELDS}
    control = np.zeros(b.ctrl.shape)
    short, shown = [], {}
    for step in range(1, NSTEP + 1):
        if step % 20 == 1:
            control = 0.5 * numbers(stream, control.shape)
        b.ctrl = control
        b.step()
        short.append(digest(b.state)[:SHORT])
        if step in SHOWN:
            shown[str(step)] = {name: digest(values) for name, values in outputs.items()}
    return {"model": model_digest(mj_model), "steps": "".join(short), "fields": shown}


# ---------------------------------------------------------------------------------------- comparing


def difference(known: Record, found: Record) -> str:
    """What changed between two records of a model, or ''."""
    if known == found:
        return ""
    if known["model"] != found["model"]:
        return "the model changed, not the engine: MuJoCo compiles its file to other numbers"
    pairs = [
        (known["steps"][k : k + SHORT], found["steps"][k : k + SHORT])
        for k in range(0, len(found["steps"]), SHORT)
    ]
    first = next((k for k, (a, b) in enumerate(pairs, 1) if a != b), None)
    at = f"the state differs from step {first} on" if first else "no step has another state"
    for step, fields in found["fields"].items():
        before = known["fields"][step]
        names = [name for name in fields if fields[name] != before.get(name)]
        if names:
            return f"{at}; after step {step} the bits of {', '.join(names)} are others"
    return at


def read(name: str) -> Record:
    return json.loads((FOLDER / f"{name}.json").read_text())


def differences(known: Record, only: tuple[str, ...] | None = None) -> dict[str, str]:
    """{model: what changed} of this process against a file's contents."""
    wrong = {}
    for name, path in models().items():
        if only is None or name in only:
            before = known["models"].get(name)
            text = difference(before, run(path)) if before else "it is not in the file"
            if text:
                wrong[name] = text
    return wrong


def advice(known: Record) -> str:
    version = mujoco.mj_versionString()
    other = "" if known["mujoco"] == version else f" The file is of MuJoCo {known['mujoco']}."
    return (
        f"Compared with {target()}.json by MuJoCo {version}.{other}"
        " Where the change is meant, renew the files: python tools/golden.py --write"
    )


def write(name: str) -> None:
    records = {label: run(path) for label, path in models().items()}
    contents = {"mujoco": mujoco.mj_versionString(), "models": records}
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(contents, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="renew the files")
    parser.add_argument("--here", action="store_true", help="only the target of this process")
    arguments = parser.parse_args()
    if not arguments.here:
        return max((_in_process(name) for name in targets()), default=0)
    if arguments.write:
        write(target())
        print(f"wrote {FOLDER / target()}.json")
        return 0
    known = read(target())
    wrong = differences(known)
    for name, text in wrong.items():
        print(f"{name}: {text}")
    print(advice(known) if wrong else f"{target()}: {len(models())} models have the same bits")
    return int(bool(wrong))


def _in_process(name: str) -> int:
    """The same command for one target."""
    command = [sys.executable, __file__, "--here", *sys.argv[1:]]
    done = subprocess.run(command, env=os.environ | {"LANEWISE_KERNELS": name}, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
