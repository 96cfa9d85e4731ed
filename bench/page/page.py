# SPDX-License-Identifier: Apache-2.0
"""Writes docs/benchmarks.md and its pictures from the measurements."""

from markdown import MIB, fence

HEAD = """\
# Benchmarks

Strata compared with other recorders, its estimates of a peak, and how costs grow. `./dev bench page` measures every figure and writes the page.
[costs.md](costs.md) has the cost of single events and the budgets that `./dev bench` checks.
"""

HOW = """\
- **Ratios** compare runs of the same round; the order of the runs rotates. Each cell has the median of the rounds, with the quartiles in brackets (with fewer than four rounds: the
  minimum and the maximum). A single run has no spread and is marked.
- **CPU time** covers all threads of a process, including the one that writes the store. One thread computes. Where the load is above the number of cores, prefer CPU time to wall time: other processes disturb it less.
- **Memory** is resident memory (VmHWM) of the largest process, minus that of the bare program. MiB are 2^20 bytes, MB are 10^6.
- **Time to the report** runs from the end of the last step until a report can be read. For `strata exec`, memray and heaptrack it includes the program's exit, some tenths of a second.
- The first cell after a recorder's name gives the reason for the dashes in its row.
"""

GROUPS = (
    ("Targets", ("targets",)),
    ("The peak without a GPU", ("estimation",)),
    ("One rank of a large job", ("large-jobs",)),
    ("What a step costs on a card", ("on-a-card",)),
    ("Comparison with other recorders", ("recorders-",)),
    ("How costs grow", ("scaling-",)),
)


VERSIONS = ("torch", "transformers", "torchvision", "memray", "heaptrack", "valgrind", "nsys")


def version(value):
    return value or "not here"


def machine_lines(machines):
    """Describe the machine. Usually there is one; with several, each table says where it was
    made."""
    first = machines[0]
    loads = sorted(machine["load"] for machine in machines)
    commits = sorted({version(machine["commit"]) for machine in machines})
    dates = sorted({machine["date"] for machine in machines})
    # These measurements themselves cause a load of 1, or a little more.
    shared = f"**not idle**: load {loads[0]:.1f} to {loads[-1]:.1f}, partly from other tables of this page that were measured at the same time" if loads[-1] > 2 else "nothing else worked on it"
    return "\n".join(
        [
            f"- **Machine:** {first['processor']}, {first['cores']} cores, {first['memory_bytes'] / MIB / 1024:.0f} GiB, {first['system']}, Linux {first['kernel']};"
            f" {'GPU: ' + first['gpu'] if first['gpu'] else 'no GPU'}; {shared}.",
            f"- **Versions:** {first['strata']} ({', '.join(commits)}), Python {first['python']}, {', '.join(f'{name} {version(first[name])}' for name in VERSIONS)}.",
            f"- **Date:** {' to '.join(dict.fromkeys((dates[0], dates[-1])))}.",
        ]
    )


def section(table, results, told):
    level = "###"
    if told is None:
        return f"{level} {table.title}\n\nNot measured: `./dev bench page {table.name}` does."
    body = table.write(told["result"], results) if table.reads_others else table.write(told["result"])
    made = f"<sub>{table.name}: measured in {told['seconds']:,.0f} s, {told['machine']['date']}, load {told['machine']['load']:.1f}.</sub>"
    return "\n\n".join([f"{level} {table.title}", fence(table.commands), body, made])


def text(tables, results):
    tables = list(tables)
    told = {table.name: results.read(table.name) for table in tables}
    machines = [each["machine"] for each in told.values() if each]
    parts = [HEAD.strip()]
    if machines:
        parts.append(machine_lines(machines))
    parts.append(HOW.strip())
    for title, prefixes in GROUPS:
        own = [table for table in tables if table.name.startswith(prefixes)]
        if len(own) == 1 and own[0].title == title:
            parts.append(section(own[0], results, told[own[0].name]).removeprefix("#"))
        elif own:
            parts += [f"## {title}", *(section(table, results, told[table.name]) for table in own)]
    return "\n\n".join(parts) + "\n"


def pictures(tables, results):
    drawn = {}
    for table in tables:
        told = results.read(table.name)
        if told:
            drawn |= table.pictures(told["result"])
    return drawn


def write(path, tables, results):
    tables = list(tables)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(tables, results))
    folder = path.parent / "pictures"
    for name, svg in pictures(tables, results).items():
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(svg)
