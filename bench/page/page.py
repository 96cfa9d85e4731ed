# SPDX-License-Identifier: Apache-2.0
"""Writes docs/benchmarks.md and its pictures from what was measured."""

from markdown import MIB, fence

HEAD = """\
# Benchmarks

Strata beside what else there is, what an estimate takes, and how costs grow. `./dev bench page` measures all of this and writes the page; nobody writes a figure on it. What single events
cost, and the budgets that `./dev bench` holds, is in [costs.md](costs.md).
"""

HOW = """\
- **Ratios** are of runs that followed one another in a round, in an order that turns; given are the median of the rounds and, in brackets, the quartiles, of fewer than four rounds the least and the
  most. One run has no spread, and says so.
- **The processor's time** is that of all threads of a process, the one that writes the store included. One thread computes. What other processes do disturbs it less than the clock's, which is given beside
  it: on a machine with a load above its cores the clock's ratios say more about the others.
- **Memory** is resident (VmHWM) and of the largest process, less the bare program's; MiB are 2^20 bytes, MB 10^6.
- **To the report**: from the end of the last step until there is something to read. For `strata exec`, memray and heaptrack the program's own end is in it, some tenths of a second.
- A dash has its reason in the first cell beside the name.
"""

GROUPS = (
    ("Targets", ("targets",)),
    ("The peak without a GPU", ("estimation",)),
    ("Beside other recorders", ("recorders-",)),
    ("How costs grow", ("scaling-",)),
)


VERSIONS = ("torch", "transformers", "torchvision", "memray", "heaptrack", "valgrind", "nsys")


def version(value):
    return value or "not here"


def machine_lines(machines):
    """Of one machine as a rule; of several, which tables were made where is said by each."""
    first = machines[0]
    loads = sorted(machine["load"] for machine in machines)
    commits = sorted({version(machine["commit"]) for machine in machines})
    dates = sorted({machine["date"] for machine in machines})
    # These measurements' own share of it is 1, or a little more.
    shared = f"it was **not idle**: its load was {loads[0]:.1f} to {loads[-1]:.1f}, other tables of this page included where several were made at once" if loads[-1] > 2 else "nothing else worked on it"
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
