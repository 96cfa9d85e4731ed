# SPDX-License-Identifier: Apache-2.0
"""Nsight Systems, as fetch_nsys unpacks it: profiles a command without a GPU, and reads the
report."""

import collections
import contextlib
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess

FETCH = pathlib.Path(__file__).parent / "fetch_nsys"
WITHOUT_GPU = ("--trace=nvtx", "--sample=none", "--cpuctxsw=none")
PUSH_POP, START_END, MARK, CATEGORY, THREAD, DOMAIN = 59, 60, 34, 33, 39, 75

# The last message is all that nsys prints if its agent closed the connection; then there is no
# report.
AGENT_FAILED = ("Local Endpoint is not available", "Connection to the Agent lost", "End of file")


class Unavailable(Exception):
    """The reason why Nsight Systems is not available here."""


class Nsight:
    """Raises Unavailable if it cannot be fetched."""

    def __init__(self):
        done = subprocess.run([FETCH], capture_output=True, text=True, timeout=900, check=False)
        if done.returncode != 0:
            raise Unavailable((done.stderr.strip().splitlines() or ["fetch_nsys failed"])[-1])
        folder = pathlib.Path(done.stdout.strip())
        self.program = folder / "usr/lib/nsight-systems/bin/nsys"
        self.importer = folder / "usr/lib/nsight-systems/host-linux-x64/QdstrmImporter"

    def run(self, *words, folder, timeout=300):
        """Return its output and its process id."""
        process = subprocess.Popen(
            [self.program, *map(str, words)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        out, err = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(words, process.returncode, out, err), process.pid

    def profile(self, command, *options, folder, name="report"):
        """Return the reports that it wrote, in order: one, or several with
        --capture-range-end=repeat."""
        words = ("profile", *WITHOUT_GPU, f"--output={name}", *options, *command)
        for attempt in range(4):
            done, pid = self.run(*words, folder=folder)
            # Its agent is a separate process. Sometimes nsys connects before the agent listens, or
            # the agent ends first.
            if not any(text in done.stdout + done.stderr for text in AGENT_FAILED):
                break
            stop_agent(pid)
            shutil.rmtree(folder / "out", ignore_errors=True)
            for unfinished in folder.glob(f"{name}*"):
                unfinished.unlink()
        assert done.returncode == 0 or options, f"attempt {attempt}: {done.stdout}\n{done.stderr}"
        for stream in folder.glob(f"{name}*.qdstrm"):
            subprocess.run([self.importer, "-i", stream], cwd=folder, check=True, capture_output=True, timeout=300)
        return done, sorted(folder.glob(f"{name}*.nsys-rep"))

    def stats(self, report, table):
        """Return the rows of a table of `nsys stats`, as text by column."""
        done, _ = self.run(
            "stats", "--report", table, "--format", "csv", "--force-export=true", report.name, folder=report.parent
        )
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        (at,) = [i for i, line in enumerate(lines) if line.startswith("Time (%)")]
        columns = lines[at].split(",")
        return [dict(zip(columns, line.split(","), strict=True)) for line in lines[at + 1 :] if line]

    def export(self, report):
        """Return the report as SQLite."""
        database = report.with_suffix(".sqlite")
        words = ("--type=sqlite", "--force-overwrite=true", f"--output={database.name}", report.name)
        done, _ = self.run("export", *words, folder=report.parent)
        assert done.returncode == 0, done.stderr
        return Exported(database)


def stop_agent(pid):
    """Stop the agent that a failed start of that process left; its session is named
    profile-<program>-<pid>."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            is_session = any(word.startswith(b"--session-name=") and word.endswith(b"-%d" % pid) for word in words)
            if b"--start-agent" in words and is_session:
                os.kill(int(process.name), signal.SIGTERM)


class Exported:
    """The data of the domain `strata` in a report's SQLite export, of all processes together."""

    def __init__(self, file):
        with contextlib.closing(sqlite3.connect(file)) as database:
            self.rows = database.execute(
                "SELECT eventType, coalesce(text, value), uint64Value, category, start, end, color"
                " FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId"
                f" WHERE domainId IN (SELECT domainId FROM NVTX_EVENTS WHERE eventType = {DOMAIN} AND text = 'strata')"
                " ORDER BY start"
            ).fetchall()
            # A domain's number is per process; the upper bits of a global thread id identify the
            # process.
            (self.processes,) = database.execute(
                f"SELECT count(DISTINCT globalTid >> 24) FROM NVTX_EVENTS WHERE eventType = {PUSH_POP}"
            ).fetchone()
            self.threads = {
                text
                for (text,) in database.execute(f"SELECT text FROM NVTX_EVENTS WHERE eventType = {THREAD}")
            }

    def ranges(self, kind):
        """Return counts by (message, payload)."""
        return collections.Counter((text, payload) for event, text, payload, *_ in self.rows if event == kind)

    def still_open(self):
        return [text for event, text, *_, end, _ in self.rows if event in (PUSH_POP, START_END) and end is None]

    def categories(self):
        return {category: text for event, text, _, category, *_ in self.rows if event == CATEGORY}
