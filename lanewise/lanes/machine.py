"""Machines that kernels are compiled for, and the way from LLVM's text to an object file."""

from dataclasses import dataclass

import llvmlite.binding as llvm

_PAUSE = {"x86_64": "pause", "aarch64": "yield", "arm64": "yield"}


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
    def pause(self):
        """The instruction of a thread that waits for a moment, or None."""
        return _PAUSE.get(self.architecture)

    def target_machine(self):
        _initialize(self.architecture == llvm.get_process_triple().partition("-")[0])
        target = llvm.Target.from_triple(self.triple)
        # compact code where loading.py puts constants beside it, else code that reaches anywhere
        compact = self.architecture == "x86_64" and "linux" in self.triple
        model = "small" if compact or self.architecture == "aarch64" else "large"
        return target.create_target_machine(
            cpu=self.cpu, features=self.features, opt=3, reloc="pic", codemodel=model
        )

    def _optimized(self, text):
        target_machine = self.target_machine()
        module = llvm.parse_assembly(text)
        module.triple = self.triple
        module.data_layout = str(target_machine.target_data)
        optimize(target_machine, module)
        return target_machine, module

    def assemble(self, text):
        """The object file of a module, optimized."""
        target_machine, module = self._optimized(text)
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


def _initialize(native):
    if native:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_native_asmparser()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()


def this_machine():
    """The processor that this process runs on, with all that it can do."""
    features = llvm.get_host_cpu_features().flatten()
    return Machine("native", llvm.get_process_triple(), llvm.get_host_cpu_name(), features)


def has_features(names):
    """Whether this processor has all features of these names."""
    features = llvm.get_host_cpu_features()
    return all(features.get(name, False) for name in names)


if __name__ == "__main__":  # text comes in, object code goes out
    import sys

    sys.stdout.buffer.write(this_machine().assemble(sys.stdin.buffer.read().decode()))
