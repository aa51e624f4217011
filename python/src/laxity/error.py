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


class UsageError(LaxityError, ValueError):
    """An argument that makes no sense."""


class TypeMismatch(LaxityError, TypeError):
    """An array whose dtype or shape is not that of the channel, or ends of a channel made for different ones."""


class FrameInUse(LaxityError, BufferError):
    """A pull while an array that `Outlet.get` returned still lives."""


class DamagedFrame(LaxityError):
    """A received frame that no inlet of this channel has written."""


class ModelError(LaxityError):
    """A simulation model that violates a rule, raises, or cannot be compiled."""


class WorkerError(LaxityError):
    """A worker that raised, or whose process was killed.

    Attributes
    ----------
    worker : int
        Its number.
    traceback : str
        Where it raised, as text; empty if it was killed. It is also the cause of this exception.
    """

    def __init__(self, message: str, worker: int = 0, traceback: str = "") -> None:
        super().__init__(message)
        self.worker = worker
        self.traceback = traceback
