"""Where data sets lie that are not part of the package."""

import os
from pathlib import Path

__all__ = ["data_folder"]

DEFAULT = Path("..", "shared", "data")


def data_folder() -> Path | None:
    """The folder that the environment variable `TAUT_DATA` names, else `../shared/data` where that exists, else None.

    Tests and benchmarks on real data look here, and so do loaders of one particular data set that are given no path.
    """
    named = os.environ.get("TAUT_DATA")
    if named:
        if not Path(named).is_dir():
            raise FileNotFoundError(f"TAUT_DATA names {named}, which is no folder. Correct the variable or unset it.")
        return Path(named)
    return DEFAULT if DEFAULT.is_dir() else None


def dataset_path(*parts: str) -> Path:
    """A file in the data folder."""
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(
            f"No data folder: expected a path, or the environment variable TAUT_DATA naming a folder with "
            f"{'/'.join(parts)}; found neither."
        )
    return folder.joinpath(*parts)
