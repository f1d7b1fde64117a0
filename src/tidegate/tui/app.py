"""The monitor: one screen per mode, and the wishes that every screen may have."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import ClassVar

from textual import on, work
from textual.app import App
from textual.binding import BindingType
from textual.reactive import reactive

from tidegate.assets import asset_dir
from tidegate.clock import Clock
from tidegate.engine.votes import Answered, Reply
from tidegate.errors import TidegateError
from tidegate.model.ids import PauseId, RunId
from tidegate.safe_text import safe_line
from tidegate.store.owner import Owner
from tidegate.store.protocol import PauseRow, PauseState, RunFilter
from tidegate.tui.commands import Scope, bindings
from tidegate.tui.console import Console
from tidegate.tui.engine_thread import EngineThread
from tidegate.tui.lines import Piece, Tone
from tidegate.tui.messages import (
    AnswerWanted,
    CancelWanted,
    EngineLost,
    Noted,
    ResumeWanted,
    RunWanted,
    StoreChanged,
    StoreTroubled,
)
from tidegate.tui.overview import Overview, read_overview
from tidegate.tui.pulse import Pulse
from tidegate.tui.screens.base import MonitorScreen
from tidegate.tui.screens.checkpoints import CheckpointsScreen
from tidegate.tui.screens.help import HelpScreen
from tidegate.tui.screens.inbox import InboxScreen
from tidegate.tui.screens.run_view import RunScreen
from tidegate.tui.screens.runs import RunsScreen
from tidegate.tui.session import OpenSession, Session
from tidegate.tui.themes import DARK, LIGHT
