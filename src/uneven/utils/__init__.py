"""What every room shares: validation, parameters, threads, files, docstrings."""
