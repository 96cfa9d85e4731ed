# SPDX-License-Identifier: Apache-2.0
"""How parity.py compares two recordings, and what record.py makes equal; no GPU is needed."""

import json

import parity
import record

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


def test_the_first_difference_is_told_with_what_came_before():
    card = record.comparable(history(0, 1))
    dry = [*card[:4], ["alloc", 0, 1536, 2048, 0], *card[5:]]
    difference = parity.first_difference(card, dry)
    assert (difference.index, difference.card, difference.dry) == (4, card[4], dry[4])
    assert parity.explained(difference) == [
        "event 4:",
        "  both  alloc of 512 bytes in segment 0 at 0, stream 0",
        "  both  alloc of 1,024 bytes in segment 0 at 512, stream 1",
        "  both  free_requested of 512 bytes in segment 0 at 0, stream 0",
        "  card  free_completed of 512 bytes in segment 0 at 0, stream 0",
        "  dry   alloc of 2,048 bytes in segment 0 at 1,536, stream 0",
    ]


def test_a_recording_that_ends_early_differs_there():
    card = record.comparable(history(0, 1))
    difference = parity.first_difference(card, card[:-1])
    assert (difference.index, difference.dry) == (6, None)
    assert parity.first_difference(card, card) is None


def test_two_files_are_compared_without_running_anything(tmp_path, capsys, monkeypatch):
    events = record.comparable(history(0, 1))
    for name, kept in (("card", events), ("same", events), ("other", events[1:])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"events": kept}))
    for dry, code in (("same", 0), ("other", 1)):
        monkeypatch.setattr("sys.argv", ["parity.py", "--card", f"{tmp_path}/card.json", "--dry", f"{tmp_path}/{dry}.json"])
        assert parity.main() == code
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["7 events, all equal", "event 0:"]


def test_every_card_finds_its_own_profile():
    assert parity.profile_of("NVIDIA H100 80GB HBM3").stem == "h100-80gb"
    assert parity.profile_of("NVIDIA H100") is None
    for file in (parity.REPOSITORY / "configs/devices").glob("*.yaml"):
        name = file.read_text().split("name: {value: ", 1)[1].split(", source", 1)[0].strip("'\"")
        assert parity.profile_of(name) == file


def test_a_report_names_card_driver_and_date():
    facts = {"device": "NVIDIA H200", "driver": "580.1", "torch": "2.11.0", "events": [], "allocated": 1, "reserved": 2}
    text = parity.report([("step", facts, facts, None)], parity.REPOSITORY / "configs/devices/h200.yaml")
    assert "NVIDIA H200, driver 580.1, torch 2.11.0" in text
    assert "| step | 0 | 1 / 2 | 1 / 2 | equal |" in text
