"""What is minimised: a linear combination of scores, a loss of it, a penalty on its weights."""
