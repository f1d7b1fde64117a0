"""A whole morning's work, typed into the real program in a real terminal, and what the journal says of it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from terminal import Terminal, needs_tmux

pytestmark = [pytest.mark.terminal, needs_tmux]
