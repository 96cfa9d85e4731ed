# SPDX-License-Identifier: Apache-2.0
"""docs/benchmarks.md: measures its tables and writes it. No figure on it is written by hand.

    ./dev bench page                                  all tables, and the page
    ./dev bench page estimation scaling-layers        only these tables again, and the page
    ./dev bench page --quick                          a trial: each once, into build/bench-page/quick.md
    ./dev bench page --write                          only the page, from existing measurements

Measurements are in build/bench-page, one file per table. An interrupted run continues when it is
started again. Exit code 1 if a target of the project is missed, or a table cannot be made.
"""

import pathlib
import sys
import tempfile
import time

import estimation
import large_jobs
import machine
import on_a_card
import page
import recorders
import scaling_cells
import scaling_events
import scaling_layers
import scaling_ranks
import scaling_threads
import targets
from command import Failed
from results import Results
from settings import REPOSITORY, Settings, options, say

MODULES = (estimation, large_jobs, on_a_card, recorders, scaling_events, scaling_layers, scaling_threads, scaling_ranks, scaling_cells, targets)
TABLES = {table.name: table for module in MODULES for table in module.tables()}


def measured(table, settings, results, facts, mode):
    """Whether the table could be measured. If one fails, the page still has the others."""
    say(f"{table.name}: {table.title}")
    began = time.monotonic()
    try:
        result = table.measure(settings)
    except Failed as failure:
        say(f"{table.name} failed: {failure}")
        return False
    results.write(table.name, facts, mode, time.monotonic() - began, result)
    say(f"{table.name}: done in {time.monotonic() - began:.0f} s")
    return True


def main():
    parser = options(__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)} [all]")
    parser.add_argument("--write", action="store_true", help="measure nothing")
    parser.add_argument("--results", type=pathlib.Path, default=REPOSITORY / "build/bench-page", help="where measurements are kept")
    parser.add_argument("--page", type=pathlib.Path, help="[docs/benchmarks.md; with --quick quick.md beside the measurements]")
    arguments = parser.parse_args()
    if unknown := set(arguments.tables) - set(TABLES):
        parser.error(f"there is no {', '.join(sorted(unknown))}: {', '.join(TABLES)}")
    results = Results(arguments.results / "quick" if arguments.quick else arguments.results)
    path = arguments.page or (arguments.results / "quick.md" if arguments.quick else REPOSITORY / "docs/benchmarks.md")
    mode = {"quick": arguments.quick, "whole": arguments.whole}
    failed = []
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        settings = Settings(arguments.build.resolve(), arguments.quick, arguments.whole, pathlib.Path(folder), arguments.rounds, not arguments.no_valgrind, results)
        if not arguments.write:
            facts = machine.facts(settings)
            goes_on = not arguments.tables and results.begin()
            for name in arguments.tables or TABLES:
                if goes_on and results.is_done(name, facts, mode):
                    say(f"{name}: measured before the interruption")
                elif not measured(TABLES[name], settings, results, facts, mode):
                    failed.append(name)
            if not arguments.tables and not failed:
                results.finish()
    page.write(path, TABLES.values(), results)
    print(path)
    missed = targets.missed(results)
    for line in missed:
        say(f"missed: {line}")
    if failed:
        say(f"not made: {', '.join(failed)}; ./dev bench page goes on with them")
    return 1 if failed or missed else 0


if __name__ == "__main__":
    sys.exit(main())
