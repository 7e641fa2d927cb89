"""The parts of the page, one file each; a part that has nothing to say returns None."""
