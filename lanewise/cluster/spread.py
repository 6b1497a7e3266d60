"""Spread: one object on every node of a cluster, whose methods are called on all of them at once.

An object is made on each node, for its share of n worlds (host.py). Of each of them this side has
what it was at some moment, `kept`, and the calls since. If the process of one dies, or its whole
node, it is made anew on a living one, takes what was kept, and does those calls again; then the
call is repeated in which it died. Calls give the same bits wherever they run, so nobody sees a
difference.

What is kept comes along with the answer of a call, into the memory of this process: of small
objects with every answer; of others after so many calls that it is `WORTH` bytes a call, and sooner
if calls took `SECONDS`, which is then what repeating them takes. Arguments are in Ray's object
store, on the node of this process, until objects are kept again.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import ClusterError
from ..notices import say_all
from .carrying import portable
from .host import Call, Report
from .line import HeadLost, Line
from .members import Answer, Member, Packed, Recipe, Staff
from .nodes import Share, split
from .pieces import merged, nbytes_of, part_of, shifted
from .shipping import Kernels, Rehearsal

WORTH = 1 << 16  # bytes of what is kept that may be sent, a call: they fit into its answer
SECONDS = 1.0  # of calls that may have to be repeated
MOST_BYTES = 1 << 26  # of their arguments
INLINE = 100_000  # bytes of arguments that go with a call, and not by the object store
ATTEMPTS = 4  # processes that one call may cost


class Spread:
    """Objects that `make(model, share, *args)` makes, one on each node, for n worlds together.

    make is a function that other processes can import, or that cloudpickle can carry. model is sent
    once, and can be None. n=None: every node has an object, and no worlds of its own. cpus: how
    many processors are used on each node, at most. checkpoint: after how many calls objects are
    kept; None: by their size; 0: never, of objects that no call changes.

    reserve: whether processors are taken from what Ray gives to others; without, they are shared.
    rehearsal(model) does what takes the kernels that objects are going to need, see shipping.py.
    """

    def __init__(
        self, make: Callable[..., Any], n: int | None, model: Any = None, args: Sequence[Any] = (),
        cpus: int | None = None, checkpoint: int | None = None, reserve: bool = True,
        rehearsal: Rehearsal | None = None,
    ):  # fmt: skip
        self._line = Line()
        self._lost: ClusterError | None = None
        self.remains = ""  # what there still is when the cluster is lost, in words
        self.n, self._checkpoint = n, checkpoint
        self._calls, self._seconds = 0, 0.0  # since objects were last kept
        reference = None if model is None else self._line.ray.put(portable(model))
        self._kernels = Kernels(self._line, model, reference)
        how = self._line.ray.put(portable((make, tuple(args))))
        self._staff = Staff(self._line, self._kernels, how, reference, cpus, reserve)
        self.members: list[Member] = []
        try:
            with self._as_cluster_error():
                self._begin(rehearsal)
        except BaseException:
            self.close()
            raise

    def _begin(self, rehearsal: Rehearsal | None) -> None:
        while not self.members:
            self._share_out()
            if not self._staff.hire(self.members):  # a node died meanwhile
                self.members = []
        leaders = list({member.machine: member for member in reversed(self.members)}.values())
        self._kernels.ship(self._actors(), rehearsal)
        if rehearsal is None:  # what these compile, others need not
            self._make(leaders)
            self._kernels.ship(self._actors())
            self._make([member for member in self.members if member not in leaders])
        else:
            self._make(self.members)

    def _share_out(self) -> None:
        nodes = self._staff.nodes()
        if not nodes:
            raise ClusterError("no node of the cluster has processors: start one that has")
        parts = split(self.n or 0, [node.cpus for node in nodes])
        self.members = [
            Member(Share(first, count, node.cpus), node)
            for node, (first, count) in zip(nodes, parts, strict=True)
            if count or self.n is None
        ]

    def _make(self, members: Sequence[Member]) -> None:
        refs = [self._staff.make(member, self._checkpoint != 0) for member in members]
        for member, ref in zip(members, refs, strict=True):
            try:
                report = self._line.get(ref)
            except self._line.losses:
                self._staff.dismiss([member])
                self._staff.revive(member, self.members)
                report = self._line.get(self._staff.ask(member, None, keep=True)[0])
            if isinstance(report.error, ImportError):
                raise _not_there(report.error)
            if report.error is not None:
                raise report.error
            member.keep(report.kept)
            self._tell(member, report)

    def _actors(self) -> list[tuple[Any, str]]:
        return [(m.actor, m.machine) for m in self.members if m.actor is not None]

    def __repr__(self) -> str:
        return f"<lanewise.cluster.Spread {self.places()}>"

    def places(self) -> str:
        """How many worlds are where, in words."""
        if self._lost is not None:
            return "on a cluster that is lost"
        if not self.members:
            return "closed"
        on = "1 node" if len(self.members) == 1 else f"{len(self.members)} nodes"
        each = (f"{m.share.count} at {m.node.address}" for m in self.members)
        return f"on {on}" if self.n is None else f"on {on}: {', '.join(each)}"

    # --------------------------------------------------------------------------------------- calls

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method of all objects.

        An argument that is `Rows(array)` has a row for each world, and every object gets those of
        its own worlds; all others get the same. Of what is returned, arrays are put together along
        their first axis, also in tuples, lists and dictionaries; of anything else there is a list
        with what each object returned, or the one value if it is the same for all.
        """
        calls = {}
        for k, member in enumerate(self.members):
            mine = [part_of(x, member.share.rows, self.n) for x in args]
            named = {name: part_of(x, member.share.rows, self.n) for name, x in kwargs.items()}
            calls[k] = Call(method, mine, named)
        answers = self.each(calls)
        return merged([answers[k].value for k in calls])

    def each(self, calls: Mapping[int, Call], changes: bool = True) -> dict[int, Answer]:
        """The answers of some members, by their numbers, to a call each.

        changes: whether the calls change anything, and have to be repeated if one of these objects
        is made anew. If one raises an error, so does this, when all are done.
        """
        self.check()
        keep = changes and self._is_due()
        asked = {k: self._packed(call) for k, call in calls.items()}
        start = time.monotonic()
        try:
            with self._as_cluster_error():
                found = self._gather(asked, keep)
        except BaseException:
            # as if it had not been called: objects are made anew, as they were before
            self._staff.dismiss([self.members[k] for k in asked])
            raise
        answers = {}
        for k, (report, blocks) in found.items():
            member = self.members[k]
            if k in asked:
                recipe = self._recipe(member, asked[k])
                answers[k] = Answer(report.value, blocks, recipe)
            if report.kept is not None:
                member.keep(report.kept)
            elif changes and self._checkpoint != 0:
                member.since.append(asked[k])
        self._calls = 0 if keep else self._calls + changes
        self._seconds = 0.0 if keep else self._seconds + time.monotonic() - start
        for k in sorted(found):
            self._tell(self.members[k], found[k][0])
        for k in sorted(found):
            error = found[k][0].error
            if error is not None:
                raise error
        return answers

    def rehearse(self, rehearsal: Rehearsal, model: Any = None, reference: Any = None) -> None:
        """See to it that all nodes have the kernels that something takes; on another model than the
        first, if it is given with a reference to its pickle."""
        self.check()
        if model is not None:
            self._kernels.model, self._kernels.reference = model, reference
        with self._as_cluster_error():
            self._kernels.ship(self._actors(), rehearsal)

    def put(self, value: Any) -> Any:
        """A reference to something in the object store, which calls can take along."""
        return self._line.ray.put(value)

    def _packed(self, call: Call) -> Packed:
        size = nbytes_of(call.args) + nbytes_of(call.kwargs)
        what = self._line.ray.put(call) if size > INLINE else call
        return Packed(what, call.method, call.nblock, size)

    def _is_due(self) -> bool:
        """Whether objects are to be kept with this call."""
        if self._checkpoint is not None:
            return self._checkpoint > 0 and self._calls + 1 >= self._checkpoint
        largest = max(len(m.kept or b"") for m in self.members)
        waiting = max(sum(call.nbytes for call in m.since) for m in self.members)
        enough = (self._calls + 1) * WORTH >= largest
        return enough or self._seconds > SECONDS or waiting > MOST_BYTES

    def _gather(
        self, asked: Mapping[int, Packed | None], keep: bool
    ) -> dict[int, tuple[Report, Sequence[Any]]]:
        """Reports and blocks of all that are asked. Whoever dies is made anew, and asked again."""
        todo: dict[int, Packed | None] = dict(asked)
        if keep:  # all of the same moment
            todo.update({k: None for k, m in enumerate(self.members) if m.since and k not in asked})
        found: dict[int, tuple[Report, Sequence[Any]]] = {}
        waiting: dict[Any, tuple[int, list[Any]]] = {}
        lives = dict.fromkeys(todo, ATTEMPTS)

        def ask(k: int) -> None:
            while True:
                try:
                    report, *blocks = self._staff.ask(self._present(k), todo[k], keep)
                    waiting[report] = k, blocks
                    return
                except self._line.losses as error:
                    self._bury(k, todo[k], lives, error)

        for k in todo:
            ask(k)
        while waiting:
            for ref in self._line.some(list(waiting)):
                k, blocks = waiting.pop(ref)
                try:
                    found[k] = self._line.ray.get(ref), blocks
                except self._line.losses as error:
                    self._bury(k, todo[k], lives, error)
                    ask(k)
        return found

    def _present(self, k: int) -> Member:
        """A member that can be asked; if it has no process, it gets one."""
        member = self.members[k]
        if member.actor is None:
            self._staff.revive(member, self.members)
        return member

    def _bury(self, k: int, call: Packed | None, lives: dict[int, int], error: Exception) -> None:
        """A member's process is gone; ClusterError if that has happened too often."""
        self._staff.dismiss([self.members[k]])
        lives[k] -= 1
        if not lives[k]:
            what = "what was kept" if call is None else f"`{call.method}`"
            raise ClusterError(
                f"{ATTEMPTS} processes in succession died over {what} (worlds"
                f" {self.members[k].share.first} and following), the last at"
                f" {self.members[k].node}: {_first_line(error)}"
            ) from error

    def keep(self) -> None:
        """Keep all objects as they are now."""
        self.check()
        late = {k: None for k, m in enumerate(self.members) if m.since}
        with self._as_cluster_error():
            found = self._gather(late, keep=True)
        for k, (report, _) in found.items():
            if report.error is not None:
                raise report.error
            self.members[k].keep(report.kept)
        self._calls, self._seconds = 0, 0.0

    def renew(self, model: Any) -> None:
        """Give all objects another model: they have a method for that, renew(pickle of a model)."""
        self.keep()  # earlier calls are not repeated with this one
        content = portable(model)
        self._staff.model = self._kernels.reference = self._line.ray.put(content)
        self._kernels.model = model
        self.each({k: Call("renew", [content]) for k in range(len(self.members))})

    # -------------------------------------------------------------------------------------- results

    def _recipe(self, member: Member, call: Packed) -> Recipe:
        return Recipe(self._staff.model, member.share, member.kept, (*member.since, call))

    def block(self, answer: Answer, j: int) -> tuple[Any, Answer]:
        """A block of an answer, and the answer; another, if this one's blocks are lost."""
        if self._lost is not None:
            raise self._lost
        with self._as_cluster_error():
            self._line.check()
            for _ in range(ATTEMPTS):
                try:
                    return self._line.get(answer.blocks[j]), answer
                except self._line.losses:
                    self.check()
                    answer = self._repeat(answer.recipe)
            raise ClusterError("a result was lost with its node again and again")

    def _repeat(self, recipe: Recipe) -> Answer:
        """The answer of a call once more, by an object that is made for it."""
        guest = Member(recipe.share, self.members[0].node, kept=recipe.kept)
        guest.since = list(recipe.calls[:-1])
        try:
            self._staff.revive(guest, self.members, recipe.model)
            ref, *blocks = self._staff.ask(guest, recipe.calls[-1], keep=False)
            report = self._line.get(ref)
        finally:
            self._staff.dismiss([guest])
        return Answer(report.value, blocks, recipe)

    def _tell(self, member: Member, report: Report) -> None:
        say_all(shifted(message, member.share.first) for message in report.warned)

    # --------------------------------------------------------------------------------------- ending

    def check(self) -> None:
        """Raise ClusterError if nothing can be called any more."""
        if self._lost is not None:
            raise self._lost
        if not self.members:
            raise ClusterError("this was closed: nothing can be called any more")
        with self._as_cluster_error():
            self._line.check()

    @contextmanager
    def _as_cluster_error(self) -> Iterator[None]:
        """Errors of Ray's, and a cluster that is lost."""
        try:
            yield
        except HeadLost as error:
            calls = "1 call" if self._calls == 1 else f"{self._calls} calls"
            self._lost = ClusterError(
                f"the cluster is lost: {error}. What its nodes held is gone, with {calls} since it"
                f" was last kept here{self.remains}"
            )
            for member in self.members:
                member.actor = None
            self._line.let_go()
            raise self._lost from error
        except self._line.ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None) or error
            if isinstance(cause, ImportError):
                raise _not_there(cause) from error
            raise ClusterError(f"{type(cause).__name__}: {_first_line(cause)}") from error

    @property
    def is_lost(self) -> bool:
        """Whether the cluster is."""
        return self._lost is not None

    def close(self) -> None:
        """End the processes on all nodes. Nothing can be called any more."""
        if self._lost is None and self.members:
            self._staff.dismiss(self.members)
        self.members = []

    def __enter__(self) -> "Spread":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


def _not_there(error: ImportError) -> ClusterError:
    return ClusterError(
        f"a node cannot import what it was sent: {error}. Modules of yours that objects and kernels"
        " use must be on all nodes: see Ray's runtime_env"
    )


def _first_line(error: BaseException | None) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
