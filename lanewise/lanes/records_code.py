"""Machine code of records.py: a declaration is a type, a record a pointer to its first member."""

from numba import types
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import lower_getattr_generic, models, register_model, typeof_impl

from . import records as p
from .lane_types import I64
from .primitives_code import machine_code


class DeclarationType(types.Dummy):
    """A Record, as a global of a kernel's module."""

    def __init__(self, record):
        self.record = record
        super().__init__(f"Declaration({record.name}: {','.join(record.members)})")


class RecordType(types.Type):
    """What record_at gives."""

    def __init__(self, record):
        self.record = record
        super().__init__(f"Record({record.name}: {','.join(record.members)})")


register_model(DeclarationType)(models.OpaqueModel)


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, I64.as_pointer())


@typeof_impl.register(p.Record)
def _(record, c):
    return DeclarationType(record)


def _type_record_at(address, declaration, k):
    if isinstance(declaration, DeclarationType) and all(
        isinstance(t, types.Integer) for t in (address, k)
    ):
        return RecordType(declaration.record)
    return None


@machine_code(p.record_at, _type_record_at)
def _(context, builder, sig, args):
    address, k = (context.cast(builder, args[i], sig.args[i], types.int64) for i in (0, 2))
    distance = builder.mul(k, I64(sig.return_type.record.nbytes))
    return builder.inttoptr(builder.add(address, distance), I64.as_pointer())


@infer_getattr
class _RecordAttribute(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, ty, attr):
        return types.int64 if attr in ty.record.members else None


@lower_getattr_generic(RecordType)
def _(context, builder, ty, pointer, attr):
    return builder.load(builder.gep(pointer, [I64(ty.record.members[attr])]), align=8)
