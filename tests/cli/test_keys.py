"""`tidegate keys`."""

from pathlib import Path

from cli.calling import Tidegate


def test_the_command_line_lists_every_command_with_its_keys(tidegate: Tidegate, tmp_path: Path) -> None:
    """Those that the settings changed are marked; a slip in them is an error with its place."""
    (tmp_path / "tidegate.toml").write_text('[keys]\n"global.theme" = "ctrl+t"\n')
    document = tidegate.call("keys", "--json").document
    by_id = {command["id"]: command for command in document["commands"]}

    assert by_id["global.theme"]["keys"] == ["ctrl+t"]
    assert by_id["global.theme"]["default_keys"] == ["T"]
    assert " *global.theme" in tidegate.call("keys").out

    (tmp_path / "tidegate.toml").write_text('[keys]\n"global.theme" = "q"\n')
    refused = tidegate.call("keys")
    assert refused.code == 2
    assert "tidegate.toml:2:1: 'global.theme' and 'global.quit'" in refused.err
