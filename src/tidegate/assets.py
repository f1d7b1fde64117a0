"""Where the files that are no code lie: beside the package once installed, at the top of a checkout."""

from pathlib import Path

__all__ = ["asset_dir"]


def asset_dir(name: str) -> Path:
    """Return the folder *name* of what ships with Tidegate: `styles` or `sample_workflows`.

    Raises:
        FileNotFoundError: it is in neither place; the message names both.
    """
    # tidegate/NAME in an installed wheel; CHECKOUT/NAME beside src/ where the code is worked on, so
    # that a style is edited where it is read.
    places = (Path(__file__).parent / name, Path(__file__).parents[2] / name)
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"'{name}' is neither at {places[0]} nor at {places[1]}: install Tidegate again")
