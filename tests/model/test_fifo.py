"""A queue that is a value."""

from hypothesis import given
from hypothesis import strategies as st

from tidegate.model.fifo import Fifo

OPERATIONS = st.lists(st.tuples(st.booleans(), st.integers(0, 20)))


@given(OPERATIONS)
def test_it_behaves_like_a_list_and_leaves_older_values_alone(operations: list[tuple[bool, int]]) -> None:
    """Pushing appends what is not there yet, removing takes it out; an older queue never changes."""
    queue: Fifo[int] = Fifo()
    model: list[int] = []
    before, before_model = queue, list(model)
    for push, item in operations:
        before, before_model = queue, list(model)
        if push:
            queue, model = queue.push([item]), model if item in model else [*model, item]
        else:
            queue = queue.remove(item)
            if item in model:
                model.remove(item)

    assert list(queue) == model
    assert len(queue) == len(model)
    assert list(before) == before_model
    assert not model or queue.first == model[0]
