"""Lanewise beside mujoco.batch, mujoco.rollout, MJX and MuJoCo Warp, on one core of this machine.

python -m bench.peers            measure; write docs/peers.svg and its part of docs/benchmarks.md
python -m bench.peers --quick    fewer rounds, worlds and steps, nothing written

Every engine has a process of its own, bound to the same core, and they take turns. All of them
load the same file, start from the same states, in which things rest on each other, and take the
same steps with the options of the model. MJX and MuJoCo Warp get environments of their own, made
here by pip in the folder .peers. What cannot be installed or does not run is said in the chart.
"""

import argparse
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.cli.terminal import Bar, table

from . import contacts, report

ROOT = report.DOCS.parent
ENVIRONMENTS = ROOT / ".peers"
# what each engine is installed from; the others are those of this environment
PINS = {
    "MJX": ("mujoco-mjx==3.17.0", "mujoco==3.17.0", "jax==0.10.2"),  # of its own MuJoCo
    "MuJoCo Warp": ("mujoco-warp==4.0.0", "mujoco==4.0.0", "warp-lang==1.19.0"),
    "EnvPool": ("envpool==1.2.5",),  # carries a MuJoCo of its own; for bench.gym, bench.learning
}
BESIDE = ("EnvPool",)  # those that take everything else from this environment
PRECISION = {"MJX": "float32", "MuJoCo Warp": "float32"}  # as they come; float64 else
NAMES = ("lanewise", "mujoco.batch", "mujoco.rollout", "MJX", "MuJoCo Warp")
ENOUGH = 20.0  # seconds of rounds, after which an engine has had its turns; two at least
STATE = ("qpos", "qvel", "act", "ctrl", "qacc_warmstart")
CASES = tuple(case for case in contacts.CASES if case.name in ("humanoid", "quadruped, elliptic"))


@dataclass
class Peer:
    """An engine on a case: what it took, or why it did not run."""

    name: str
    versions: str = ""
    first: float = np.nan  # seconds from start to the end of the first steps: it compiles
    seconds: list[float] = field(default_factory=list)  # of the rounds
    apart: float = np.nan  # median over worlds of the largest difference of qpos to mujoco.batch
    trouble: str = ""
    process: subprocess.Popen | None = None

    @property
    def title(self) -> str:
        return "Lanewise" if self.name == "lanewise" else self.name

    @property
    def precision(self) -> str:
        return PRECISION.get(self.name, "float64")


@dataclass(frozen=True)
class Compared:
    """All engines on one case."""

    case: contacts.ContactCase
    ncon: float
    peers: tuple[Peer, ...]

    def microseconds(self, peer: Peer) -> float:
        """Per world and step, the best round; NaN if it did not run."""
        steps = self.case.nsim * self.case.nstep
        return 1e6 * min(peer.seconds, default=np.nan) / steps


# ------------------------------------------------------------------------------------ environments


def python_of(name: str) -> str:
    """The interpreter of an engine; its environment is made if it is not there yet."""
    if name not in PINS:
        return sys.executable
    folder = ENVIRONMENTS / name.lower().replace(" ", "-")
    python, stamp = folder / "bin" / "python", folder / "installed"
    pins = "\n".join(PINS[name])
    if not stamp.is_file() or stamp.read_text() != pins:
        print(f"installing {name} in {folder}: {', '.join(PINS[name])}", file=sys.stderr)
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINS[name]]
        _run([str(python), *install])
        stamp.write_text(pins)
    return str(python)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(_last_line(done.stderr) or f"exit status {done.returncode}")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


# --------------------------------------------------------------------------------------- measuring


def compare(case: contacts.ContactCase, rounds: int, core: int, bar: Bar) -> Compared:
    """Every engine on one case, in turns."""
    worlds = contacts.settled(case)
    m = lw.load(worlds.mj)
    states = {name: worlds.state[:, m.state_slices[name]] for name in STATE}
    peers = tuple(Peer(name) for name in NAMES)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "states.npz"
        np.savez(file, allow_pickle=False, **states)
        last: dict[str, np.ndarray] = {}
        try:
            for peer in peers:
                start(peer, case, file, core, last, Path(folder))
                bar.advance(1, f"{case.name}: {peer.name} {peer.trouble or 'is ready'}")
            for k in range(rounds):
                for peer in peers:
                    turn(peer)
                bar.advance(1, f"{case.name}: round {k + 1}")
        finally:
            for peer in peers:
                end(peer)
    for peer in peers:
        if peer.name in last and "mujoco.batch" in last:
            difference = np.abs(last[peer.name] - last["mujoco.batch"]).max(axis=1)
            peer.apart = float(np.median(difference))
    return Compared(case, worlds.ncon, peers)


def start(
    peer: Peer, case: contacts.ContactCase, file: Path, core: int,
    last: dict[str, np.ndarray], folder: Path,
) -> None:  # fmt: skip
    """Start an engine's process and wait until it has taken its first steps."""
    told = (str(models.path(case.model)), str(file), str(case.nstep), str(core))
    answer = launch(peer, "peer.py", told, folder)
    if answer is not None:
        last[peer.name] = np.array(answer["qpos"])


def launch(peer: Peer, script: str, told: tuple[str, ...], folder: Path) -> dict | None:
    """Start a script of this folder as PEER's process; what it says when it is ready."""
    log = folder / f"{peer.name}.log"
    try:
        run = (python_of(peer.name), "-P", str(Path(__file__).with_name(script)), peer.name)
    except (RuntimeError, OSError) as error:
        peer.trouble = f"cannot be installed: {error}"
        return None
    with open(log, "w") as errors:
        peer.process = subprocess.Popen(
            [*run, *told], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
            cwd=ROOT, env=_environment(peer.name),
        )  # fmt: skip
    answer = _answer(peer)
    if answer is None:
        peer.trouble = f"does not run: {_last_line(log.read_text()) or 'no message'}"
        return None
    peer.versions, peer.first = answer["versions"], answer["first"]
    return answer


def _environment(name: str) -> dict[str, str]:
    """Engines of other environments must not see what this one has."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    if name not in PINS:
        environment["PYTHONPATH"] = str(ROOT)
    elif name in BESIDE:
        packages = sysconfig.get_path("purelib")
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), packages])
    compiled = {"JAX_COMPILATION_CACHE_DIR": str(ENVIRONMENTS / "compiled")}
    return environment | compiled | {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""}


def _answer(peer: Peer) -> dict | None:
    assert peer.process is not None and peer.process.stdout is not None
    line = peer.process.stdout.readline()
    return json.loads(line) if line else None


def turn(peer: Peer) -> dict | None:
    """Let an engine run a round, unless it has had enough of them; what it says of it."""
    if peer.trouble or peer.process is None or peer.process.stdin is None:
        return None
    if len(peer.seconds) >= 2 and sum(peer.seconds) > ENOUGH:
        return None
    try:
        print("go", file=peer.process.stdin, flush=True)
        answer = _answer(peer)
    except BrokenPipeError:
        answer = None
    if answer is None:
        peer.trouble = "ended in the middle"
    else:
        peer.seconds.append(answer["seconds"])
    return answer


def end(peer: Peer) -> None:
    """Its process ends when nobody talks to it any more."""
    if peer.process is not None:
        process, peer.process = peer.process, None
        if process.stdin:
            process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()


# --------------------------------------------------------------------------------------- reporting

HEADS = (
    "model", "engine", "numbers", "us per world and step", "Lanewise is", "first call, s",
    "difference", "versions",
)  # fmt: skip


def rows(found: list[Compared]) -> list[tuple]:
    out = []
    for compared in found:
        ours = compared.microseconds(compared.peers[0])
        for peer in compared.peers:
            us = compared.microseconds(peer)
            if peer.trouble:
                times: tuple = (peer.trouble, "", "", "")
            else:
                times = (short(us), _times(us / ours), f"{peer.first:.0f}", f"{peer.apart:.0e}")
            out.append((compared.case.name, peer.title, peer.precision, *times, peer.versions))
    return out


def short(x: float) -> str:
    """Three digits, or all of a whole number."""
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def _times(ratio: float) -> str:
    return f"{short(ratio) if ratio >= 100 else f'{ratio:.1f}'} x"


def note(found: list[Compared]) -> str:
    """What the chart has to say beside its bars."""
    case = found[0].case
    text = (
        f"One core of {report.processor()} ({report.features()}), processor time, best round."
        f" {case.nsim} worlds, {case.nstep} steps, states at rest in contact, options of the model."
        " MJX and MuJoCo Warp are made for accelerators; here they are on the processor."
    )
    failed = {
        f"{peer.title} {peer.trouble}" for compared in found for peer in compared.peers
        if peer.trouble
    }  # fmt: skip
    return " ".join([text, *(f"{line}." for line in sorted(failed))])


COLORS = {
    "lanewise": "#f27a24", "mujoco.batch": "#33567f", "mujoco.rollout": "#6f8fb3",
    "MJX": "#8f97a3", "MuJoCo Warp": "#b4bac3",
}  # fmt: skip


def draw(found: list[Compared], path: Path) -> None:
    """Bars of microseconds, shorter is faster; the axis is logarithmic."""
    import textwrap

    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "lanewise"
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, len(found), figsize=(9, 2.7), facecolor="white")
    for ax, compared in zip(np.atleast_1d(axes), found, strict=True):
        times = [compared.microseconds(peer) for peer in compared.peers]
        ran = [us for us in times if np.isfinite(us)]
        low, high = min(ran) / 2.5, max(ran) * 12
        for k, (peer, us) in enumerate(zip(compared.peers, times, strict=True)):
            if peer.trouble:
                ax.text(low * 1.1, k, peer.trouble[:44], va="center", fontsize=7, color="#666666")
                continue
            ax.barh(k, us, 0.72, color=COLORS[peer.name])
            ratio = "" if k == 0 else f"  ({_times(us / times[0])})"
            text = f" {short(us)} µs{ratio}"
            ax.text(us, k, text, va="center", fontsize=8, fontweight="bold" if k == 0 else None)
        titles = [
            p.title + (f"\n{p.precision}" if p.precision != "float64" else "")
            for p in compared.peers
        ]
        ax.set_yticks(range(len(titles)), titles, fontsize=8)
        ax.invert_yaxis()
        ax.set_xscale("log")
        ax.set_xlim(low, high)
        ax.tick_params(axis="x", labelsize=7)
        ax.set_title(compared.case.name, fontsize=10)
        ax.set_xlabel(
            "µs per world and step on one core (logarithmic); shorter is faster", fontsize=8
        )
        ax.spines[["top", "right"]].set_visible(False)
    fig.text(
        0.01, 0.015, "\n".join(textwrap.wrap(note(found), 150)), fontsize=6.5, color="#555555",
        va="bottom",
    )  # fmt: skip
    fig.tight_layout(rect=(0, 0.09, 1, 1))
    fig.savefig(path, metadata={"Date": None})
    plt.close(fig)


def write(found: list[Compared]) -> None:
    """The chart, and its section of docs/benchmarks.md."""
    draw(found, report.DOCS / "peers.svg")
    block = report.markdown_table(HEADS, rows(found), 3) + "\n\n" + note(found)
    page = report.DOCS / "benchmarks.md"
    page.write_text(report.fill(page.read_text(), block, report.PEERS))


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.peers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less of all, nothing written")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--core", type=int, default=0, help="the core that all are bound to")
    arguments = parser.parse_args()
    quick, rounds = arguments.quick, 2 if arguments.quick else arguments.rounds
    cases = [replace(case, nsim=16 if quick else 256, nstep=5 if quick else 20) for case in CASES]
    bar = Bar(len(cases) * (len(NAMES) + rounds), "measuring")
    found = [compare(case, rounds, arguments.core, bar) for case in cases]
    print(table(rows(found), HEADS))
    print(note(found))
    if not quick:
        write(found)


if __name__ == "__main__":
    main()
