"""``python -m uneven`` is the command line."""

from uneven.cli import main

if __name__ == "__main__":
    main()
