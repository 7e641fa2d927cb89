"""Methods for wrong labels beside each other, with more or less known of the noise."""
