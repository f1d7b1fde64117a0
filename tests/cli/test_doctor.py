"""`tidegate doctor`, and how the store is chosen."""

from cli.calling import Tidegate


def test_it_tells_where_everything_is_and_who_chose_the_store(tidegate: Tidegate) -> None:
    """The option wins over TIDEGATE_STORE, that over the two older variables; JSON has the same facts."""
    backend = {"WORKFLOW_CHECKPOINT_BACKEND": "sqlite", "WORKFLOW_CHECKPOINT_DSN": "old.db"}
    first = tidegate.call("doctor", **backend)
    second = tidegate.call("doctor", "--json", "--store", "memory://", **backend)
    third = tidegate.call("doctor", "--json", TIDEGATE_STORE="", **backend)

    assert first.code == second.code == third.code == 0
    facts = dict(line.split(maxsplit=1) for line in first.out.splitlines())
    assert facts["tidegate"].count(".") == 2
    assert f"store             sqlite://{tidegate.folder}/tidegate.db\n" in first.out
    assert "store chosen by   TIDEGATE_STORE\n" in first.out
    assert "store check       opens; 0 runs, 0 open pauses\n" in first.out
    assert "-rw-------\n" in first.out
    assert "operator          ana\n" in first.out
    assert second.document["store_chosen_by"] == "--store"
    assert "store_file" not in second.document
    assert third.document["store_chosen_by"] == "WORKFLOW_CHECKPOINT_BACKEND"
    assert third.document["store"] == f"sqlite://{tidegate.folder / 'old.db'}"
    assert third.document["well"] is True
    assert third.document["store_check"].startswith("not there yet")
    assert not (tidegate.folder / "old.db").exists()
