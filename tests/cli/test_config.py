"""`tidegate config`, and that commands heed what it shows."""

from cli.calling import Tidegate


def test_it_shows_each_setting_and_who_decided_it(tidegate: Tidegate) -> None:
    """An option, a variable, a line of a file, or nobody."""
    file = tidegate.file("tidegate.toml", 'ttl_seconds = 60\nworkflows = ["flows"]\n')
    lines, document = tidegate.together(
        ("config", "show"), ("config", "show", "--json", "--store", "memory://")
    )
    found = document.document

    assert lines.code == document.code == 0
    assert found["settings"]["store"] == {"value": "memory://", "origin": "--store"}
    assert found["settings"]["operator"] == {"value": "ana", "origin": "TIDEGATE_OPERATOR"}
    assert found["settings"]["ttl_seconds"] == {"value": 60, "origin": f"{file}:1"}
    assert found["settings"]["max_per_workflow"] == {"value": None, "origin": f"{file}:1"}
    assert found["settings"]["keep_paused"] == {"value": True, "origin": "default"}
    assert found["settings"]["workflows"]["value"][0] == str(tidegate.folder / "flows")
    assert found["files"]["project"] == str(file)
    assert f"{file}:2" in lines.out
    assert "no limit" in lines.out


def test_it_shows_where_the_files_are(tidegate: Tidegate) -> None:
    """Also where there is none yet: that is what somebody wants to know who makes one."""
    user = tidegate.folder / "config/tidegate/config.toml"
    without = tidegate.call("config", "path")
    user.parent.mkdir(parents=True)
    user.write_text('operator = "bo"')
    document = tidegate.call("config", "path", "--json").document

    assert without.out == f"user     {user} (not there)\nproject  none\n"
    assert document == {"user": str(user), "user_exists": True, "project": None, "ignored": ""}


def test_commands_use_the_store_of_the_project_from_any_folder_below(tidegate: Tidegate) -> None:
    """It lies beside the file, wherever in the project somebody stands."""
    tidegate.file("tidegate.toml", 'store = "project.db"\n')
    tidegate.file("w.yaml", "name: w\nblocks: [{id: a, type: Shell, inputs: {command: 'true'}}]\n")
    done = tidegate.call("run", "w.yaml", TIDEGATE_STORE="")
    below = tidegate.folder / "below"
    below.mkdir()
    seen = Tidegate(below).call("runs", "list", "--json", TIDEGATE_STORE="")
    doctor = Tidegate(below).call("doctor", TIDEGATE_STORE="")

    assert done.code == 0
    assert (tidegate.folder / "project.db").exists()
    assert seen.document["total"] == 1
    assert f"store chosen by   {tidegate.folder}/tidegate.toml:1\n" in doctor.out
    assert f"settings          {tidegate.folder}/tidegate.toml\n" in doctor.out


def test_a_fault_in_a_file_stops_every_command_with_its_place(tidegate: Tidegate) -> None:
    """Before anything is begun; help is still given."""
    file = tidegate.file("tidegate.toml", "stoer = 'x'\n")
    done, document, helped = tidegate.together(("runs", "list"), ("inbox", "--json"), ("--help",))

    assert done.code == document.code == 2
    assert f"{file}:1:1: there is no setting 'stoer' (did you mean 'store'?)" in done.err
    assert document.error_type == "SettingsFileError"
    assert helped.code == 0
