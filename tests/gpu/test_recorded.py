# SPDX-License-Identifier: Apache-2.0
"""The dry GPU compared with recordings of a real card: equal in every event, or within the bound in
about.json. Needs no GPU."""

import pytest
from parity_cases import CASES, REPOSITORY
from parity_comparison import Comparison
from parity_recordings import Recorded, profile_of, record

CARDS = [Recorded.read(folder.parent) for folder in sorted((REPOSITORY / "tests/data").glob("card-*/recordings"))]
# One of each kind; the others differ from it in a model, a batch or a precision.
QUICK = ("gpt2", "resnet50_sgd", "ddp", "lstm", "galore", "fft", "graphs", "streams", "step", "expandable", "split", "capture", "sizes", "oom")
RECORDED = [
    pytest.param(card, name, id=f"{card.folder.name}-{name}", marks=[] if name in QUICK else pytest.mark.long)
    for card in CARDS
    for name in card.names()
]


def test_there_are_recordings():
    assert [card.folder.name for card in CARDS] == ["card-h200"]
    assert set(CARDS[0].names()) == set(CASES)
    assert set(CARDS[0].about["bounds"]) < set(CASES)


@pytest.mark.parametrize(("card", "name"), RECORDED)
def test_the_dry_card_does_what_the_card_did(tmp_path, card, name):
    missing = CASES[name].missing()
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}: third_party/requirements-workloads.txt")
    on_card = card.recording(name)
    dry = record(name, tmp_path / f"{name}.json.gz", profile_of(on_card["device"]))
    assert Comparison(name, on_card, dry, card.bound(name)).problem() is None
