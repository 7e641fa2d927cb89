"""Trees with one score per class in their leaves, beside other boosters: speed and quality."""
