"""Compiles the functions of a model by numba into C functions that the engine calls by their addresses.

``lp`` is an opaque pointer for numba, with the methods and attributes of `simulation.Context`; each is a call of a C
function. States and events are records in the memory of the engine.

Elsewhere: the model (``simulation``), the C interface (``laxity/timewarp/c_model.h``).
"""

# numba compares the arguments of an overload with those of its implementation, and ignores annotations.
# ruff: noqa: ARG001
# mypy: ignore-errors
from __future__ import annotations

import re
from functools import cache

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, overload_attribute, overload_method, register_model

from laxity.error import ModelError
from laxity.simulation import CONTEXT_FUNCTIONS, Functions, Model


class ContextType(types.Type):
    """The type of ``lp`` for models with this type of event."""

    def __init__(self, event: types.Record) -> None:
        self.event_type = event
        super().__init__(name=f"laxity.Context({event})")


@register_model(ContextType)
class _ContextModel(models.OpaqueModel):
    pass


@intrinsic
def _address(typing, value):
    """Return the address of an ``lp`` or of a record."""
    del typing

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))

    return types.voidptr(value), generate


@intrinsic
def _new_event(typing, lp):
    """Make an event of zeros on the stack."""
    del typing

    def generate(context, builder, signature, arguments):
        del arguments
        size = signature.return_type.size
        place = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(8), size))
        cgutils.memset(builder, place, ir.Constant(ir.IntType(64), size), 0)
        return builder.bitcast(place, context.get_value_type(signature.return_type))

    return lp.event_type(lp), generate


_self, _logical_processes, _now, _send, _random_bits, _random_unit, _random_below = (
    CONTEXT_FUNCTIONS[name]
    for name in ("self", "logical_processes", "now", "send", "random_bits", "random_unit", "random_below")
)


@overload_attribute(ContextType, "self")
def _get_self(lp):
    return lambda lp: _self(_address(lp))


@overload_attribute(ContextType, "logical_processes")
def _get_logical_processes(lp):
    return lambda lp: _logical_processes(_address(lp))


@overload_attribute(ContextType, "now")
def _get_now(lp):
    return lambda lp: _now(_address(lp))


@overload_method(ContextType, "event", inline="always")  # the event lies on the stack of the function that asks for it
def _make_event(lp):
    def event(lp):
        return _new_event(lp)

    return event


@overload_method(ContextType, "send")
def _send_event(lp, to, delay, event):
    if event != lp.event_type:
        raise TypingError(f"send of {event}: the events of the model are {lp.event_type}")

    def send(lp, to, delay, event):
        _send(_address(lp), types.uint32(to), types.float64(delay), _address(event))

    return send


@overload_method(ContextType, "random_bits")
def _draw_bits(lp):
    return lambda lp: _random_bits(_address(lp))


@overload_method(ContextType, "random_unit")
def _draw_unit(lp):
    return lambda lp: _random_unit(_address(lp))


@overload_method(ContextType, "random_below")
def _draw_below(lp, bound):
    return lambda lp, bound: _random_below(_address(lp), types.uint32(bound))


@cache
def compile_model(model: Model) -> Functions:
    """Compile the functions of a model, once; ModelError if numba cannot."""
    state, event = numba.from_dtype(model.state), numba.from_dtype(model.event)

    @intrinsic
    def context_at(typing, pointer):
        del typing

        def generate(context, builder, signature, arguments):
            return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))

        return ContextType(event)(pointer), generate

    init = numba.njit(model.init)
    state_pointer, event_pointer = types.CPointer(state), types.CPointer(event)

    def call_init(context, at, parameters):
        init(context_at(context), numba.carray(at, 1)[0])

    def caller_of(function):
        called = numba.njit(function)

        def call(context, at, received, parameters):
            called(context_at(context), numba.carray(at, 1)[0], numba.carray(received, 1)[0])

        return call

    of_event = types.void(types.voidptr, state_pointer, event_pointer, types.voidptr)
    compiled = {
        "init": _compiled(model.init, call_init, types.void(types.voidptr, state_pointer, types.voidptr)),
        "handle": _compiled(model.handle, caller_of(model.handle), of_event),
    }
    if model.reverse is not None:
        compiled["reverse"] = _compiled(model.reverse, caller_of(model.reverse), of_event)
    if model.commit is not None:
        commit = numba.njit(model.commit)
        record_pointer = types.CPointer(numba.from_dtype(model.record))

        def call_commit(process, time, committed, at):
            commit(process, time, numba.carray(committed, 1)[0], numba.carray(at, 1)[0])

        of_commit = types.void(types.uint32, types.float64, event_pointer, record_pointer)
        compiled["commit"] = _compiled(model.commit, call_commit, of_commit)
    return {name: function.address for name, function in compiled.items()}, list(compiled.values())


def _compiled(function, caller, signature):
    try:
        return numba.cfunc(signature)(caller)
    except Exception as error:  # numba lets through what its own code raises, such as a KeyError for a missing field
        code, text = function.__code__, str(error)
        lines = re.findall(rf"typing of .* at {re.escape(code.co_filename)} \((\d+)\)", text)
        reasons = [
            line.removeprefix("TypingError: ")
            for line in map(str.strip, text.splitlines())
            if line and "nopython mode" not in line and not line.startswith("- Resolution failure")
        ]
        # The reason that an overload gives is more exact than that no overload fits.
        reason = next((line for line in reasons if line.startswith("send of ")), reasons[0] if reasons else repr(error))
        where = f"{code.co_filename}:{lines[-1] if lines else code.co_firstlineno}"
        raise ModelError(f"{function.__name__}() in {where}: numba cannot compile it: {reason}") from None
