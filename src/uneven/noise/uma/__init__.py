"""UMA, the unconfused multiclass additive algorithm: class vectors from mislabelled rows.

`groups` sums up rows by predicted class and observed label, `spaces` makes update vectors of these
sums, `algorithm` is the run with its steps, and `classifier` the estimator around it.
"""
