# SPDX-License-Identifier: Apache-2.0
"""On a machine with a GPU: every case on the card and on its dry profile. `./dev parity` does the
same and writes docs/parity.md."""

import subprocess
import sys

import parity
import pytest
from parity_cases import CASES
from parity_comparison import Comparison
from parity_recordings import Recorded, profile_of, record

pytestmark = pytest.mark.long
KNOWN = Recorded.read(parity.REPOSITORY / "tests/data/card-h200")  # the dry GPU's bounds hold for any card


@pytest.fixture(scope="session")
def profile():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU that PyTorch can use: test_recorded.py compares the dry GPU with recordings of a card instead")
    found = profile_of(torch.cuda.get_device_name())
    if found is None:
        pytest.skip(f"configs/devices has no profile of a card named '{torch.cuda.get_device_name()}'")
    return found


@pytest.mark.parametrize("case", CASES)
def test_the_allocator_does_on_the_dry_card_what_it_does_on_the_card(profile, tmp_path, case):
    card, dry = (record(case, tmp_path / f"{kind}.json.gz", used) for kind, used in (("card", None), ("dry", profile)))
    assert Comparison(case, card, dry, KNOWN.bound(case)).problem() is None


def test_without_a_gpu_the_command_says_so_and_fails(tmp_path):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    done = subprocess.run([sys.executable, parity.__file__, "--report", tmp_path / "parity.md"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "no GPU that PyTorch can use" in done.stderr
    assert "--recorded tests/data/card-h200" in done.stderr
    assert not (tmp_path / "parity.md").exists()


def test_a_folder_without_recordings_is_refused(tmp_path):
    done = subprocess.run([sys.executable, parity.__file__, "--recorded", tmp_path], capture_output=True, text=True)
    assert done.returncode == 2
    assert "holds no recording of a known case" in done.stderr
