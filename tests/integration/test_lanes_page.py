# SPDX-License-Identifier: Apache-2.0
"""The page's lanes match the run store, operator by operator and kernel by kernel."""

import base64
import json
import re
import zlib


def numbers(data):
    list_, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            list_.append(number)
            number = shift = 0
    return list_


def lanes_of(page):
    """Return [kind, [(begin, length, called, amount, name)...]] of each lane, read as
    docs/report.md describes."""
    element = lambda name: re.search(rf'id="{name}">(.*?)</script>', page, re.S).group(1)
    facts = json.loads(element("facts"))
    data = zlib.decompress(base64.b64decode(element("events")), -15)
    sections, at = {}, 0
    for name, length in facts["events"]["sections"]:
        sections[name] = data[at:at + length]
        at += length
    assert at == len(data)
    texts = json.loads(sections["span_texts"])
    sites = numbers(sections["span_sites"])
    columns = [numbers(sections[f"span_{name}"]) for name in ("begins", "lengths", "called", "amounts", "site_of")]
    lanes, first = [], 0
    for lane in facts["lanes"]["list"]:
        begin, rows = 0, []
        for delta, length, called, amount, site in zip(*(column[first:first + lane["count"]] for column in columns)):
            begin += delta
            rows.append((begin, length, called, amount, texts[sites[site * 7 + 2]]))
        first += lane["count"]
        lanes.append((lane["kind"], rows))
    return facts, lanes


def run_and_read(tiny, *words):
    result = tiny.strata("run", "tiny.yaml", "--out", "out", "trace.shapes=true", *words)
    assert result.returncode == 0, result.stderr
    return lanes_of((tiny.folder / "out/report.html").read_text())


def since(rows):
    """Make times relative to the first row: the page and the store count from different moments."""
    first = min(row[0] for row in rows)
    return first, sorted((row[0] - first, *row[1:]) for row in rows)


def stored_operators(tiny):
    return tiny.query("out", """
        select begin_ns, end_ns - begin_ns, text from cupti_timeline_op join string on string.id = name where kind != 2""")


def test_operators_and_kernels_are_those_of_the_store(tiny):
    _, lanes = run_and_read(tiny, "--dry", "h100-80gb", "--clock", "modelled", "plugins=[allocator_tracer, cupti_timeline]")
    operators = [row for kind, rows in lanes if kind == "operators" for row in rows]
    first_in_page, shown = since([(begin, length, name) for begin, length, _, _, name in operators])
    first_in_store, stored = since(stored_operators(tiny))
    assert shown == stored and len(shown) > 500
    assert len([kind for kind, _ in lanes if kind == "operators"]) == 2  # autograd has its own thread

    works = [row for kind, rows in lanes if kind == "stream" for row in rows]
    told = tiny.query("out", "select begin_ns, end_ns - begin_ns, bytes from cupti_timeline_activity where kind in (1, 2, 3, 7)")
    assert sorted((begin - first_in_page, length, amount) for begin, length, _, amount, _ in works) == \
        sorted((begin - first_in_store, length, amount) for begin, length, amount in told)
    directions = tiny.query("out", "select count(*) from host_module_begin")
    assert sum(len(rows) for kind, rows in lanes if kind == "modules") == directions[0][0]


def test_an_operator_has_what_was_allocated_in_it_and_in_those_it_called(tiny):
    _, lanes = run_and_read(tiny, "plugins=[allocator_tracer, cupti_timeline]")
    parents = dict(tiny.query("out", "select op, parent from cupti_timeline_op"))
    names = dict(tiny.query("out", "select op, text from cupti_timeline_op join string on string.id = name"))
    begins = dict(tiny.query("out", "select op, begin_ns from cupti_timeline_op"))
    amounts = dict.fromkeys(parents, 0)
    for op, size in tiny.query("out", "select op, bytes from allocator_tracer_event where action = 1"):
        while op in parents:
            amounts[op] += size
            op = parents[op]
    _, stored = since([(begins[op], names[op], amounts[op]) for op in parents])
    _, shown = since([(begin, name, amount) for kind, rows in lanes if kind == "operators" for begin, _, _, amount, name in rows])
    assert shown == stored and sum(amount for _, _, amount in shown) > 0


def test_modules_of_backward_are_found_on_the_cpu(tiny):
    facts, lanes = run_and_read(tiny, "plugins=[allocator_tracer, cupti_timeline]")
    names = [row[4] for kind, rows in lanes if kind == "modules" for row in rows]
    forward = tiny.query("out", "select count(*) from host_module_begin where direction = 0")[0][0]
    assert len(names) > forward and names.count("layers.1") > 0
    assert facts["lanes"]["notes"] == ["No kernels: the run computed on the CPU."]


def test_a_dry_gpu_without_a_clock_is_named_as_the_reason(tiny):
    facts, lanes = run_and_read(tiny, "--dry", "h100-80gb", "plugins=[allocator_tracer, cupti_timeline]")
    assert "stream" not in [kind for kind, _ in lanes]
    assert any(note.startswith("No kernels: the dry GPU has no clock") for note in facts["lanes"]["notes"])


def test_without_times_there_are_phases_and_a_reason(tiny):
    facts, lanes = run_and_read(tiny)
    assert [kind for kind, _ in lanes] == ["ranges"]
    assert "did not have the plugin cupti_timeline" in facts["lanes"]["notes"][0]
    assert facts["time"] is None
