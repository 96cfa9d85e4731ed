# SPDX-License-Identifier: Apache-2.0
"""A table of the page, and a command line to make it alone."""

import dataclasses
import json
import tempfile
import pathlib
from collections.abc import Callable

from settings import Settings, options


@dataclasses.dataclass(frozen=True)
class Table:
    name: str
    title: str
    measure: Callable  # takes the Settings, returns the data for its JSON
    write: Callable  # takes that data, returns its text on the page
    commands: list
    pictures: Callable = lambda result: {}  # takes that data, returns an SVG for each file name
    reads_others: bool = False  # `write` also takes the Results


def run_alone(description, tables, others=None):
    """Run a module of tables as a program: measure the named tables, or all, and print them."""
    parser = options(description)
    names = [table.name for table in tables]
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(names)} [all]")
    parser.add_argument("--json", action="store_true", help="print what was measured")
    arguments = parser.parse_args()
    if unknown := set(arguments.tables) - set(names):
        parser.error(f"there is no {', '.join(sorted(unknown))}: {', '.join(names)}")
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        settings = Settings(arguments.build.resolve(), arguments.quick, arguments.whole, pathlib.Path(folder), arguments.rounds, not arguments.no_valgrind)
        results = {}
        for table in tables:
            if not arguments.tables or table.name in arguments.tables:
                results[table.name] = table.measure(settings)
                if not arguments.json:
                    more = [others] if table.reads_others else []
                    print(f"## {table.title}\n\n{table.write(results[table.name], *more)}\n")
    if arguments.json:
        print(json.dumps(results, indent=1))
    return 0
