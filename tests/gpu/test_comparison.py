# SPDX-License-Identifier: Apache-2.0
"""How two recordings are compared, and what record.py makes equal; needs no GPU."""

import gzip
import json

import parity_comparison as comparison
import parity
import parity_page
import pytest
import record
import parity_recordings as recordings
from parity_cases import CASES, REPOSITORY

MIB = 1 << 20


def event(action, addr, size, stream=0):
    return {"action": action, "addr": addr, "size": size, "stream": stream}


def history(base, stream):
    return [
        event("segment_alloc", base, 2 * MIB),
        event("alloc", base, 512),
        event("alloc", base + 512, 1024, stream),
        event("free_requested", base, 512),
        event("free_completed", base, 512),
        event("segment_alloc", base + 64 * MIB, 20 * MIB),
        event("alloc", base + 64 * MIB, 3 * MIB),
    ]


def test_addresses_and_stream_handles_do_not_matter():
    one, other = (record.comparable(history(*where)) for where in ((0x300000000000, 7), (0x7F0000000000, 9)))
    assert one == other
    assert one[2] == ["alloc", 0, 512, 1024, 1]
    assert one[6] == ["alloc", 1, 0, 3 * MIB, 0]


def test_a_segment_that_was_freed_is_another_one_at_the_same_address():
    again = [event("segment_alloc", 0, 2 * MIB), event("segment_free", 0, 2 * MIB)] * 2 + [event("segment_alloc", 0, 2 * MIB)]
    assert [segment for _, segment, *_ in record.comparable(again)] == [0, 0, 1, 1, 2]


def test_an_expandable_segment_grows_at_its_end():
    base = 0x400000000000
    grown = [
        event("segment_map", base, 20 * MIB),
        event("segment_map", base + 20 * MIB, 20 * MIB),
        event("alloc", base + 10 * MIB, 30 * MIB),
        event("segment_unmap", base + 20 * MIB, 20 * MIB),
        event("segment_map", base + (1 << 40), 20 * MIB),
    ]
    assert [[segment, offset] for _, segment, offset, *_ in record.comparable(grown)] == [
        [0, 0],
        [0, 20 * MIB],
        [0, 10 * MIB],
        [0, 20 * MIB],
        [1, 0],
    ]


def test_an_allocation_that_failed_has_no_address():
    failed = {"action": "oom", "size": 20 * MIB, "stream": 0, "device_free": 5 * MIB}
    assert record.comparable([failed]) == [["oom", -1, 0, 20 * MIB, 0]]


def test_the_first_difference_is_told_with_what_came_before():
    card = record.comparable(history(0, 1))
    dry = [*card[:4], ["alloc", 0, 1536, 2048, 0], *card[5:]]
    difference = comparison.first_difference(card, dry)
    assert (difference.index, difference.card, difference.dry) == (4, card[4], dry[4])
    assert comparison.explained(difference) == [
        "event 4:",
        "  both  alloc of 512 bytes in segment 0 at 0, stream 0",
        "  both  alloc of 1,024 bytes in segment 0 at 512, stream 1",
        "  both  free_requested of 512 bytes in segment 0 at 0, stream 0",
        "  card  free_completed of 512 bytes in segment 0 at 0, stream 0",
        "  dry   alloc of 2,048 bytes in segment 0 at 1,536, stream 0",
    ]


def test_a_recording_that_ends_early_differs_there():
    card = record.comparable(history(0, 1))
    difference = comparison.first_difference(card, card[:-1])
    assert (difference.index, difference.dry) == (6, None)
    assert comparison.first_difference(card, card) is None


def facts(events, allocated=100, reserved=200, error=None):
    return {"device": "NVIDIA H200", "driver": "580.1", "torch": "2.11.0", "events": events, "allocated": allocated, "reserved": reserved, "error": error}


def compared(card, dry, **bound):
    return comparison.Comparison("step", card, dry, comparison.Bound(**bound))


def test_what_is_compared_has_events():
    events = record.comparable(history(0, 1))
    assert compared(facts(events), facts(events)).problem() is None
    for card, dry in ((events, []), ([], events), ([], [])):
        assert "has no events" in compared(facts(card), facts(dry)).problem()


def test_frees_at_the_end_are_not_compared():
    events = record.comparable(history(0, 1))
    assert events[-1][0] == "alloc"
    freed = [*events, ["free_requested", 0, 512, 1024, 1], ["free_completed", 0, 512, 1024, 1]]
    assert compared(facts(events), facts(freed)).problem() is None
    assert compared(facts(events), facts([*freed, events[0]])).problem() is not None


def test_peaks_within_the_bound_pass_and_others_do_not():
    events = record.comparable(history(0, 1))
    bound = {"allocated": 0.003, "reserved": 0.015, "because": "a reason"}
    near, far = (facts(events[1:], allocated=100_000 + more, reserved=200_000) for more in (300, 301))
    card = facts(events, allocated=100_000, reserved=200_000)
    assert compared(card, near, **bound).problem() is None
    assert compared(card, far, **bound).problem() == "allocated is off by +0.301%, more than 0.3%"
    assert "event 0:" in compared(card, near).problem(), "without a bound, every event is equal"


def test_a_program_that_fails_on_one_side_only_differs():
    events = record.comparable(history(0, 1))
    problem = compared(facts(events), facts(events, error="ValueError: no")).problem()
    assert problem == "the program ended differently: on the card without an error; on the dry card ValueError: no"


def test_two_files_are_compared_without_running_anything(tmp_path, capsys, monkeypatch):
    events = record.comparable(history(0, 1))
    for name, kept in (("card", events), ("same", events), ("other", events[1:])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"events": kept}))
    (tmp_path / "none.json.gz").write_bytes(gzip.compress(b'{"events": []}'))
    for dry, code in (("same.json", 0), ("other.json", 1), ("none.json.gz", 2)):
        monkeypatch.setattr("sys.argv", ["parity.py", "--card", f"{tmp_path}/card.json", "--dry", f"{tmp_path}/{dry}"])
        assert parity.main() == code
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["7 events, all equal", "event 0:"]


def test_every_card_finds_its_own_profile():
    assert recordings.profile_of("NVIDIA H100 80GB HBM3").stem == "h100-80gb"
    assert recordings.profile_of("NVIDIA H100") is None
    for file in (REPOSITORY / "configs/devices").glob("*.yaml"):
        name = file.read_text().split("name: {value: ", 1)[1].split(", source", 1)[0].strip("'\"")
        assert recordings.profile_of(name) == file


def test_a_page_names_card_driver_and_date_and_every_case(tmp_path):
    events = record.comparable(history(0, 1))
    (tmp_path / "about.json").write_text('{"recorded": "2026-11-28"}')
    results = {
        "step": compared(facts(events), facts(events)),
        "gpt2": recordings.NotRecorded("needs transformers"),
        "vit": compared(facts(events), facts(events[1:], allocated=99), allocated=0.02, reserved=0.02, because="a reason"),
    }
    page = f"before\n{parity_page.BEGIN}\nold\n{parity_page.END}\nafter\n"
    text = parity_page.page(page, results, recordings.Recorded.read(tmp_path))
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert "NVIDIA H200, driver 580.1, torch 2.11.0, 2026-11-28" in text
    assert "1 of 3 cases are equal in every event" in text
    assert "| step | 7 | none | 0.00 | equal | 0.00 | equal | equal |" in text
    assert "not recorded: needs transformers" in text
    assert "-1.000%" in text and "| vit | 2.0% | 2.0% | a reason |" in text
    assert "#### vit" in text and "#### step" not in text


def test_a_case_that_leaves_no_recording_does_not_stop_the_others(tmp_path):
    def work(name):
        if name == "gpt2":
            raise recordings.NotRecorded("was not done after 150 s")
        return name.upper()

    found = parity.side_by_side(work, ["step", "gpt2", "oom"], jobs=2)
    assert list(found) == ["step", "gpt2", "oom"]
    assert (found["step"], found["oom"]) == ("STEP", "OOM")
    assert str(found["gpt2"]) == "was not done after 150 s"


def test_a_program_that_ends_without_a_recording_is_told(tmp_path, monkeypatch):
    with pytest.raises(recordings.NotRecorded, match="ended with exit code"):
        monkeypatch.setattr(recordings, "HERE", tmp_path)  # this folder has no record.py
        recordings.record("step", tmp_path / "step.json.gz")


def test_every_case_has_its_program():
    for name, case in CASES.items():
        assert case.program.is_file(), name
