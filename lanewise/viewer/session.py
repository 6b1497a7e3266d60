"""A session: the worlds of a Batch that run, stop, go back and are pushed, without any picture.

A thread of its own turns the loop some thirty times a second. A turn carries out what was asked
for since the last one, simulates (or plays back) as much time as has passed, and publishes a
frame. Requests come from anywhere and never wait: each is put into a queue. Who touches the Batch
from another thread holds `lock`.

The tape has every frame that was published. `cursor` is where on the tape the picture is: None at
its end, where the Batch itself is; a number while one looks back. Looking back leaves the Batch
alone. `simulate_here` takes it to the frame under the cursor, and forgets what came after.
"""

import queue
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from ..mjconst import INT_RK4
from ..model import Model
from .dragging import HELD, Hand
from .tape import MEMORY, Frame, Tape, clip

PERIOD = 1.0 / 32.0  # seconds between two turns of the loop
MOST = 0.25  # seconds that a turn catches up at most: what is slower than that runs slower
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)


class Session:
    """Play, pause, step, reset, scrub, drag; sliders; a controller in the loop."""

    def __init__(
        self,
        batch: Any,
        model: Model,
        control: Callable | None = None,
        memory: int = MEMORY,
        now: Callable[[], float] = time.perf_counter,
    ):
        """`now` tells the time by which a turn sees that it takes too long."""
        self.batch, self.model, self.control = batch, model, control
        self.lock = threading.RLock()
        self.playing, self.speed = False, 1.0
        self.cursor: int | None = None
        self.error: str | None = None  # what user code raised, until the next play
        self.hand: Hand | None = None
        self.factor = 0.0  # of real time
        self.tape = Tape(memory)
        self._start = batch.state.copy()
        self._clock = 0.0
        self._debt = 0.0  # seconds to be simulated
        self._cost = 1e-4  # seconds a step takes
        self._now = now
        self._requests: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._news = threading.Condition()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._published = self._record()

    # ------------------------------------------------------------------------------------ requests

    def play(self) -> None:
        """Run on; or, if the cursor is back on the tape, play the tape from there."""
        self._later(self._play, True)

    def pause(self) -> None:
        self._later(self._play, False)

    def step(self, nstep: int = 1) -> None:
        """Pause, and take nstep steps; back on the tape, go nstep frames on."""
        self._later(self._step, nstep)

    def reset(self) -> None:
        """Back to the state that the worlds had when the session began; the tape is cleared."""
        self._later(self._restart, None)

    def keyframe(self, key: int | str) -> None:
        """All worlds to a keyframe; the tape is cleared."""
        self._later(self._restart, key)

    def scrub(self, clock: float) -> None:
        """Look at the recorded frame of a time [s], and pause."""
        self._later(self._scrub, clock)

    def simulate_here(self) -> None:
        """Take the worlds to the frame under the cursor, and forget what came after it."""
        self._later(self._simulate_here)

    def set_speed(self, speed: float) -> None:
        """Simulated seconds for each second."""
        self._later(setattr, self, "speed", float(speed))

    def set_ctrl(self, world: int | None, number: int, value: float) -> None:
        """A control of one world, or of all (None)."""
        self._later(self._set_ctrl, world, number, value)

    def set_joint(self, world: int | None, joint: int, value: float) -> None:
        """The position of a hinge [rad] or slide [m] of one world, or of all (None); it stops."""
        self._later(self._set_joint, world, joint, value)

    def grab(self, world: int, body: int, point: Any, strength: float = 1.0) -> None:
        """Take hold of a point (3,) of a body, in the body's axes [m]."""
        self._later(self._grab, world, body, np.array(point, float), strength)

    def pull(self, goal: Any) -> None:
        """Where the point that is held should go (3,) [m], in the frame of its world."""
        self._later(self._pull, np.array(goal, float))

    def let_go(self) -> None:
        self._later(self._let_go)

    def _later(self, function: Callable, *arguments: Any) -> None:
        self._requests.put(lambda: function(*arguments))

    # ---------------------------------------------------------------------------- what others read

    @property
    def frame(self) -> Frame:
        """What is to be seen now."""
        return self._published

    def wait(self, serial: int, timeout: float = 1.0) -> Frame:
        """The frame to be seen, as soon as it is another one than that of the serial number."""
        with self._news:
            self._news.wait_for(lambda: self._published.serial != serial, timeout)
            return self._published

    def span(self) -> tuple[float, float]:
        """From when to when there are frames [s]."""
        frames = self.tape.frames()
        return (frames[0].clock, frames[-1].clock) if frames else (0.0, 0.0)

    def clip(self) -> dict[str, np.ndarray]:
        """What was recorded, as the arrays of a clip: see tape.py."""
        return clip(self.model, self.tape.frames())

    # ------------------------------------------------------------------------------------ the loop

    def start(self) -> None:
        """Begin to turn."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="lanewise-view", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the loop, and let go of what is held."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        with self.lock:
            self._let_go()

    def _loop(self) -> None:
        last = due = time.perf_counter()
        while not self._stopping.is_set():
            now = time.perf_counter()
            self.turn(now - last)
            last = now
            # turns are due at fixed times, so that a late one does not delay all that follow
            due = max(due + PERIOD, time.perf_counter() - PERIOD)
            self._stopping.wait(max(0.001, due - time.perf_counter()))

    def turn(self, seconds: float) -> None:
        """One turn, `seconds` after the one before."""
        with self.lock:
            try:
                self._obey()
                if not self.playing:
                    self.factor = 0.0
                    self._notice()
                elif self.cursor is None:
                    self._simulate(min(seconds, MOST))
                else:
                    self._replay(min(seconds, MOST))
            except Exception as error:  # of user code: shown, and the worlds stand still
                self.playing, self.error = False, _told(error)
                self._let_go()
                self._notice()

    def _obey(self) -> None:
        while True:
            try:
                request = self._requests.get_nowait()
            except queue.Empty:
                return
            request()

    def _simulate(self, seconds: float) -> None:
        """Steps for the time that has passed; as many as can be made in that time."""
        timestep = float(self.model.opt.timestep)
        self._debt += seconds * self.speed
        begin, done = self._now(), 0
        deadline = begin + max(PERIOD, 0.9 * seconds)
        while self._debt >= timestep and (done == 0 or self._now() < deadline):
            n = int(self._debt / timestep)
            n = min(n, max(1, int(PERIOD / self._cost)))
            if self.hand is not None:
                n = min(n, max(1, int(HELD / timestep)))
            self._run(n)
            self._debt -= n * timestep
            done += n
        if done:
            took = self._now() - begin
            self._cost += 0.3 * (took / done - self._cost)
            self._record()
        self._debt = min(self._debt, timestep)  # what was too much is not made up for
        factor = done * timestep / max(seconds, 1e-9)
        self.factor += 0.1 * (factor - self.factor) if self.factor else factor

    def _run(self, nstep: int) -> None:
        seconds = nstep * float(self.model.opt.timestep)
        if self.hand is not None:
            self.hand.pull(seconds)
        advance = getattr(self.control, "advance", None)
        if advance is not None:
            advance(self.batch, nstep)
        elif self.control is not None and self.model.opt.integrator == INT_RK4:
            # it has no halves to call a function between: controls stay for all of a step
            for _ in range(nstep):
                self.control(self.batch)
                self.batch.step()
        else:
            self.batch.step(nstep=nstep, control=self.control)
        self._clock += seconds

    def _replay(self, seconds: float) -> None:
        assert self.cursor is not None
        self._debt += seconds * self.speed
        clock = self.tape[self.cursor].clock + self._debt
        k = self.tape.index(clock)
        if k > self.cursor:
            self._debt = min(clock - self.tape[k].clock, MOST)
            self._look(k)
        if k == len(self.tape) - 1:
            self.playing = False
        self.factor = self.speed

    def _notice(self) -> None:
        """A new frame, if somebody else moved the worlds."""
        if self.cursor is None and not np.array_equal(self.batch.state, self._published.state):
            self._record()

    def _record(self) -> Frame:
        return self._publish(self.tape.add(self._clock, self.batch.state))

    def _publish(self, frame: Frame) -> Frame:
        with self._news:
            self._published = frame
            self._news.notify_all()
        return frame

    # ------------------------------------------------------------------- requests, carried out

    def _play(self, playing: bool) -> None:
        if playing:
            self.error, self._debt = None, 0.0
            if self.cursor is not None and self.cursor >= len(self.tape) - 1:
                self.cursor = None
        self.playing = playing

    def _step(self, nstep: int) -> None:
        self.playing, self.error = False, None
        if self.cursor is not None:
            self._look(min(self.cursor + nstep, len(self.tape) - 1))
            return
        self._run(nstep)
        self._record()

    def _restart(self, key: Any) -> None:
        self._let_go()
        if key is None:
            self.batch.state[:] = self._start
            self.batch.timer.clear()
        else:
            self.batch.reset(keyframe=key, stage=0)
        self.error, self.cursor, self._clock, self._debt = None, None, 0.0, 0.0
        self.tape.clear()
        self._record()

    def _scrub(self, clock: float) -> None:
        self._let_go()
        self.playing, self._debt = False, 0.0
        if len(self.tape):
            self._look(self.tape.index(clock + 1e-9))

    def _look(self, k: int) -> None:
        """Put the cursor on a frame; on the last one, that is where the worlds are."""
        self.cursor = None if k >= len(self.tape) - 1 else k
        self._publish(self.tape[k])

    def _simulate_here(self) -> None:
        if self.cursor is None:
            return
        frame = self.tape[self.cursor]
        self.tape.cut(self.cursor)
        self.batch.state[:] = frame.state
        self._clock, self.cursor, self._debt = frame.clock, None, 0.0

    def _set_ctrl(self, world: int | None, number: int, value: float) -> None:
        self._simulate_here()
        self.batch.ctrl[_rows(world), number] = value

    def _set_joint(self, world: int | None, joint: int, value: float) -> None:
        self._simulate_here()
        m = self.model
        self.batch.qpos[_rows(world), m.jnt_qposadr[joint]] = value
        self.batch.qvel[_rows(world), m.jnt_dofadr[joint]] = 0.0

    def _grab(self, world: int, body: int, point: np.ndarray, strength: float) -> None:
        self._let_go()
        self._simulate_here()
        if self.model.body_weldid[body] or self.model.body_mocapid[body] >= 0:
            self.hand = Hand(self.batch, self.model, world, body, point, strength)

    def _pull(self, goal: np.ndarray) -> None:
        if self.hand is not None:
            self.hand.goal = goal

    def _let_go(self) -> None:
        if self.hand is not None:
            self.hand.release()
            self.hand = None


def _rows(world: int | None) -> Any:
    return slice(None) if world is None else world


def _told(error: Exception) -> str:
    """An error in a few lines: what it says, and the line of the user's code that it is from."""
    told = f"{type(error).__name__}: {error}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "lanewise" not in f.filename]
    if frames:
        told += f"\n{frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}"
    return told
