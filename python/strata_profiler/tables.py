# SPDX-License-Identifier: Apache-2.0
"""The program's exports as a pandas or pyarrow table. This package requires neither."""

from __future__ import annotations

import importlib
import io
from typing import Any, Dict, List, Literal

Kind = Literal["pandas", "arrow"]
Table = Any  # pandas.DataFrame or pyarrow.Table

# Text columns, in which an empty field is an empty text; in other columns it means no value.
_TEXTS = ("bytes", "address", "category", "kind", "reason", "owner", "op", "module", "kept_by", "phase", "dtype", "shape")


class TableError(RuntimeError):
    """A table was requested in a form that is not available."""


def _import(module: str, package: str, to: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise TableError(f'to="{to}" needs {package}: pip install {package}') from None


def _require(to: str) -> None:
    if to not in ("pandas", "arrow"):
        raise TableError(f'to="{to}": expected "pandas" or "arrow"')


def from_csv(text: str, to: Kind = "pandas") -> Table:
    _require(to)
    header = text.split("\n", 1)[0].strip().split(",")
    # A table of categories is indexed by its first column, which names each row.
    texts = [column for column in header if column in _TEXTS and not (column == "bytes" and column != header[0])]
    if to == "arrow":
        _import("pyarrow", "pyarrow", to)
        csv = importlib.import_module("pyarrow.csv")
        types = importlib.import_module("pyarrow")
        options = csv.ConvertOptions(column_types={column: types.string() for column in texts}, strings_can_be_null=False)
        return csv.read_csv(io.BytesIO(text.encode()), convert_options=options)
    pandas = _import("pandas", "pandas", to)
    numbers = {column: [""] for column in header if column not in texts}
    frame = pandas.read_csv(
        io.StringIO(text), keep_default_na=False, na_values=numbers, dtype={column: str for column in texts}
    )
    return frame.set_index("bytes") if header[0] == "bytes" else frame


def from_records(rows: List[Dict[str, Any]], to: Kind = "pandas") -> Table:
    _require(to)
    if to == "arrow":
        return _import("pyarrow", "pyarrow", to).Table.from_pylist(rows)
    return _import("pandas", "pandas", to).DataFrame.from_records(rows)
