"""How it is minimised: one strength, a path of strengths, and the choice among them."""
