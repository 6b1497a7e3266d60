"""From kernels to machine code: one object file for all entry points.

Numba types and lowers every kernel once. Its libraries are not optimized or compiled one by one:
all of them are linked into one module, which is optimized once and written out as one object
(`kernel.py` keeps it on disk and loads it without Numba). A kernel that is not marked `inline`
stays one function, shared by the entry points that reach it; that bounds the compile time.
"""

import gc
from contextlib import contextmanager

import llvmlite.binding as llvm
from llvmlite import ir
from numba import _dynfunc, njit, types
from numba.core import cgutils, compiler, funcdesc, lowering, registry, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.extending import (
    models,
    register_model,
    typeof_impl,
)

from . import calls_code, memory_code, records_code  # noqa: F401
from .lane_types import FUSED, I64, StructType
from .primitives_code import try_ours_first


class _KernelLibrary(JITCodeLibrary):
    """Code that is only ever linked: neither optimized nor compiled by itself."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self):
        self._finalized = True

    def _get_module_for_linking(self):
        return self._final_module


class _KernelLower(lowering.Lower):
    """Lowering that marks kernels as inlined always or never."""

    def lower_normal_function(self, fndesc):
        super().lower_normal_function(fndesc)
        attributes = self.function.attributes
        attributes.add("nounwind")
        if "alwaysinline" not in attributes:
            attributes.add("noinline")


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(typed_passes.BaseNativeLowering):
    _name = "lanewise_kernel_lowering"
    lowering_class = _KernelLower

    def run_pass(self, state):
        context, flags = state.targetctx, state.flags
        name = state.func_id.func_qualname
        library = state.library = _KernelLibrary(context.codegen(), name)
        fndesc = funcdesc.PythonFunctionDescriptor.from_specialized_function(
            state.func_ir, state.typemap, state.return_type, state.calltypes,
            mangler=context.mangler, inline=flags.forceinline, noalias=flags.noalias,
            abi_tags=[flags.get_mangle_string()],
        )  # fmt: skip
        with context.push_code_library(library):
            lower = _KernelLower(context, library, fndesc, state.func_ir, metadata=state.metadata)
            lower.lower()
        # never called: only the key under which other kernels find this one
        key = _dynfunc.make_function(
            fndesc.lookup_module(), name.split(".")[-1], "", 0, lower.env, (library,)
        )
        context.insert_user_function(key, fndesc, [library])
        state["cr"] = compiler._LowerResult(fndesc, lower.call_helper, cfunc=key, env=lower.env)
        return True


class _Passes(compiler.PassManager):
    """Runs passes and nothing else: Numba spends most of its time on checks between them."""

    def _runPass(self, index, pss, internal_state):
        pss.analysis = self._analysis
        pss.run_initialization(internal_state)
        pss.run_pass(internal_state)
        pss.run_finalizer(internal_state)


class _KernelCompiler(compiler.CompilerBase):
    """What kernels need of Numba's pipeline: no closures, no parallel loops, no exceptions."""

    def define_pipelines(self):
        pm = _Passes("kernel")
        for step in (
            untyped_passes.TranslateByteCode, untyped_passes.FixupArgs, untyped_passes.IRProcessing,
            untyped_passes.GenericRewrites, untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference, typed_passes.PreLowerStripPhis, _KernelLowering,
            typed_passes.NoPythonBackend,
        ):  # fmt: skip
            pm.add_pass(step, step.__name__)
        pm.finalize()
        return [pm]


class _FusedCompiler(_KernelCompiler):
    fused = True

    def compile_extra(self, func):
        FUSED.append(self.fused)
        try:
            return super().compile_extra(func)
        finally:
            FUSED.pop()


class _UnfusedCompiler(_FusedCompiler):
    fused = False


def dispatcher(python_function, inline, fused):
    """The Numba dispatcher of a kernel: the one place where the compiler's flags are set."""
    return njit(
        nogil=True, error_model="numpy", forceinline=inline,
        no_cpython_wrapper=True, no_cfunc_wrapper=True,
        pipeline_class=_FusedCompiler if fused else _UnfusedCompiler,
    )(python_function)  # fmt: skip


class _KernelFunction(types.Dispatcher):
    """A kernel as a callee: compiled for an int, not once for each constant it is called with."""

    def get_call_type(self, context, args, kws):
        return super().get_call_type(context, tuple(types.unliteral(t) for t in args), kws)


register_model(_KernelFunction)(models.OpaqueModel)


def register_kernel_type(kernel_class):
    """Let kernels call each other through their module's globals."""

    @typeof_impl.register(kernel_class)
    def _(kernel, c):
        return _KernelFunction(kernel.dispatcher(FUSED[-1]))


def _reachable(library, seen):
    """The library and all that it links, each once."""
    if library not in seen:
        seen.add(library)
        yield library
        for other in library._linking_libraries:
            yield from _reachable(other, seen)


def _export(name, cres):
    """A C function `void name(int64, ...)` that calls a kernel; structs come as addresses."""
    context, fndesc = registry.cpu_target.target_context, cres.fndesc
    module = ir.Module(f"export_{name}")
    argtypes = fndesc.argtypes
    fn = ir.Function(module, ir.FunctionType(ir.VoidType(), [I64] * len(argtypes)), name)
    builder = ir.IRBuilder(fn.append_basic_block())
    args = [
        builder.inttoptr(x, context.get_value_type(t)) if isinstance(t, StructType) else x
        for x, t in zip(fn.args, argtypes, strict=True)
    ]
    callee = context.declare_function(module, fndesc)
    context.call_conv.call_function(builder, callee, fndesc.restype, argtypes, args)
    builder.ret_void()
    return module


@contextmanager
def _no_collection():
    """Without the search for cycles, which finds little while Numba works and takes its time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_no_collection()
def compile_object(entries):
    """Object code with one C function for each of {name: (kernel, argument types)}."""
    try_ours_first()
    context = registry.cpu_target.target_context
    codegen = context.codegen()
    module = llvm.parse_assembly(str(codegen._create_empty_module("lanewise")))
    seen = set()
    for name, (kernel, argtypes) in entries.items():
        kernel.dispatcher().compile(argtypes)
        cres = kernel.dispatcher().overloads[argtypes]
        for library in _reachable(cres.library, seen):
            module.link_in(library._get_module_for_linking(), preserve=True)
        export = llvm.parse_assembly(cgutils.normalize_ir_text(str(_export(name, cres))))
        export.data_layout = codegen._data_layout
        module.link_in(export)
    for fn in module.functions:
        if not fn.is_declaration and fn.name not in entries:
            fn.linkage = "internal"
    module.verify()
    optimize(codegen._tm, module)
    return codegen._tm.emit_object(module), module


def optimize(target_machine, module):
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False  # lanes are vectors already
    options.loop_unrolling = False
    builder = llvm.create_pass_builder(target_machine, options)
    builder.getModulePassManager().run(module, builder)
