"""Vector additions over a few neighbouring numbers, and the memory they like.

Numba does not turn a short inner loop over classes into vector instructions by itself, and that
loop is where the time of boosting goes. ``add_lanes4`` and ``add_lanes8`` emit the addition
directly: ``target.flat[to:to+4] += source.flat[at:at+4]``, without any check of the range. They
are a quarter faster where rows of eight numbers start at a multiple of 64 bytes, the length of a
cache line: hence the aligned arrays.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic


def _lane_adder(lanes: int):
    @intrinsic
    def add(typing_context, target, to, source, at):
        signature = types.void(target, types.intp, source, types.intp)

        def generate(context, builder, signature, args):
            vector = ir.VectorType(ir.DoubleType(), lanes).as_pointer()

            def pointer(array_type, array, offset):
                data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
                return builder.bitcast(builder.gep(data, [offset]), vector)

            there = pointer(signature.args[0], args[0], args[1])
            here = pointer(signature.args[2], args[2], args[3])
            total = builder.fadd(builder.load(there, align=8), builder.load(here, align=8))
            builder.store(total, there, align=8)
            return context.get_dummy_value()

        return signature, generate

    return add


add_lanes4 = _lane_adder(4)
add_lanes8 = _lane_adder(8)


def _pointer(context, builder, array_type, array, offset):
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.gep(data, [offset])


@intrinsic
def prefetch(typing_context, array, at):
    """Prefetch ``array.flat[at]``; nothing happens where there is no such."""
    signature = types.void(array, types.intp)

    def generate(context, builder, signature, args):
        byte = ir.IntType(8).as_pointer()
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        there = _pointer(context, builder, signature.args[0], args[0], args[1])
        read, keep, data = (ir.Constant(word, number) for number in (0, 3, 1))
        builder.call(hint, [builder.bitcast(there, byte), read, keep, data])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def count_bits(typing_context, word):
    """How many bits of a uint64 are set."""
    signature = types.int64(types.uint64)

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return signature, generate


def _row_adder(lanes: int):
    """Add one row of 16-bit numbers to a histogram of 32-bit ones, in the bin of each column."""
    short = ir.VectorType(ir.IntType(16), lanes).as_pointer()
    wide = ir.VectorType(ir.IntType(32), lanes)
    width = ir.Constant(ir.IntType(64), lanes)

    @intrinsic
    def add(typing_context, histogram, first, column, codes, at, n_columns, values, row):
        signature = types.void(
            histogram, first, types.intp, codes, types.intp, types.intp, values, types.intp
        )

        def generate(context, builder, signature, args):
            kinds = signature.args

            def element(k, offset):
                return _pointer(context, builder, kinds[k], args[k], offset)

            source = builder.bitcast(element(6, builder.mul(args[7], width)), short)
            value = builder.sext(builder.load(source, align=2), wide)
            with cgutils.for_range(builder, args[5]) as loop:
                code = builder.load(element(3, builder.add(args[4], loop.index)))
                start = builder.load(element(1, builder.add(args[2], loop.index)))
                bin_ = builder.add(start, builder.zext(code, ir.IntType(64)))
                there = element(0, builder.mul(bin_, width))
                there = builder.bitcast(there, wide.as_pointer())
                builder.store(builder.add(builder.load(there, align=4), value), there, align=4)
            return context.get_dummy_value()

        return signature, generate

    return add


def _bin_adder(lanes: int):
    """The same for the bins of one row, given one after another."""
    short = ir.VectorType(ir.IntType(16), lanes).as_pointer()
    wide = ir.VectorType(ir.IntType(32), lanes)
    width = ir.Constant(ir.IntType(64), lanes)

    @intrinsic
    def add(typing_context, histogram, bin_, values, row):
        signature = types.void(histogram, types.intp, values, types.intp)

        def generate(context, builder, signature, args):
            def element(k, offset):
                array = _pointer(context, builder, signature.args[k], args[k], offset)
                return array

            source = builder.bitcast(element(2, builder.mul(args[3], width)), short)
            there = builder.bitcast(element(0, builder.mul(args[1], width)), wide.as_pointer())
            value = builder.sext(builder.load(source, align=2), wide)
            builder.store(builder.add(builder.load(there, align=4), value), there, align=4)
            return context.get_dummy_value()

        return signature, generate

    return add


def _halved(builder, vector, lanes, join):
    """Join the halves of a vector until one number is left."""
    index = ir.IntType(32)
    while lanes > 1:
        half = lanes // 2
        undefined = ir.Constant(vector.type, ir.Undefined)
        parts = [
            builder.shuffle_vector(
                vector,
                undefined,
                ir.Constant(ir.VectorType(index, half), list(range(start, start + half))),
            )
            for start in (0, half)
        ]
        vector, lanes = join(*parts), half
    return builder.extract_element(vector, ir.Constant(index, 0))


def _square_length(builder, side, lanes):
    """Squared length of all lanes but the last one; the order of the additions is fixed."""
    real = ir.VectorType(ir.FloatType(), lanes)
    mask = ir.Constant(real, [1.0] * (lanes - 1) + [0.0])
    values = builder.fmul(builder.sitofp(side, real), mask)
    return _halved(builder, builder.fmul(values, values), lanes, builder.fadd)


def _running_squares(lanes: int):
    """Squared lengths of both sides of every cut between neighbouring bins.

    ``begin`` goes left before the first bin; the running sums are kept in a register. All lanes
    count but the last one. Of each bin whose last lane is not 0, the squared lengths, the last
    lane of the left side and the number of the bin are written. How many there are is returned.
    """
    whole = ir.VectorType(ir.IntType(32), lanes)
    long = ir.IntType(64)
    last = ir.Constant(ir.IntType(32), lanes - 1)

    @intrinsic
    def squares(typing_context, source, first, n_bins, begin, total, near, far, weight, bins):
        arrays = (begin, total, near, far, weight, bins)
        signature = types.intp(source, types.intp, types.intp, *arrays)

        def generate(context, builder, signature, args):
            zero = ir.Constant(long, 0)

            def element(k, offset):
                return _pointer(context, builder, signature.args[k], args[k], offset)

            def vector(k, offset):
                there = builder.bitcast(element(k, offset), whole.as_pointer())
                return builder.load(there, align=4)

            left, size = cgutils.alloca_once(builder, whole), cgutils.alloca_once(builder, long)
            builder.store(vector(3, zero), left)
            builder.store(zero, size)
            everything = vector(4, zero)
            with cgutils.for_range(builder, args[2]) as loop:
                place = builder.add(args[1], loop.index)
                added = vector(0, builder.mul(place, ir.Constant(long, lanes)))
                own = builder.extract_element(added, last)
                used = builder.icmp_signed("!=", own, ir.Constant(ir.IntType(32), 0))
                with builder.if_then(used):
                    here = builder.add(builder.load(left), added)
                    builder.store(here, left)
                    m = builder.load(size)
                    for k, side in ((5, here), (6, builder.sub(everything, here))):
                        builder.store(_square_length(builder, side, lanes), element(k, m))
                    builder.store(builder.extract_element(here, last), element(7, m))
                    builder.store(loop.index, element(8, m))
                    builder.store(builder.add(m, ir.Constant(long, 1)), size)
            return builder.load(size)

        return signature, generate

    return squares


add_row2, add_row4, add_row8 = (_row_adder(lanes) for lanes in (2, 4, 8))
add_bin2, add_bin4, add_bin8 = (_bin_adder(lanes) for lanes in (2, 4, 8))
running2, running4, running8 = (_running_squares(lanes) for lanes in (2, 4, 8))


def _two_sides(lanes: int, reduce):
    """A function of ``left[at:]`` and ``total[to:] - left[at:]``, with one number for each.

    ``allowed`` has as many entries as ``left`` has lanes: 0 for those that count, infinity for
    others. ``reduce(builder, side, allowed, start)`` makes a number of a side and an earlier one.
    """
    vector = ir.VectorType(ir.DoubleType(), lanes)

    @intrinsic
    def sides(typing_context, left, at, total, to, allowed, lane, first, second):
        kinds = (left, types.intp, total, types.intp, allowed, types.intp)
        signature = types.UniTuple(types.float64, 2)(*kinds, types.float64, types.float64)

        def generate(context, builder, signature, args):
            def loaded(k):
                there = _pointer(context, builder, signature.args[k], args[k], args[k + 1])
                return builder.load(builder.bitcast(there, vector.as_pointer()), align=8)

            near, whole, ceiling = loaded(0), loaded(2), loaded(4)
            far = builder.fsub(whole, near)
            found = [
                reduce(builder, side, ceiling, start) for side, start in zip((near, far), args[6:8])
            ]
            return context.make_tuple(builder, signature.return_type, found)

        return signature, generate

    return sides


def _least(builder, side, ceiling, start):
    def smaller(a, b):
        return builder.select(builder.fcmp_ordered("<", a, b), a, b)

    raised = builder.fadd(side, ceiling)
    return smaller(_halved(builder, raised, raised.type.count, smaller), start)


def _squared(builder, side, ceiling, start):
    """Squares are added one after another, as a plain loop would do."""
    nothing = ir.Constant(side.type, [0.0] * side.type.count)
    counted = builder.select(builder.fcmp_ordered("==", ceiling, nothing), side, nothing)
    squares = builder.fmul(counted, counted)
    for lane in range(side.type.count):
        start = builder.fadd(
            start, builder.extract_element(squares, ir.Constant(ir.IntType(32), lane))
        )
    return start


least_lanes4 = _two_sides(4, _least)
square_lanes4 = _two_sides(4, _squared)


@njit(cache=True, nogil=True)
def aligned_empty(size):
    """An uninitialised array of ``size`` doubles that starts at a multiple of 64 bytes."""
    room = np.empty(size + 8)
    first = (-(room.ctypes.data // 8)) % 8
    return room[first : first + size]


def aligned_zeros(shape: tuple[int, ...]) -> np.ndarray:
    """An array of zeros that starts at a multiple of 64 bytes.

    Examples
    --------
    >>> aligned_zeros((3, 8)).ctypes.data % 64
    0
    """
    size = int(np.prod(shape))
    room = np.zeros(size + 8)
    first = (-(room.ctypes.data // 8)) % 8
    return room[first : first + size].reshape(shape)
