"""Slow, obvious twins of the compiled samplers."""

import numpy as np


def hit_and_run(cuts, start, n_samples, thin, burn, rng):
    w, samples = np.array(start, dtype=float), []
    for k in range(burn + thin * n_samples):
        v = np.array([rng.standard_normal() for _ in w])
        length = np.linalg.norm(v)
        back, forth = chord(cuts, w, v / length)
        w = w + (back + (forth - back) * rng.random()) * v / length
        if k >= burn and (k - burn) % thin == thin - 1:
            samples.append(w)
    return np.array(samples)


def billiard(cuts, start, direction, bounces):
    """A specular billiard in the cone and the ball: mean over the way, and the corners of it."""
    w, v = np.array(start, dtype=float), np.array(direction) / np.linalg.norm(direction)
    moment, way, corners = 0.0, 0.0, [w]
    for _ in range(bounces):
        slack, speed = cuts @ w, cuts @ v
        times = [-s / u if u < 0.0 else np.inf for s, u in zip(slack, speed, strict=True)]
        hit = int(np.argmin(times))
        sphere = -(w @ v) + np.sqrt(max((w @ v) ** 2 - (w @ w - 1.0), 0.0))
        time = max(min(times[hit], sphere), 0.0)
        moment, way = moment + time * (w + time * v / 2), way + time
        w = w + time * v
        normal = cuts[hit] if times[hit] <= sphere else w / np.linalg.norm(w)
        v = v - 2 * (v @ normal) * normal
        corners.append(w)
    return moment / way, np.array(corners)


def flights(cuts, start, n_samples, travel, rng):
    """Where arcs end, and their means, the latter by many small pieces."""
    w, ends, means = np.array(start, dtype=float), [], []
    for _ in range(n_samples):
        lengths = np.array([rng.standard_normal() for _ in w])
        w = w * np.linalg.norm(lengths) / np.linalg.norm(w)
        v = np.array([rng.standard_normal() for _ in w])
        left, mean, last = travel, 0.0, -1
        while left > 0.0:
            times = [
                np.pi if i == last else np.arctan2(cut @ w, -(cut @ v))
                for i, cut in enumerate(cuts)
            ]
            hit = int(np.argmin(times))
            time = min(times[hit], left)
            moments = (np.arange(2000) + 0.5) / 2000 * time
            arc = np.outer(np.cos(moments), w) + np.outer(np.sin(moments), v)
            mean = mean + time * arc.mean(axis=0)
            w, v = w * np.cos(time) + v * np.sin(time), v * np.cos(time) - w * np.sin(time)
            left -= time
            if left > 0.0:
                v = v - 2 * (v @ cuts[hit]) * cuts[hit]
                last = hit
        ends.append(w)
        means.append(mean / travel)
    return np.array(ends), np.array(means)


def chord(cuts: np.ndarray, w: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """How far one can go from w, back and forth along the unit v, in the cone and the ball."""
    along = float(w @ v)
    reach = np.sqrt(max(along**2 - float(w @ w) + 1.0, 0.0))
    slack, speed = cuts @ w, cuts @ v
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = -slack / speed
    back = max(np.max(hits[speed > 0.0], initial=-np.inf), -along - reach)
    forth = min(np.min(hits[speed < 0.0], initial=np.inf), -along + reach)
    return float(back), float(forth)
