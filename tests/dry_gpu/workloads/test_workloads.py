# SPDX-License-Identifier: Apache-2.0
"""Common models of transformers and torchvision on simulated GPUs: their peaks and events.

    STRATA_KEEP_PEAKS=1 python -m pytest tests/dry_gpu/workloads -m long

writes the results to tests/data/workload_peaks.json, the tests' reference, and to the tables of
docs/workloads.md. Check the difference before you keep it.
"""

import json
import os
import pathlib

import pytest
from catalogue import EVERYWHERE, WORKLOADS, WORKSPACES

REPOSITORY = pathlib.Path(__file__).parents[3]
FILE = REPOSITORY / "tests/data/workload_peaks.json"
PAGE = REPOSITORY / "docs/workloads.md"
BEFORE_TABLES = "<!-- tables: written by tests/dry_gpu/workloads -->\n"
MIB = 1 << 20

CARDS = sorted(path.stem for path in (REPOSITORY / "configs/devices").glob("*.yaml"))
RUNS = [
    *(("h100-80gb", name, None) for name in WORKLOADS),
    *(("h100-80gb", name, workspace) for name, workspaces in WORKSPACES.items() for workspace in workspaces),
    *((card, name, None) for card in CARDS if card != "h100-80gb" for name in EVERYWHERE),
    ("a100-80gb", "vit_l_16", None),
]

def kept_name(name, workspace):
    return f"{name}, cuDNN's workspace {workspace}" if workspace else name


def tables(kept):
    """Return Markdown: the peaks of the third step on each card, in MiB."""
    for card in sorted(kept, key=lambda card: (card != "h100-80gb", card)):
        yield f"\n## {card}\n\n| Workload | Parameters | Allocated, MiB | Reserved, MiB |\n|---|---:|---:|---:|\n"
        for name, facts in sorted(kept[card].items()):
            allocated, reserved = (bytes_ / MIB for bytes_ in facts["peaks"][2])
            yield f"| {name} | {facts['parameters'] / 1e6:,.1f} M | {allocated:,.1f} | {reserved:,.0f} |\n"


@pytest.fixture(scope="module")
def golden():
    kept = json.loads(FILE.read_text()) if FILE.exists() else {}
    keep = "STRATA_KEEP_PEAKS" in os.environ
    yield (kept, keep)
    if keep:
        cards = (
            f' "{card}": {{\n' + ",\n".join(f'  "{name}": {json.dumps(facts)}' for name, facts in sorted(runs.items())) + "\n }"
            for card, runs in sorted(kept.items())
        )
        FILE.write_text("{\n" + ",\n".join(cards) + "\n}\n")
        before = PAGE.read_text().split(BEFORE_TABLES)[0]
        PAGE.write_text(before + BEFORE_TABLES + "".join(tables(kept)))


@pytest.mark.long
@pytest.mark.parametrize(("card", "name", "workspace"), RUNS)
def test_peaks_are_the_kept_ones_and_every_run_has_the_same_events(train, golden, card, name, workspace):
    kept, keep = golden
    first, second, third = (train(WORKLOADS[name], card, workspace) for _ in range(3))
    assert first == second == third
    assert first["events"] > 1000
    assert ["would refuse this kernel" in message for message in first["messages"]] == [True] * (card == "v100")
    facts = {"parameters": first["parameters"], "peaks": first["peaks"]}
    if keep:
        kept.setdefault(card, {})[kept_name(name, workspace)] = facts
    assert facts == kept[card][kept_name(name, workspace)]


def test_llama_7b_by_hand(golden):
    width, feed_forward = 4096, 11008
    layer = [width * width] * 4 + [width * feed_forward] * 3 + [width] * 2
    parameters = 2 * (2 * 32000 * width + width + 32 * sum(layer))  # bfloat16; each parameter uses whole units of 512 bytes
    workspaces = 2 * (32 << 20)  # cuBLAS's: forward's thread, backward's
    tokens, frequencies = 2048 * 8, 2 * 512
    # The parameters, their gradients, both moments, and the roots of the second moments, all at
    # once.
    at_the_step = 5 * parameters + workspaces + tokens + frequencies
    assert golden[0]["h100-80gb"]["llama-7b, bfloat16"]["peaks"][2][0] == at_the_step == 67_451_282_432


def test_what_is_kept_is_what_runs(golden):
    kept, _ = golden
    runs = {(card, kept_name(name, workspace)) for card, name, workspace in RUNS}
    assert {(card, name) for card, names in kept.items() for name in names} == runs


def test_the_page_shows_what_is_kept(golden):
    kept, keep = golden
    assert keep or PAGE.read_text().split(BEFORE_TABLES)[1] == "".join(tables(kept))
