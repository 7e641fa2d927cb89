"""What is combined: out-of-fold scores of the members."""
