# SPDX-License-Identifier: Apache-2.0
"""The measurements of each table in a JSON file, so that an interrupted run can continue, and one
table can be made again."""

import json

SCHEMA = "strata.bench-table/1"
# A table that was made with different values of these is made again.
SAME = ("processor", "cores", "strata", "torch")


class Results:
    def __init__(self, folder):
        self.folder = folder
        self.unfinished = folder / "unfinished"

    def begin(self):
        """Whether this run continues an interrupted one. Otherwise existing files belong to an
        earlier page and are deleted."""
        self.folder.mkdir(parents=True, exist_ok=True)
        goes_on = self.unfinished.exists()
        if not goes_on:
            for path in self.folder.glob("*.json"):
                path.unlink()
        self.unfinished.touch()
        return goes_on

    def finish(self):
        self.unfinished.unlink(missing_ok=True)

    def path(self, name):
        return self.folder / f"{name}.json"

    def read(self, name):
        """Return None if it was not measured, or not by this program."""
        try:
            told = json.loads(self.path(name).read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return told if told.get("schema") == SCHEMA else None

    def is_done(self, name, facts, mode):
        told = self.read(name)
        return told is not None and told["mode"] == mode and all(told["machine"][key] == facts[key] for key in SAME)

    def write(self, name, facts, mode, seconds, result):
        self.folder.mkdir(parents=True, exist_ok=True)
        told = {"schema": SCHEMA, "table": name, "mode": mode, "machine": facts, "seconds": seconds, "result": result}
        beside = self.path(name).with_suffix(".new")
        beside.write_text(json.dumps(told, indent=1) + "\n")
        beside.replace(self.path(name))
