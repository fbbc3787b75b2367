"""The errors a person can meet, each saying what is wrong, with which file, and what to do."""

from __future__ import annotations


class EngineError(Exception):
    """Something expected went wrong; the session stays usable.

    Parameters
    ----------
    message
        What is wrong and with which file, in one line of plain words. Before a hint it ends with
        a full stop, which is added where it is missing.
    hint
        What the person can do about it, in sentences; may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        if hint and not message.endswith((".", "?", "!", "…")):
            message += "."
        super().__init__(message)
        self.message = message
        self.hint = hint


class DatasetError(EngineError):
    """A folder or table as a whole cannot be read. Single bad files are `ItemProblem` values."""


class EmbeddingError(EngineError):
    """Features cannot be computed: weights missing or altered, non-finite values."""


class ParameterError(EngineError):
    """A strategy, method, embedder or one of its parameters does not exist or is out of range."""


class ConstraintError(EngineError):
    """Answers contradict each other, or there are none where some are needed."""


class ResourceError(EngineError):
    """Memory or disk space does not suffice; the message gives the sizes."""


class ProjectError(EngineError):
    """A project file cannot be used."""


class NotAProjectError(ProjectError):
    """The file is something else: another database, a text, empty."""


class ProjectTooNewError(ProjectError):
    """The file was written by a later Pairloom.

    Parameters
    ----------
    message, hint
        As for `EngineError`.
    found, supported
        Schema versions: of the file, and the newest that this program reads.
    """

    def __init__(self, message: str, hint: str = "", *, found: int, supported: int) -> None:
        super().__init__(message, hint)
        self.found = found
        self.supported = supported


class ProjectDamagedError(ProjectError):
    """The file fails its checks: truncated, altered, broken hash chain."""


class ProjectLockedError(ProjectError):
    """Another program has the project open."""


class UsageError(Exception):
    """Ask/tell misuse by our own code: a bug, never shown as a person's mistake."""


class Cancelled(Exception):  # noqa: N818 - control flow, not an error
    """The person stopped a long task."""
