"""Choose which labels to ask for."""
