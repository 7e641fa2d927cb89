"""What the labelling page and ``uneven serve`` share: a server, and a guard before it."""
