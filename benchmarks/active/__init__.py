"""Rules that choose which rows to label, beside scikit-activeml's, around the same classifier."""
