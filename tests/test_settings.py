"""Where things are and who we are, from the environment."""

from pathlib import Path

import pytest

from tidegate.errors import SettingsError
from tidegate.settings import Cleaning, load_settings


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
        (
            {"WORKFLOW_CHECKPOINT_BACKEND": "file", "WORKFLOW_CHECKPOINT_DSN": "runs"},
            None,
            f"file://{Path.cwd()}/runs",
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


@pytest.mark.parametrize(
    ("text", "size"), [(None, 10.0), ("", 10.0), (" 25 ", 25.0), (" ", 10.0), ("0.5", 0.5), ("500", 500.0)]
)
def test_a_block_may_leave_ten_megabytes_or_what_is_said(text: str | None, size: float) -> None:
    """A variable that is set to nothing is not set."""
    environ = {} if text is None else {"TIDEGATE_MAX_CHECKPOINT_SIZE_MB": text}

    assert load_settings(environ).max_checkpoint_size_mb == size


@pytest.mark.parametrize("text", ["0", "-1", "ten", "10MB", "1e3", "nan", "inf", "501", "1_0", "٣", ".5"])
def test_a_size_that_is_none_is_refused(text: str) -> None:
    """Nothing is guessed, whatever Python would read it as."""
    with pytest.raises(SettingsError, match="expected a number of MB, more than 0 and at most 500"):
        load_settings({"TIDEGATE_MAX_CHECKPOINT_SIZE_MB": text})


DAY = 86_400.0


@pytest.mark.parametrize(
    ("environ", "cleaning"),
    [
        ({}, Cleaning(max_per_workflow=10, ttl_seconds=30 * DAY, both=True)),
        ({"TIDEGATE_TTL_SECONDS": " "}, Cleaning()),
        ({"TIDEGATE_MAX_PER_WORKFLOW": "5"}, Cleaning(max_per_workflow=5, ttl_seconds=None, both=False)),
        ({"TIDEGATE_TTL_SECONDS": "86400"}, Cleaning(max_per_workflow=None, ttl_seconds=DAY, both=False)),
        (
            {"TIDEGATE_TTL_SECONDS": "0", "TIDEGATE_MAX_PER_WORKFLOW": "0"},
            Cleaning(max_per_workflow=0, ttl_seconds=0, both=False),
        ),
        (
            {"TIDEGATE_AUTO_CLEANUP": "No", "TIDEGATE_KEEP_PAUSED": "false"},
            Cleaning(auto_cleanup=False, keep_paused=False),
        ),
        ({"TIDEGATE_AUTO_CLEANUP": "ON"}, Cleaning(auto_cleanup=True)),
        ({"TIDEGATE_CLEANUP_INTERVAL_SECONDS": "60"}, Cleaning(cleanup_interval_seconds=60)),
    ],
)
def test_how_long_finished_runs_are_kept(environ: dict[str, str], cleaning: Cleaning) -> None:
    """With nothing said both limits must be passed; a limit that is said holds, alone if it is alone."""
    assert load_settings(environ).cleaning == cleaning


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TIDEGATE_TTL_SECONDS", "7d"),
        ("TIDEGATE_TTL_SECONDS", "-1"),
        ("TIDEGATE_TTL_SECONDS", "999999999"),
        ("TIDEGATE_MAX_PER_WORKFLOW", "1.5"),
        ("TIDEGATE_MAX_PER_WORKFLOW", "ten"),
        ("TIDEGATE_CLEANUP_INTERVAL_SECONDS", "0"),
        ("TIDEGATE_AUTO_CLEANUP", "never"),
        ("TIDEGATE_KEEP_PAUSED", "2"),
    ],
)
def test_a_limit_that_is_none_is_refused(name: str, text: str) -> None:
    """A slip must not delete what somebody wanted to keep, nor keep it for ever."""
    with pytest.raises(SettingsError, match=name):
        load_settings({name: text})
