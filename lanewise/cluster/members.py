"""Members of a Spread, one for each node, and the processes that they have there."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ..errors import ClusterError
from ..lanes import objects
from .host import Host
from .line import Line
from .nodes import Node, Share, answers, living
from .shipping import Kernels

STARTING = 60.0  # seconds that a process may take to start
MOVING = 20.0  # the same on a node that somebody else may hold, while there are others


@dataclass
class Packed:
    """A call that can be sent several times: itself, or a reference to it."""

    call: Any
    method: str
    nblock: int
    nbytes: int  # of its arguments


@dataclass
class Member:
    """The object of one node: its share of the worlds, its process, and what makes it again."""

    share: Share
    node: Node
    actor: Any = None  # None while it has no process
    pid: int = 0
    machine: str = ""  # whose kernels the process can use
    kept: bytes | None = None
    since: list[Packed] = field(default_factory=list)  # calls after it was kept

    def keep(self, kept: bytes | None) -> None:
        self.kept, self.since = kept, []


@dataclass(frozen=True)
class Recipe:
    """How to get the answer of a call once more; the last of the calls is that one."""

    model: Any  # a reference to it
    share: Share
    kept: bytes | None
    calls: tuple[Packed, ...]


@dataclass
class Answer:
    """What a call returned, and references to its blocks."""

    value: Any
    blocks: Sequence[Any]
    recipe: Recipe


class Staff:
    """Starts processes on nodes, and makes the objects in them."""

    def __init__(
        self, line: Line, kernels: Kernels, how: Any, model: Any, cpus: int | None, reserve: bool
    ):
        """how: a reference to what makes an object; model: one to its model."""
        self._line, self._kernels, self._how, self.model = line, kernels, how, model
        self._cpus, self._reserve = cpus, reserve
        self._type = line.ray.remote(Host)

    def nodes(self) -> list[Node]:
        """The nodes that can be used, with the processors that are."""
        return living(self._line.ray, self._cpus)

    def hire(self, members: Sequence[Member]) -> bool:
        """Start the processes of all, each with the processors of its node; False if one of the
        nodes is not there any more."""
        refs = [self._start(m, m.node, m.node.cpus * self._reserve) for m in members]
        for member, ref in zip(members, refs, strict=True):
            try:
                self._welcome(member, ref, STARTING)
            except TimeoutError:
                raise ClusterError(
                    f"no process started at {member.node} within {STARTING:.0f} s: its"
                    f" {member.node.cpus} processors may be in use by others, or by a Batch that"
                    " was not closed. cpus= takes fewer of each node, reserve=False shares them"
                ) from None
            except self._line.losses as error:
                if member.node not in self.nodes():
                    self.dismiss(members)
                    return False
                raise ClusterError(
                    f"no process could be started at {member.node}; Lanewise and Ray must be"
                    f" installed there as they are here: {error}"
                ) from error
        return True

    def _start(self, member: Member, node: Node, cpus: int) -> Any:
        """Begin to start a process at a node; a reference to what it says of itself."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(node.id, soft=False)
        options = self._type.options(num_cpus=cpus, scheduling_strategy=there, max_restarts=0)
        member.actor, member.node = options.remote(), node
        return member.actor.about.remote()

    def _welcome(self, member: Member, ref: Any, seconds: float) -> None:
        """Wait for a process, and see whether it is like this one."""
        about = self._line.get(ref, seconds)
        member.pid, member.machine = about["pid"], about["machine"]
        if about["sources"] != objects.source_digest():
            raise ClusterError(
                f"{member.node} has other sources of kernels than this process, so its worlds might"
                " have other bits: install the same Lanewise on all nodes"
            )

    def make(self, member: Member, keep: bool, model: Any = None) -> Any:
        """Begin to make a member's object, as it was kept; a reference to a Report."""
        return member.actor.make.remote(
            self._how, model or self.model, member.share, member.kept, keep
        )

    def ask(self, member: Member, call: Packed | None, keep: bool) -> list[Any]:
        """Send a call, or None to keep the object: references to a Report, and to blocks."""
        if call is None:
            return [member.actor.keep.remote()]
        if not call.nblock:
            return [member.actor.call.remote(call.call, keep)]
        return member.actor.call.options(num_returns=1 + call.nblock).remote(call.call, keep)

    def revive(self, member: Member, others: Sequence[Member], model: Any = None) -> None:
        """Give a member without a process a new one, with the object as it was: what was kept, and
        all calls since."""
        self._settle(member, [m for m in others if m is not member])
        self._kernels.hand([member.actor], member.machine)
        refs = [self.make(member, keep=False, model=model)]
        refs += [self.ask(member, call, keep=False)[0] for call in member.since]
        made = self._line.get(refs[0])
        if made.error is not None:
            raise made.error
        for ref in refs[1:]:  # errors in them were told the first time
            self._line.get(ref)

    def _settle(self, member: Member, others: Sequence[Member]) -> None:
        """Start a process for a member: where it was, or at another node."""
        problem: Exception | None = None
        failures: tuple[type[Exception], ...] = (TimeoutError, *self._line.losses)
        for node, number, seconds in self._places(member, others):
            try:
                self._welcome(member, self._start(member, node, number), seconds)
                return
            except failures as error:
                problem = error
                self.dismiss([member])
        raise ClusterError(
            f"the process of worlds {member.share.first} to"
            f" {member.share.first + member.share.count - 1} died, and no node is left that takes"
            " them: add one, and call again; nothing is lost"
        ) from problem

    def _places(
        self, member: Member, others: Sequence[Member]
    ) -> Iterator[tuple[Node, int, float]]:
        """Nodes to try, with the processors to ask for and for how long: those without worlds of
        ours first, where it was before others, then those with the fewest worlds a processor."""
        self._line.look()
        nodes = self.nodes()
        taken = {
            node.id: sum(m.share.count for m in others if m.actor and m.node.id == node.id)
            for node in nodes
        }
        busy = {m.node.id for m in others if m.actor}
        free = [node for node in nodes if node.id not in busy]
        free.sort(key=lambda node: (node.id != member.node.id, -node.cpus))
        for node in free:
            yield node, node.cpus * self._reserve, MOVING
        for node in sorted(nodes, key=lambda node: taken[node.id] / node.cpus):
            yield node, 0, STARTING  # beside what is there already

    def dismiss(self, members: Sequence[Member]) -> None:
        """End the processes of members."""
        for member in members:
            # without a head, Ray would wait for it
            if member.actor is not None and answers(self._line.head):
                with suppress(Exception):
                    self._line.ray.kill(member.actor)
            member.actor = None
