# SPDX-License-Identifier: Apache-2.0
"""The files of `strata plot`: they are complete, have the right format, and are listed on standard
output."""

import struct
import xml.etree.ElementTree

import pytest

pytestmark = pytest.mark.smoke

PICTURES = ["memory", "categories", "layers", "peak"]


def test_all_pictures_in_all_formats(finished, tmp_path):
    done = finished.strata("plot", "out", "--format", "svg,png,pdf", "--out", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    written = done.stdout.splitlines()
    assert written == [str(tmp_path / "figures" / f"{what}.{form}") for what in PICTURES for form in ("svg", "png", "pdf")]
    for path in written:
        content = open(path, "rb").read()
        if path.endswith(".svg"):
            root = xml.etree.ElementTree.fromstring(content)
            assert root.tag.endswith("svg") and root.attrib["width"].startswith("720")
        elif path.endswith(".png"):
            assert content[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">I", content[16:20]) == (1440,)
        else:
            assert content.startswith(b"%PDF-") and content.rstrip().endswith(b"%%EOF")


def test_goes_into_the_run_by_default(tiny):
    assert tiny.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    done = tiny.strata("plot", "out", "--what", "memory", "--step", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tiny.folder / "out" / "plots" / "memory-step1.svg")
    assert [path.name for path in (tiny.folder / "out" / "plots").iterdir()] == ["memory-step1.svg"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--step", "99"], "--step 99: the run recorded steps 0 to 2"),
        (["--what", "nothing"], "nothing"),
        (["--format", "bmp"], "bmp"),
        (["--width", "3"], "--width"),
        (["--step", "1", "--whole-run"], "--whole-run"),
    ],
)
def test_wrong_words_are_named(finished, tmp_path, words, said):
    done = finished.strata("plot", "out", "--out", tmp_path / "figures", *words)
    assert done.returncode == 2 and said in done.stderr
    assert not (tmp_path / "figures").exists()


def test_a_folder_is_no_picture(finished, tmp_path):
    done = finished.strata("plot", "out", "--out", tmp_path / "memory.png")
    assert done.returncode == 2 and "memory.png must name a folder" in done.stderr
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_is_said(finished, tmp_path):
    (tmp_path / "file").write_text("")
    done = finished.strata("plot", "out", "--out", tmp_path / "file" / "below")
    assert done.returncode in (1, 2) and "file" in done.stderr
