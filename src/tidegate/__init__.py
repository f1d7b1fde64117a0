"""Tidegate: an operations console for durable workflows, in a terminal, and a library.

What a program may use is `__all__`; docs/embedding.md shows how. The names are looked up when they are
first used, so that `import tidegate` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidegate import errors
    from tidegate.embedding.opening import open_tidegate as open  # noqa: A004  # as in shelve.open
    from tidegate.embedding.replaying import Replayed, replay, replay_async
    from tidegate.embedding.results import BlockFailure, BlockOutput, RunInfo, RunResult
    from tidegate.embedding.tidegate import Tidegate
    from tidegate.engine.cleaning import CleanUp
    from tidegate.errors import TidegateError
    from tidegate.model.answer import Answered
    from tidegate.model.checkpoint import CheckpointMetadata, CheckpointState
    from tidegate.model.events import RunStatus
    from tidegate.model.listing import PauseRow
    from tidegate.workflows.loader import Loaded

__all__ = [
    "Answered",
    "BlockFailure",
    "BlockOutput",
    "CheckpointMetadata",
    "CheckpointState",
    "CleanUp",
    "Loaded",
    "PauseRow",
    "Replayed",
    "RunInfo",
    "RunResult",
    "RunStatus",
    "Tidegate",
    "TidegateError",
    "__version__",
    "errors",
    "open",
    "replay",
    "replay_async",
]

__version__ = "0.1.0"

_WHERE = {
    "Answered": "model.answer",
    "BlockFailure": "embedding.results",
    "BlockOutput": "embedding.results",
    "CheckpointMetadata": "model.checkpoint",
    "CheckpointState": "model.checkpoint",
    "CleanUp": "engine.cleaning",
    "Loaded": "workflows.loader",
    "PauseRow": "model.listing",
    "Replayed": "embedding.replaying",
    "RunInfo": "embedding.results",
    "RunResult": "embedding.results",
    "RunStatus": "model.events",
    "Tidegate": "embedding.tidegate",
    "TidegateError": "errors",
    "replay": "embedding.replaying",
    "replay_async": "embedding.replaying",
}

# A type checker must not see it: every misspelt name would be right then.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return a public name (PEP 562)."""
        if name == "errors":
            return import_module("tidegate.errors")
        if name == "open":
            return import_module("tidegate.embedding.opening").open_tidegate
        if name not in _WHERE:
            raise AttributeError(f"module 'tidegate' has no attribute '{name}'")
        return getattr(import_module(f"tidegate.{_WHERE[name]}"), name)

    def __dir__() -> list[str]:
        """Return the public names too that nobody has used yet."""
        return sorted({*globals(), *__all__})
