# SPDX-License-Identifier: Apache-2.0
"""Every table of the run store, as a run that declares them describes it itself."""

import contextlib
import pathlib
import pickle
import re
import sqlite3
import tempfile

from .program import prose, says

HEAD = """\
# Every table of the run store

Read from the store of a run: each table of a plugin, of a source and of the host keeps its columns, their units and what they are in `table_info` and `column_info`. [The run store](../run-store.md) says
what is promised of it. `string` is an id of the table `string`.

"""
MODEL = """\
model: {size: custom, layers: 1, d_model: 16, d_ff: 16, heads: 2, vocab: 16, context: 8}
data: {source: synthetic, batch_size: 1}
schedule: {wait: 0, warmup: 0, active: 1}
device: {dry: h100-80gb, clock: modelled}
store: {max_mb: 64}
trace: {cross_check: true, saved_tensors: true, layer_outputs: true, shapes: true}
plugins: [{allocator_tracer: {stacks_above_mib: 0}}, cupti_timeline, warmup_analyzer]
"""
# Declared only if a program asks for Python stacks, has a Trainer, or learns its rank late, so
# these are read from the source.
UNASKED = ("sources/torch/python/python_stack_log.cpp", "sources/torch/training/trainer_record.cpp", "sources/torch/training/process_rank.cpp")
TABLE = re.compile(r'return \{\s*host,\s*"(\w+)",\s*"([^"]*)",(.*?)\};', re.DOTALL)
COLUMN = re.compile(r'STRATA_COLUMN\(\w+, (\w+), STRATA_COLUMN_(\w+), "(\w*)",\s*"([^"]*)"\)')


def run_everything(strata, folder):
    """Return the stores of a run and of an opened snapshot that declare every table a command can
    cause."""
    (folder / "all.yaml").write_text(MODEL)
    says(strata, "run", "all.yaml", "--out", "run", cwd=folder)
    allocation = {"action": "alloc", "addr": 1 << 40, "size": 1 << 20, "stream": 0, "time_us": 1}
    (folder / "one.pickle").write_bytes(pickle.dumps({"segments": [], "device_traces": [[allocation]]}))
    says(strata, "report", "one.pickle", cwd=folder)
    return [store for run in ("run", "one.pickle.run") for store in sorted((folder / run).glob("rank0/*.sqlite"))]


def declared_in(source, plugin):
    """Return the same as tables_of, for a source file that declares its tables only with
    literals."""
    return {
        f"{plugin}_{name}": (plugin, said, [(column, kind.lower(), unit, help) for column, kind, unit, help in COLUMN.findall(body)])
        for name, said, body in TABLE.findall(source)
    }


def tables_of(store):
    """Return plugin, table, help and columns of each declared table; then (name, SQL) of the
    store's own."""
    with contextlib.closing(sqlite3.connect(store)) as database:
        declared = {
            name: (plugin, said, database.execute(
                "SELECT name, type, unit, help FROM column_info WHERE table_name = ? ORDER BY position", (name,)
            ).fetchall())
            for name, plugin, said in database.execute("SELECT name, plugin, help FROM table_info")
        }  # fmt: skip
        made = database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name").fetchall()
    return declared, {name: sql for name, sql in made if name not in declared}


def page(repository, strata):
    declared, own = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for store in run_everything(strata, pathlib.Path(folder)):
            here, made = tables_of(store)
            declared |= here
            own |= made
    for file in UNASKED:
        declared |= declared_in((repository / file).read_text(), "torch")
    parts, last = [], None
    for name, (plugin, said, columns) in sorted(declared.items(), key=lambda item: (item[1][0] != "host", item[1][0], item[0])):
        if plugin != last:
            parts.append(f"## Of {'the host' if plugin == 'host' else plugin}")
            last = plugin
        rows = "\n".join(f"| `{column}` | {kind} | {unit} | {prose(help)} |" for column, kind, unit, help in columns)
        parts.append(f"### {name}\n\n{prose(said[:1].upper() + said[1:])}.\n\n| column | type | unit | |\n|---|---|---|---|\n{rows}")
    parts.append("## The store's own tables and its views")
    parts += [f"### {name}\n\n```sql\n{sql}\n```" for name, sql in own.items()]
    return HEAD + "\n\n".join(parts) + "\n"
