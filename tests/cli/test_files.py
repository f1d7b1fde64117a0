"""`tidegate validate` and `tidegate plan`: everything about a file, and nothing of it is run."""

from cli.calling import Tidegate

FAULTY = """
    name: faulty
    blocks:
      - id: a
        type: Shel
        inputs: {command: "touch PWNED"}
      - id: b
        type: Shell
        dependson: [a]
        inputs: {command: "touch PWNED; echo ${nope.stdout}"}
      - {id: a, type: Shell, depends_on: [c], inputs: {command: "touch PWNED"}}
"""

SOUND = """
    name: sound
    inputs: {target: {type: string, required: true}, count: {type: integer, default: 3}}
    blocks:
      - {id: build, type: Shell, inputs: {command: "touch PWNED"}}
      - {id: gate, type: ConfirmOperation, depends_on: [build], inputs: {message: "[b]?[/b]"}}
      - id: deploy
        type: Shell
        depends_on: [gate]
        condition: "${gate.confirmed} == true"
        inputs: {command: "touch PWNED"}
"""


def test_every_fault_is_told_in_one_pass_with_its_place(tidegate: Tidegate) -> None:
    """``file:line:column``, the block, the fix; sound files beside it are said to be sound; nothing ran."""
    (tidegate.folder / "tidegate.db").unlink()
    tidegate.file("faulty.yaml", FAULTY)
    tidegate.file("sound.yaml", SOUND)
    text, document, run, sound = tidegate.together(
        ["validate", "faulty.yaml", "sound.yaml", "none.yaml"],
        ["validate", "faulty.yaml", "sound.yaml", "--json"],
        ["run", "faulty.yaml"],
        ["validate", "sound.yaml"],
    )

    assert (text.code, document.code, run.code, sound.code) == (2, 2, 2, 0)
    assert text.out == "sound.yaml: ok (sound, 3 blocks)\n"
    *faults, missing = text.err.splitlines()
    assert [fault.split(" ")[0] for fault in faults] == [
        "faulty.yaml:4:11:",
        "faulty.yaml:8:5:",
        "faulty.yaml:9:42:",
        "faulty.yaml:10:10:",
        "faulty.yaml:10:39:",
    ]
    assert "block 'a': there is no block type 'Shel' (did you mean 'Shell'?)" in faults[0]
    assert missing.startswith("none.yaml:1:1: ")
    assert run.err.splitlines() == faults
    first, second = document.document["files"]
    assert document.err == ""
    assert [(fault["line"], fault["column"], fault["block"]) for fault in first["faults"]][:2] == [
        (4, 11, "a"),
        (8, 5, "b"),
    ]
    assert second == {"file": "sound.yaml", "valid": True, "workflow": "sound", "faults": []}
    assert not (tidegate.folder / "PWNED").exists()
    assert not (tidegate.folder / "tidegate.db").exists()


def test_a_plan_shows_the_waves_and_who_is_asked(tidegate: Tidegate) -> None:
    """By file or by the name of a known workflow; a near miss is named."""
    tidegate.file("sound.yaml", SOUND)
    text, document, unknown = tidegate.together(
        ["plan", "sound.yaml"],
        ["plan", "sound", "--json"],
        ["plan", "relase-gates"],
    )

    assert text.out.splitlines() == [
        "sound: 3 blocks in 3 waves",
        "  input target: string, required",
        "  input count: integer, default 3",
        "wave 1",
        "  ○ build  (Shell)",
        "wave 2",
        "  ◆ gate  (ConfirmOperation)  after build",
        "wave 3",
        "  ○ deploy  (Shell)  after gate  if ${gate.confirmed} == true",
    ]
    assert document.document["execution_waves"] == [["build"], ["gate"], ["deploy"]]
    assert document.document["blocks"]["gate"]["interactive"] is True
    assert unknown.code == 2
    assert unknown.err.startswith("tidegate: no file 'relase-gates', and no workflow of that name in ")
    assert "(did you mean 'release-gates'?)" in unknown.err
    assert not (tidegate.folder / "PWNED").exists()
