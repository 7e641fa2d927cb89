"""Methods for several views beside each other, views whole and missing in a part of the rows."""
