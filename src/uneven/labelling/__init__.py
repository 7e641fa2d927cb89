"""A page in the browser on which people label the most informative rows of a table.

``uneven label`` and :func:`uneven.active.serve` open it. Answers are kept in a SQLite file; an
answer is acknowledged only after it is on the disk. Needs the extra ``label``.
"""
