"""Machines that kernels are compiled for, and the way from LLVM's text to an object file.

Kernels are compiled for the processor at hand, with all that it can do. `LANEWISE_KERNELS` may name
another machine, one of COMMON, to see what others get; a kernel has the same bits on all of them.
"""

import os
import platform
from dataclasses import dataclass

import llvmlite.binding as llvm

from . import cutting

# LLVM's name and arguments; not inline assembly, which llvmlite cannot read for other machines
_HINT = ("llvm.aarch64.hint", ("i32", "1"))
_PAUSE = {"x86_64": ("llvm.x86.sse2.pause",), "aarch64": _HINT, "arm64": _HINT}


@dataclass(frozen=True)
class Machine:
    """A processor: LLVM's triple, name and features ("+avx2,+fma")."""

    name: str
    triple: str
    cpu: str
    features: str

    @property
    def architecture(self):
        return self.triple.partition("-")[0]

    @property
    def register(self):
        """How many numbers of a Lane a register holds."""
        v3, v4 = (self.cpu == f"x86-64-{v}" for v in ("v3", "v4"))
        if v4 or "+avx512f" in self.features:
            return 8
        return 4 if v3 or "+avx," in f"{self.features}," else 2

    @property
    def pause(self):
        """What a thread that waits for a moment calls, (name, *arguments), or None."""
        return _PAUSE.get(self.architecture)

    def target_machine(self):
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(self.triple)
        # compact code where loading.py puts constants beside it, else code that reaches anywhere
        compact = self.architecture == "x86_64" and "linux" in self.triple
        model = "small" if compact or self.architecture == "aarch64" else "large"
        return target.create_target_machine(
            cpu=self.cpu, features=self.features, opt=3, reloc="pic", codemodel=model
        )

    def _optimized(self, text, strict=False):
        target_machine = self.target_machine()
        module = llvm.parse_assembly(text)
        module.triple = self.triple
        module.data_layout = str(target_machine.target_data)
        optimize(target_machine, module)
        return target_machine, in_pieces(module, self.register, strict)

    def assemble(self, text, strict=False):
        """The object file of a module, optimized; strict: or an error, if it cannot be cut."""
        target_machine, module = self._optimized(text, strict)
        return target_machine.emit_object(module)

    def assembly(self, text):
        """What the processor will run, as text."""
        target_machine, module = self._optimized(text)
        return target_machine.emit_assembly(module)


def optimize(target_machine, module):
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False  # lanes are vectors already
    options.loop_unrolling = False
    builder = llvm.create_pass_builder(target_machine, options)
    builder.getModulePassManager().run(module, builder)


def in_pieces(module, size, strict=False):
    """The module, its Lanes cut into registers (cutting.py); as it is, if that is not possible."""
    if size >= cutting.LANES:
        return module
    try:
        return llvm.parse_assembly(cutting.cut(str(module), size))
    except (cutting.Unknown, RuntimeError):  # of LLVM, which reads and checks it
        if strict:
            raise
        return module


def search_less():
    """For processes that only compile: LLVM's GVN without its search through memory

    That takes longer than all other passes together, and hardly changes a kernel.
    """
    llvm.set_option("", "-enable-gvn-memdep=false")


# ------------------------------------------------------------------------------------------- which

# what each level of x86-64 has beyond what every such processor has
_V3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")

# machines that most processors are at least as good as, {machine: what it needs}; the best first
COMMON = {
    Machine("x86-64-v4", "x86_64-unknown-linux-gnu", "x86-64-v4", ""): _V4,
    Machine("x86-64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3", ""): _V3,
    Machine("aarch64", "aarch64-unknown-linux-gnu", "generic", "+neon"): ("neon",),
}


def fits(machine):
    """Whether this processor has all that a machine of COMMON needs."""
    same = machine.architecture == platform.machine().replace("arm64", "aarch64")
    return same and platform.system() == "Linux" and has_features(COMMON[machine])


def chosen():
    """What LANEWISE_KERNELS asks for: a machine of COMMON, "native", or None if it is not set."""
    name = os.environ.get("LANEWISE_KERNELS")
    if not name or name == "native":
        return name or None
    possible = {machine.name: machine for machine in COMMON if fits(machine)}
    if name not in possible:
        names = ", ".join(["native", *possible])
        raise ValueError(
            f"LANEWISE_KERNELS is {name!r}; on this processor it may be one of {names}"
        )
    return possible[name]


def this_machine():
    """What is compiled for: the processor that this process runs on, if nothing else is chosen."""
    choice = chosen()
    return choice if isinstance(choice, Machine) else native()


def native():
    """The processor that this process runs on, with all that it can do."""
    features = llvm.get_host_cpu_features().flatten()
    return Machine("native", llvm.get_process_triple(), llvm.get_host_cpu_name(), features)


def has_features(names):
    """Whether this processor has all features of these names."""
    features = llvm.get_host_cpu_features()
    return all(features.get(name, False) for name in names)


if __name__ == "__main__":  # text comes in, object code goes out
    import sys

    search_less()
    sys.stdout.buffer.write(this_machine().assemble(sys.stdin.buffer.read().decode()))
