"""What all packages share: validation, parameters, threads, files, docstrings."""
