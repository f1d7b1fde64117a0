"""Where things are and who we are, from the environment and the settings files."""

import os
import re
import textwrap
from pathlib import Path

import platformdirs
import pytest

from tidegate.errors import SettingsError
from tidegate.settings import (
    Cleaning,
    MonitorSettings,
    Notify,
    NotifyBy,
    SettingsFileError,
    find_files,
    load_settings,
)
from tidegate.settings.files import KEYS
from tidegate.settings.sources import VARIABLES


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be at home somewhere, in an empty folder: whoever runs the tests may have settings."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return tmp_path


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
            "sqlite:///var/x.db",
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
            "file://HERE/runs",
            "WORKFLOW_CHECKPOINT_BACKEND",
        ),
    ],
)
def test_the_nearest_choice_of_a_store_wins(
    environ: dict[str, str], option: str | None, url: str, origin: str
) -> None:
    """The option, then our variable, then the two older ones. An empty option is a mistake, not a default."""
    settings = load_settings(environ, store=option)

    assert (settings.store, settings.store_origin) == (url.replace("HERE", str(Path.cwd())), origin)


def test_an_older_dsn_is_taken_from_where_we_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path means the working directory of this call, and stays absolute from then on."""
    monkeypatch.chdir(tmp_path)
    environ = {"WORKFLOW_CHECKPOINT_BACKEND": "sqlite", "WORKFLOW_CHECKPOINT_DSN": "x.db"}

    assert load_settings(environ).store == f"sqlite://{tmp_path / 'x.db'}"


@pytest.mark.parametrize("environ", [{}, {"TIDEGATE_STORE": ""}, {"WORKFLOW_CHECKPOINT_BACKEND": "sqlite"}])
def test_without_a_choice_the_store_lies_in_the_data_directory(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never in the working directory, never in /tmp. A variable that is set to nothing is not set."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    url = load_settings(environ).store

    assert url.startswith(f"sqlite://{tmp_path}/")
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


# -- files ------------------------------------------------------------------------------------


def user_settings(home: Path, text: str) -> Path:
    """Write the user's file; return where it is."""
    file = home / ".config/tidegate/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return file


def project_settings(home: Path, text: str, name: str = "tidegate.toml") -> Path:
    """Write a project's file above the working directory; return where it is."""
    file = home / name
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return file


EVERYTHING = """
    # who and where
    store = "runs/tidegate.db"
    operator = "night shift"
    workflows = ["flows", "/srv/flows"]
    max_checkpoint_size_mb = 2.5
    max_per_workflow = 5
    ttl_seconds = 86400
    keep_paused = false
    auto_cleanup = false
    cleanup_interval_seconds = 60
"""


def test_everything_may_be_said_in_a_file(home: Path) -> None:
    """Paths in it are seen from where it is, and each value says its line."""
    file = project_settings(home, EVERYTHING)
    settings = load_settings({})

    assert settings.store == str(home / "runs/tidegate.db")
    assert settings.store_origin == f"{file}:3"
    assert settings.operator == "night shift"
    assert settings.workflow_folders == (home / "flows", Path("/srv/flows"), Path(), Path("workflows"))
    assert settings.max_checkpoint_size_mb == 2.5
    assert settings.cleaning == Cleaning(
        max_per_workflow=5,
        ttl_seconds=86_400,
        both=False,
        keep_paused=False,
        auto_cleanup=False,
        cleanup_interval_seconds=60,
    )
    assert settings.origins["cleanup_interval_seconds"] == f"{file}:11"


def test_the_nearest_says_it(home: Path) -> None:
    """The command line over a variable, that over the project's file, that over the user's, key by key."""
    user = user_settings(home, 'store = "/u.db"\noperator = "user"\nttl_seconds = 1\n')
    project = project_settings(home, 'store = "/p.db"\noperator = "project"\n')
    one = load_settings({"TIDEGATE_OPERATOR": "variable"})
    two = load_settings({"TIDEGATE_STORE": "/v.db"}, store="/o.db")
    three = load_settings({"WORKFLOW_CHECKPOINT_BACKEND": "memory"})

    assert (one.store, one.store_origin) == ("/p.db", f"{project}:1")
    assert (one.operator, one.origins["operator"]) == ("variable", "TIDEGATE_OPERATOR")
    assert one.origins["ttl_seconds"] == f"{user}:3"
    assert one.origins["keep_paused"] == "default"
    assert (two.store, two.origins["store"]) == ("/o.db", "--store")
    assert (three.store, three.store_origin) == ("memory://", "WORKFLOW_CHECKPOINT_BACKEND")


def test_the_user_file_is_where_the_platform_keeps_such_files(home: Path) -> None:
    """With and without XDG_CONFIG_HOME; a variable may name another one, which must be there."""
    own = home / "own.toml"
    own.write_text('operator = "own"')

    assert find_files(os.environ).user == platformdirs.user_config_path("tidegate") / "config.toml"
    assert find_files({"XDG_CONFIG_HOME": str(home / "x")}).user == home / "x/tidegate/config.toml"
    assert load_settings({"TIDEGATE_CONFIG": str(own)}).operator == "own"
    with pytest.raises(SettingsError, match="TIDEGATE_CONFIG is '/nowhere', expected a file that is there"):
        load_settings({"TIDEGATE_CONFIG": "/nowhere"})


def test_a_project_may_hide_its_file_but_not_have_two(home: Path) -> None:
    """Which of two would count is nothing to be remembered."""
    project_settings(home, 'operator = "hidden"', ".tidegate.toml")
    assert load_settings({}).operator == "hidden"

    project_settings(home, 'operator = "plain"')
    with pytest.raises(SettingsError, match="one of the two files"):
        load_settings({})


def test_the_file_of_the_nearest_folder_counts(home: Path) -> None:
    """Files further up are of other projects."""
    project_settings(home, 'operator = "far"\nttl_seconds = 5')
    Path("tidegate.toml").write_text('operator = "near"')
    settings = load_settings({})

    assert settings.operator == "near"
    assert settings.cleaning.ttl_seconds == Cleaning().ttl_seconds


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_does_not_count(home: Path) -> None:
    """In a shared folder anybody could choose our store; it is said why it does not."""
    file = project_settings(home, 'store = "/theirs.db"')
    os.chown(file, 12_345, -1)

    assert load_settings({}).store_origin == "default"
    assert find_files({}).ignored == f"{file} belongs to somebody else (uid 12345)"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 1\nstor = 'x'", ":2:1: there is no setting 'stor' (did you mean 'store'?)"),
        ("TTL-Seconds = 5", ":1:1: there is no setting 'TTL-Seconds' (did you mean 'ttl_seconds'?)"),
        ("[cleanup]\nx = 1", ":1:1: there is no setting 'cleanup'"),
        ("\nttl_seconds = '5'", ":2:1: ttl_seconds is '5', expected a whole number"),
        ("ttl_seconds = true", ":1:1: ttl_seconds is true, expected a whole number"),
        ("keep_paused = 1", ":1:1: keep_paused is 1, expected true or false"),
        ("workflows = 'x'", ":1:1: workflows is 'x', expected a list of folders"),
        ("workflows = ['x', 3]", ":1:1: workflows is ['x', 3], expected a list of folders"),
        ("store = ''", ":1:1: store is '', expected a text in quotes"),
        ("operator = \n", ":1:12: Invalid value"),
        ("operator = 'x", ':1:1: Expected "\'", at the end'),
        ("operator = 'a'\noperator = 'b'", ":2:1: Cannot overwrite a value, at the end"),
    ],
)
def test_a_fault_of_a_file_has_its_place(home: Path, text: str, told: str) -> None:
    """Nothing is guessed and nothing is begun; an unknown key is nearly always a slip."""
    file = project_settings(home, text)

    with pytest.raises(SettingsFileError) as caught:
        load_settings({})
    assert f"{file}{told}" in str(caught.value)


def test_all_faults_of_a_file_are_told_at_once(home: Path) -> None:
    """Whoever corrects one need not come back for the next."""
    project_settings(home, "stor = 1\nkeep_paused = 'no'\nttl_seconds = 1.5\n")

    with pytest.raises(SettingsFileError) as caught:
        load_settings({})
    assert [fault.line for fault in caught.value.faults] == [1, 2, 3]


@pytest.mark.parametrize(
    "text", ["ttl_seconds = -1", "max_checkpoint_size_mb = 501", "max_checkpoint_size_mb = nan"]
)
def test_a_number_beyond_its_limits_is_refused_with_its_place(home: Path, text: str) -> None:
    """As it is in a variable, in the same words."""
    file = project_settings(home, text)

    with pytest.raises(SettingsError, match=r"expected a (whole )?number") as caught:
        load_settings({})
    assert str(caught.value).startswith(f"{file}:1:1: {text.partition(' ')[0]} is ")


def test_what_is_no_text_is_no_settings_file(home: Path) -> None:
    """A sentence, not a traceback."""
    file = project_settings(home, "")
    file.write_bytes(b"\xff\xfe")

    with pytest.raises(SettingsFileError, match="it is not UTF-8"):
        load_settings({})


def test_how_the_monitor_looks_is_a_setting_like_any_other(home: Path) -> None:
    """From files and variables, each checked."""
    project_settings(home, 'theme = "light"\nascii = true\nmouse = false\nnotify = "off"\n')
    found = load_settings({"TIDEGATE_THEME": "ansi", "TIDEGATE_ASCII": "no", "TIDEGATE_NOTIFY_BY": "osc777"})

    assert found.monitor == MonitorSettings(
        theme="ansi", ascii=False, mouse=False, notify=Notify.OFF, notify_by=NotifyBy.OSC777
    )
    assert (found.origins["theme"], found.origins["keys"]) == ("TIDEGATE_THEME", "default")
    assert load_settings({}).monitor.ascii is True


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('theme = "pink"', ":1:1: theme is 'pink', expected one of dark, light, high-contrast"),
        ('\nnotify = "loud"', ":2:1: notify is 'loud', expected one of off, unfocused, always"),
        ('notify_by = "osc8"', ":1:1: notify_by is 'osc8', expected one of auto, osc9, osc777, osc99, none"),
        ('mouse = "no"', ":1:1: mouse is 'no', expected true or false"),
        ('keys = "q"', ":1:1: keys is 'q', expected a table"),
        ('[keys]\n"inbox.answer" = 3', ":2:1: inbox.answer is '3', expected a key in quotes"),
        ("[keys]\ninbox.answer = []", ":2:1: inbox.answer is '[]', expected a key in quotes"),
    ],
)
def test_a_slip_about_the_monitor_is_told_with_its_place(home: Path, text: str, words: str) -> None:
    """Before anything opens."""
    project_settings(home, text)
    with pytest.raises(SettingsError) as caught:
        load_settings({})

    assert words in str(caught.value)


PAPER = Path(__file__).parents[1] / "docs/settings.md"


@pytest.mark.skipif(
    not PAPER.exists(), reason="the tests run against a wheel, beside which there are no papers"
)
def test_the_paper_has_every_setting_and_its_example_is_one(home: Path) -> None:
    """Each key stands in the table, with its variable; what a reader copies has no fault."""
    text = PAPER.read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    project_settings(home, example)

    assert all(f"| `{key}` | `{variable}`" in text for key, variable in VARIABLES.items())
    assert set(KEYS) == {*VARIABLES, "keys"}
    assert load_settings({}).store == str(home / "runs/tidegate.db")
