"""Where the rules of a question stand in its file, as far as they can be found there."""

import pytest

from tidegate.history.rule_lines import RuleLines, rule_lines

SOURCE = """\
name: deploy
blocks:
  - {id: build, type: Shell, inputs: {command: make}}
  - id: ticket
    type: GetInput
    inputs:
      prompt: Which ticket?
      max_length: 20
      validation_pattern: '[A-Z]+'
  - id: any
    type: GetInput
    inputs:
      prompt: Anything?
  - id: form
    type: AskForm
    inputs:
      message: How?
      fields:
        - {id: size, choices: [small, large]}
        - id: replicas
          input_type: integer
  - id: mapped
    type: AskForm
    inputs:
      fields:
        day:
          input_type: date
        note: {multiline: true}
  - id: computed
    type: AskForm
    inputs:
      fields: "${build.stdout}"
  - id: bare
    type: GetInput
"""


@pytest.mark.parametrize(
    ("block", "field", "line"),
    [
        ("ticket", "", 9),
        ("any", "", 13),
        ("form", "size", 19),
        ("form", "replicas", 20),
        ("form", "another", 18),
        ("mapped", "day", 26),
        ("mapped", "note", 28),
        ("computed", "whatever", 32),
        ("bare", "", 33),
        ("nowhere", "", 0),
    ],
)
def test_the_line_is_that_of_the_field_or_of_what_it_is_a_part_of(block: str, field: str, line: int) -> None:
    """The rule itself, where one is written; else the inputs, the fields, the block; else nothing."""
    assert rule_lines(SOURCE, block, 0).of(field) == line


@pytest.mark.parametrize("source", ["", "name: [", "- a list\n", "name: x\nblocks: {form: 1}\n", "\0"])
def test_a_text_that_says_nothing_leaves_the_line_of_the_block(source: str) -> None:
    """It is known from the definition, which was read from a sound file."""
    assert rule_lines(source, "form", 14) == RuleLines(14)
    assert rule_lines(source, "form", 0).of("size") == 0
