"""Tests of the library; a package, so that no other package called tests is found in its place."""
