"""Failures that the user can do something about, as one family of exceptions.

Every message is one line that names the file, and the line where there is one, and says what to do. Bugs of this
package are ordinary Python exceptions.
"""


def reason(error: OSError) -> str:
    """Say why the system refused; pandas raises errors that have a message but no number."""
    return error.strerror or str(error)


class LaxityError(Exception):
    """A failure that the user can do something about."""


class RunDirectoryError(LaxityError):
    """A run directory that is missing, malformed or of another format version."""


class ReportError(LaxityError):
    """A report that cannot be made or written."""
