"""From probabilities to answers: pools, class factors, costs, constraints, changed priors."""
