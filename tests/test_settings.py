"""Where things are and who we are, from the environment."""

from pathlib import Path

import pytest

from tidegate.settings import load_settings


@pytest.mark.parametrize(
    ("environ", "option", "url", "origin"),
    [
        ({}, "sqlite:///a.db", "sqlite:///a.db", "--store"),
        ({"TIDEGATE_STORE": "sqlite:///b.db"}, "memory://", "memory://", "--store"),
        ({"TIDEGATE_STORE": "sqlite:///b.db"}, "", "", "--store"),
        (
            {"TIDEGATE_STORE": "sqlite:///b.db", "WORKFLOW_CHECKPOINT_BACKEND": "memory"},
            None,
            "sqlite:///b.db",
            "TIDEGATE_STORE",
        ),
        (
            {"WORKFLOW_CHECKPOINT_BACKEND": " Memory "},
            None,
            "memory://",
            "WORKFLOW_CHECKPOINT_BACKEND",
        ),
        (
            {"WORKFLOW_CHECKPOINT_BACKEND": "sqlite", "WORKFLOW_CHECKPOINT_DSN": "/var/x.db"},
            None,
            "sqlite:////var/x.db",
            "WORKFLOW_CHECKPOINT_BACKEND",
        ),
        (
            {"WORKFLOW_CHECKPOINT_BACKEND": "sqlite", "WORKFLOW_CHECKPOINT_DSN": "sqlite:////v/x.db"},
            None,
            "sqlite:////v/x.db",
            "WORKFLOW_CHECKPOINT_BACKEND",
        ),
        (
            {"WORKFLOW_CHECKPOINT_BACKEND": "redis", "WORKFLOW_CHECKPOINT_DSN": "redis://host/0"},
            None,
            "redis://host/0",
            "WORKFLOW_CHECKPOINT_BACKEND",
        ),
        (
            {"WORKFLOW_CHECKPOINT_BACKEND": "file", "WORKFLOW_CHECKPOINT_DSN": "/var/runs"},
            None,
            "file:///var/runs",
            "WORKFLOW_CHECKPOINT_BACKEND",
        ),
    ],
)
def test_the_nearest_choice_of_a_store_wins(
    environ: dict[str, str], option: str | None, url: str, origin: str
) -> None:
    """The option, then our variable, then the two older ones. An empty option is a mistake, not a default."""
    settings = load_settings(environ, store=option)

    assert (settings.store, settings.store_origin) == (url, origin)


def test_an_older_dsn_is_taken_from_where_we_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path means the working directory of this call, and stays absolute from then on."""
    monkeypatch.chdir(tmp_path)
    environ = {"WORKFLOW_CHECKPOINT_BACKEND": "sqlite", "WORKFLOW_CHECKPOINT_DSN": "x.db"}

    assert load_settings(environ).store == f"sqlite:///{tmp_path / 'x.db'}"


@pytest.mark.parametrize("environ", [{}, {"TIDEGATE_STORE": ""}, {"WORKFLOW_CHECKPOINT_BACKEND": "sqlite"}])
def test_without_a_choice_the_store_lies_in_the_data_directory(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never in the working directory, never in /tmp. A variable that is set to nothing is not set."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    url = load_settings(environ).store

    assert url.startswith(f"sqlite:///{tmp_path}/")
    assert url.endswith("/tidegate/tidegate.db")


def test_the_operator_is_named_or_is_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is always named in the journal, also where the user has no name."""
    monkeypatch.setenv("LOGNAME", "bo")

    assert load_settings({"TIDEGATE_OPERATOR": "ana"}).operator == "ana"
    assert load_settings({"TIDEGATE_OPERATOR": ""}).operator == "bo"


def test_workflows_are_looked_for_in_the_named_folders_first() -> None:
    """Then here, then in `workflows`; empty entries name nothing."""
    folders = load_settings({"TIDEGATE_WORKFLOWS": "/a::/b"}).workflow_folders

    assert folders == (Path("/a"), Path("/b"), Path(), Path("workflows"))
