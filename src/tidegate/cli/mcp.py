"""`tidegate mcp`: the tools of workflows for clients of the Model Context Protocol."""

import contextlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidegate.cli import options
from tidegate.cli.console import complain
from tidegate.cli.exits import Exit
from tidegate.cli.grammar import Command
from tidegate.cli.wiring import Session, run_with_session
from tidegate.errors import TidegateError
from tidegate.server.token import new_token, read_token
from tidegate.settings import Settings

if TYPE_CHECKING:
    from tidegate.server.desk import Desk

__all__ = ["mcp"]

_PORT = 8641
_MOST = 65_535


class ExtraMissing(TidegateError):
    """The package that speaks the protocol is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "`tidegate mcp` needs the package `mcp`, which is not installed: pip install 'tidegate[mcp]'"
        )


@click.command(cls=Command)
@click.option(
    "--http",
    "port",
    metavar="[PORT]",
    type=click.IntRange(0, _MOST),
    is_flag=False,
    flag_value=_PORT,
    help=f"Serve over HTTP on 127.0.0.1 instead of standard input and output. PORT: {_PORT} if none is given; 0: any.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="With --http: the token that clients must send. Default: a new one, printed once.",
)
@options.by
@options.store
@options.pass_settings
def mcp(settings: Settings, port: int | None, token_file: Path | None, by: str | None) -> int:
    """Serve workflows to clients of the Model Context Protocol: start, answer, look, compare, fork.

    Standard output carries the protocol; what there is to say goes to standard error. Runs whose process is
    gone are taken over. A client that closes standard input ends it, as INT and TERM do: what runs is
    stopped, that is recorded, and `tidegate resume` goes on.

    Exit code: 0 when it was ended.
    """
    if token_file is not None and port is None:
        raise click.UsageError("--token-file goes with --http: over standard input there is nobody else")
    if find_spec("mcp") is None:
        raise ExtraMissing
    token = read_token(token_file) if token_file is not None else ""

    async def work(session: Session) -> int:
        desk = _desk(session, by or session.operator)
        await (_over_stdio(desk) if port is None else _over_http(desk, port, token))
        return Exit.SUCCEEDED

    with contextlib.suppress(KeyboardInterrupt):  # That is how it ends.
        run_with_session(settings, work, creates=True, adopts=True)
    return Exit.SUCCEEDED


def _desk(session: Session, operator: str) -> "Desk":
    from tidegate.blocks.registry import catalog
    from tidegate.embedding.tidegate import Tidegate
    from tidegate.server.desk import Desk

    # Never closed by itself: the session closes what it is made of.
    gate = Tidegate(session.store, session.executor, session.history, catalog(), operator)
    return Desk(gate, session.store, session.executor, session.history, session.shelf, operator)


async def _over_stdio(desk: "Desk") -> None:
    from tidegate import __version__
    from tidegate.server.mcp import make_server
    from tidegate.server.stdio import serve_stdio

    await serve_stdio(make_server(desk, __version__))


async def _over_http(desk: "Desk", port: int, token: str) -> None:
    from tidegate import __version__
    from tidegate.server.http import listen, serve_http
    from tidegate.server.mcp import make_server

    with listen(port) as listening:
        host, real_port = listening.getsockname()
        complain(f"tidegate: serving http://{host}:{real_port}/mcp")
        if not token:
            token = new_token()
            complain(f"tidegate: clients send the header Authorization: Bearer {token}")
        await serve_http(make_server(desk, __version__), listening, token)
