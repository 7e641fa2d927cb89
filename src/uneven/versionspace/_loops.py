"""Compiled inner loops of the samplers and of the compression perceptron.

Each of them has a slow NumPy twin in the tests. Samplers draw chords, chords that bounce and arcs
that bounce. The cuts come as columns, ``(n_dims, n_cuts)``, so that products of all cuts with a
direction run along memory. Slacks are kept up to date step by step and made anew now and then; a
bounce needs no product at all if the products of the cuts with each other are given. Slacks never
get below `TINY`, so the first cut hit is the one with the largest ``-speed / slack``, without a
case for cuts that are left behind. The compression perceptron needs marks of rows, and corrections
on a few cuts.
"""

from __future__ import annotations

import numpy as np
from numba import njit

TINY = 1e-300
"""Slack of a point on a cut: positive, so that it can be divided by."""

REFRESH = 256
"""Steps after which rounding errors in the slacks are thrown away."""

STUCK = 100
"""Bounces of no length in a row after which a corner is left by a new direction."""

NO_LENGTH = 1e-14

SPECULAR, LAMBERT, RESET = range(3)
"""What happens at the sphere."""


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def multiply(columns, v, out):
    """Write the products of all cuts with v.

    Parameters
    ----------
    columns : (D, n)
    v : (D,)
    out : (n,) output
    """
    n_dims, n_cuts = columns.shape
    out[:] = 0.0
    paired = n_dims - n_dims % 4
    for d in range(0, paired, 4):
        a, b, c, e = v[d], v[d + 1], v[d + 2], v[d + 3]
        for i in range(n_cuts):
            out[i] += (
                a * columns[d, i]
                + b * columns[d + 1, i]
                + c * columns[d + 2, i]
                + e * columns[d + 3, i]
            )
    for d in range(paired, n_dims):
        a = v[d]
        for i in range(n_cuts):
            out[i] += a * columns[d, i]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz", "reassoc"})
def extreme_rates(speed, slack):
    """Smallest and largest ``-speed / slack``, or zero; their inverses end the chord."""
    low, high = 0.0, 0.0
    for i in range(speed.shape[0]):
        rate = -speed[i] / slack[i]
        low = min(low, rate)
        high = max(high, rate)
    return low, high


@njit(cache=True, nogil=True, error_model="numpy")
def first_hit(speed, slack):
    """The cut that is hit first, lowest index on ties; -1 without cuts."""
    hit, high = -1, -np.inf
    for i in range(speed.shape[0]):
        rate = -speed[i] / slack[i]
        if rate > high:
            hit, high = i, rate
    return hit


@njit(cache=True, nogil=True, error_model="numpy")
def renew_slacks(columns, offsets, w, slack):
    """Write ``cuts @ w - offsets``, at least `TINY`."""
    multiply(columns, w, slack)
    for i in range(slack.shape[0]):
        slack[i] = max(slack[i] - offsets[i], TINY)


@njit(cache=True, nogil=True, error_model="numpy")
def reach(w, v, radial, squared_speed):
    """Times back and forth at which ``w + t v`` is on the unit sphere."""
    squared = 0.0
    for d in range(w.shape[0]):
        squared += w[d] * w[d]
    root = np.sqrt(max(radial * radial - squared_speed * (squared - 1.0), 0.0))
    return min((-radial - root) / squared_speed, 0.0), max((-radial + root) / squared_speed, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def hit_and_run_steps(columns, offsets, ball, w, burn, thin, rng, samples):
    """Walk by hit-and-run; return whether every chord was finite.

    Parameters
    ----------
    columns : (D, n), the cuts
    offsets : (n,), least product with each cut
    ball : bool, whether the unit ball bounds the body too
    w : (D,), a point inside, changed
    burn : int, steps before the first sample that is kept
    thin : int, steps per sample
    rng : Generator
    samples : (N, D) output
    """
    n_dims, n_cuts = columns.shape
    v, speed, slack = np.empty(n_dims), np.empty(n_cuts), np.empty(n_cuts)
    for k in range(burn + thin * samples.shape[0]):
        if k % REFRESH == 0:
            renew_slacks(columns, offsets, w, slack)
        squared_speed, radial = 0.0, 0.0
        for d in range(n_dims):
            v[d] = rng.standard_normal()
            squared_speed += v[d] * v[d]
            radial += v[d] * w[d]
        multiply(columns, v, speed)
        low, high = extreme_rates(speed, slack)
        back = 1.0 / low if low < 0.0 else -np.inf
        forth = 1.0 / high if high > 0.0 else np.inf
        if ball:
            sphere = reach(w, v, radial, squared_speed)
            back, forth = max(back, sphere[0]), min(forth, sphere[1])
        if not (back > -np.inf and forth < np.inf):
            return False
        step = back + (forth - back) * rng.random()
        for d in range(n_dims):
            w[d] += step * v[d]
        for i in range(n_cuts):
            slack[i] = max(slack[i] + step * speed[i], TINY)
        kept = k - burn
        if kept >= 0 and kept % thin == thin - 1:
            samples[kept // thin] = w
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def mirror(cuts, columns, gram, hit, v, speed, change):
    """Reflect a direction at a cut and bring the speeds along.

    Parameters
    ----------
    cuts : (n, D)
    columns : (D, n)
    gram : (n, n), products of the cuts with each other, or (0, 0)
    hit : int
    v : (D,), changed
    speed : (n,), changed
    change : (n,), scratch
    """
    twice = 2.0 * speed[hit]
    for d in range(v.shape[0]):
        v[d] -= twice * cuts[hit, d]
    if gram.shape[0]:
        for i in range(speed.shape[0]):
            speed[i] -= twice * gram[hit, i]
    else:
        multiply(columns, cuts[hit], change)
        for i in range(speed.shape[0]):
            speed[i] -= twice * change[i]


@njit(cache=True, nogil=True, error_model="numpy")
def draw_direction(rng, v):
    """Write a random unit vector."""
    squared = 0.0
    for d in range(v.shape[0]):
        v[d] = rng.standard_normal()
        squared += v[d] * v[d]
    v /= np.sqrt(squared)


@njit(cache=True, nogil=True, error_model="numpy")
def lambert(rng, p, v):
    """Write a direction into the ball at p by Lambert's law: its shadow on the wall is uniform."""
    n_dims = p.shape[0]
    draw_direction(rng, v)
    v -= np.dot(v, p) * p
    length = np.sqrt(np.dot(v, v))
    if n_dims > 1 and length > 0.0:
        v *= rng.random() ** (1.0 / (n_dims - 1)) / length
    v -= np.sqrt(max(1.0 - np.dot(v, v), 0.0)) * p


@njit(cache=True, nogil=True, error_model="numpy")
def bounce_at_sphere(mode, rng, columns, offsets, moment, total, w, v, speed, slack):
    """Choose how to continue from a point w of the unit sphere."""
    w /= np.sqrt(np.dot(w, w))
    if mode == SPECULAR:
        twice = 2.0 * np.dot(v, w)
        v -= twice * w
        for i in range(speed.shape[0]):
            speed[i] -= twice * (slack[i] + offsets[i])
        return
    if mode == LAMBERT:
        lambert(rng, w, v)
    else:
        w[:] = moment / total
        draw_direction(rng, v)
        renew_slacks(columns, offsets, w, slack)
    multiply(columns, v, speed)


@njit(cache=True, nogil=True, error_model="numpy")
def leave_corner(rng, columns, start, room, w, v, speed):
    """Head for a random point near the start, which is inside."""
    draw_direction(rng, v)
    v *= room * rng.random() ** (1.0 / v.shape[0])
    v += start - w
    length = np.sqrt(np.dot(v, v))
    if length > 0.0:
        v /= length
    else:
        draw_direction(rng, v)
    multiply(columns, v, speed)


@njit(cache=True, nogil=True, error_model="numpy")
def bounce(cuts, columns, gram, offsets, ball, mode, start, room, rng, w, v, moment, points):
    """Let a ball fly and bounce; return whether every chord was finite.

    Parameters
    ----------
    cuts : (n, D)
    columns : (D, n)
    gram : (n, n), products of the cuts with each other, or (0, 0)
    offsets : (n,)
    ball : bool
    mode : int, one of the constants above
    start : (D,), a point inside that balls stuck in a corner head for
    room : float, radius of a ball around it that is inside
    rng : Generator
    w : (D,), changed
    v : (D,), unit vector, changed
    moment : (D + 1,), sum of midpoints by length, and sum of lengths; changed
    points : (N, 2, D) output, both ends of every chord

    Returns
    -------
    bool
        Whether every chord was finite.
    """
    n_dims, n_cuts = columns.shape
    speed, slack, scratch = np.empty(n_cuts), np.empty(n_cuts), np.empty(n_cuts)
    idle = 0
    for k in range(points.shape[0]):
        if k % REFRESH == 0:
            v /= np.sqrt(np.dot(v, v))
            renew_slacks(columns, offsets, w, slack)
            multiply(columns, v, speed)
        hit = first_hit(speed, slack)
        time = np.inf
        if hit >= 0 and speed[hit] < 0.0:
            time = -slack[hit] / speed[hit]
        at_sphere = False
        if ball:
            sphere = reach(w, v, np.dot(w, v), np.dot(v, v))[1]
            at_sphere = sphere < time
            time = min(time, sphere)
        if time == np.inf:
            return False
        points[k, 0] = w
        moment[:n_dims] += time * (w + 0.5 * time * v)
        moment[n_dims] += time
        w += time * v
        points[k, 1] = w
        for i in range(n_cuts):
            slack[i] = max(slack[i] + time * speed[i], TINY)
        idle = idle + 1 if time <= NO_LENGTH else 0
        if idle > STUCK:
            leave_corner(rng, columns, start, room, w, v, speed)
            idle = 0
        elif at_sphere:
            estimate, total = moment[:n_dims], moment[n_dims]
            bounce_at_sphere(mode, rng, columns, offsets, estimate, total, w, v, speed, slack)
        else:
            slack[hit] = TINY
            mirror(cuts, columns, gram, hit, v, speed, scratch)
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def draw_radius(rng, w, slack):
    """Give w a new length, that of a normal vector, and keep its direction."""
    fresh, old = 0.0, 0.0
    for d in range(w.shape[0]):
        x = rng.standard_normal()
        fresh += x * x
        old += w[d] * w[d]
    factor = np.sqrt(fresh / old)
    w *= factor
    for i in range(slack.shape[0]):
        slack[i] = max(slack[i] * factor, TINY)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def turn(x, y, cosine, sine):
    """Turn pairs (position, speed) by an angle, in place."""
    for k in range(x.shape[0]):
        moved = x[k] * cosine + y[k] * sine
        y[k] = y[k] * cosine - x[k] * sine
        x[k] = moved


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nnan", "nsz"})
def turn_slacks(slack, speed, cosine, sine):
    """The same for slacks and their speeds; no slack gets below `TINY`."""
    for i in range(slack.shape[0]):
        moved = slack[i] * cosine + speed[i] * sine
        speed[i] = speed[i] * cosine - slack[i] * sine
        slack[i] = max(moved, TINY)


@njit(cache=True, nogil=True, error_model="numpy")
def fly_arcs(cuts, columns, gram, travel, limit, rng, w, samples, averages):
    """Sample a normal vector kept inside the cone; arcs ``w cos t + v sin t`` bounce off the cuts.

    Parameters
    ----------
    cuts : (n, D)
    columns : (D, n)
    gram : (n, n), products of the cuts with each other, or (0, 0)
    travel : float, time of a flight; then length and speed are drawn anew
    limit : int, bounces after which a flight ends early
    rng : Generator
    w : (D,), inside, changed
    samples : (N, D) output, where the flights ended
    averages : (N, D) output, means over the flights

    Returns
    -------
    float
        Time flown.
    """
    n_dims, n_cuts = columns.shape
    v, speed = np.empty(n_dims), np.empty(n_cuts)
    slack, scratch = np.empty(n_cuts), np.empty(n_cuts)
    offsets = np.zeros(n_cuts)
    total, bounces = 0.0, 0
    for k in range(samples.shape[0]):
        if k % (REFRESH // 16) == 0 or bounces > REFRESH:
            renew_slacks(columns, offsets, w, slack)
        draw_radius(rng, w, slack)
        for d in range(n_dims):
            v[d] = rng.standard_normal()
        multiply(columns, v, speed)
        left, bounces = travel, 0
        mean = averages[k]
        mean[:] = 0.0
        while left > 0.0:
            hit = first_hit(speed, slack)
            time = np.pi if hit < 0 else np.arctan2(slack[hit], -speed[hit])
            time = min(time, left)
            cosine, sine = np.cos(time), np.sin(time)
            for d in range(n_dims):
                mean[d] += w[d] * sine + v[d] * (1.0 - cosine)
            turn(w, v, cosine, sine)
            turn_slacks(slack, speed, cosine, sine)
            left -= time
            if left > 0.0 and hit >= 0:
                slack[hit] = TINY
                mirror(cuts, columns, gram, hit, v, speed, scratch)
            bounces += 1
            if bounces >= limit:
                break
        flown = travel - left
        if flown > 0.0:
            mean /= flown
        else:
            mean[:] = w
        samples[k] = w
        total += flown
    return total


LOWEST_MARGIN, CYCLIC, RANDOM = range(3)
"""Ways to choose the next cut to correct."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True)
def stir(mark):
    """Spread a 64-bit number over all 64-bit numbers, one to one."""
    mark = (mark ^ (mark >> np.uint64(30))) * _FIRST
    mark = (mark ^ (mark >> np.uint64(27))) * _SECOND
    return mark ^ (mark >> np.uint64(31))


@njit(cache=True, nogil=True)
def mark_dense(bits, seed, marks):
    """Write a number for each row that depends on its entries other than zero and on the seed.

    Parameters
    ----------
    bits : (n, D) uint64, the bits of the entries
    seed : uint64
    marks : (n,) uint64 output
    """
    for i in range(bits.shape[0]):
        mark = stir(seed + _ODD)
        for d in range(bits.shape[1]):
            if bits[i, d] << np.uint64(1) != np.uint64(0):
                mark = stir(mark ^ stir(np.uint64(d) + _ODD) ^ bits[i, d])
        marks[i] = mark


@njit(cache=True, nogil=True)
def mark_sparse(bits, indices, indptr, seed, marks):
    """The same as `mark_dense` for a CSR table with sorted columns."""
    for i in range(marks.shape[0]):
        mark = stir(seed + _ODD)
        for k in range(indptr[i], indptr[i + 1]):
            if bits[k] << np.uint64(1) != np.uint64(0):
                mark = stir(mark ^ stir(np.uint64(indices[k]) + _ODD) ^ bits[k])
        marks[i] = mark


@njit(cache=True, nogil=True, error_model="numpy")
def correct_cuts(gram, pick, rng, limit, counts, margins):
    """Add cuts to w until all have a positive product with it; return how often.

    Parameters
    ----------
    gram : (m, m) or larger, products of the cuts
    pick : int, one of the constants above
    rng : Generator, for the orders of RANDOM
    limit : int, largest number of additions
    counts : (m,) int, changed: how often each cut was added
    margins : (m,), changed: products of the cuts with w
    """
    m = margins.shape[0]
    done = 0
    if pick == LOWEST_MARGIN:
        while done < limit:
            lowest = 0
            for j in range(1, m):
                if margins[j] < margins[lowest]:
                    lowest = j
            if margins[lowest] > 0.0:
                break
            _add(gram, lowest, counts, margins)
            done += 1
        return done
    order = np.arange(m)
    clean = False
    while not clean and done < limit:
        clean = True
        if pick == RANDOM:
            for j in range(m - 1, 0, -1):
                k = int(rng.random() * (j + 1))
                order[j], order[k] = order[k], order[j]
        for i in order:
            if margins[i] <= 0.0 and done < limit:
                _add(gram, i, counts, margins)
                done += 1
                clean = False
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def _add(gram, i, counts, margins):
    counts[i] += 1
    for j in range(margins.shape[0]):
        margins[j] += gram[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def widen_cuts(gram, share, limit, weights, margins):
    """Shorten the mean w of the cuts until all products with it are a share of its squared length.

    Parameters
    ----------
    gram : (m, m) or larger, products of the cuts
    share : float below 1
    limit : int, largest number of steps
    weights : (m,), changed: of the cuts, which add up to 1, or all zero to begin with
    margins : (m,), changed: products of the cuts with w

    Returns how many steps were made; zero if none shortens w.
    """
    m = margins.shape[0]
    done = 0
    square = 0.0
    for j in range(m):
        square += weights[j] * margins[j]
    while done < limit:
        lowest = 0
        for j in range(1, m):
            if margins[j] < margins[lowest]:
                lowest = j
        if margins[lowest] > share * square:
            break
        own = gram[lowest, lowest]
        step = 1.0
        if square > 0.0:
            apart = square - 2.0 * margins[lowest] + own
            step = min((square - margins[lowest]) / apart, 1.0)
        if not step > 0.0:
            break
        square = (
            (1.0 - step) ** 2 * square + 2.0 * step * (1.0 - step) * margins[lowest] + step**2 * own
        )
        for j in range(m):
            weights[j] *= 1.0 - step
            margins[j] = (1.0 - step) * margins[j] + step * gram[lowest, j]
        weights[lowest] += step
        done += 1
    return done
