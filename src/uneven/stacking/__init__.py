"""Many classifiers: learn by margin how to join them, and drop those that add nothing."""
