# SPDX-License-Identifier: Apache-2.0
"""The pages, their fenced blocks, and the comments above a block.

<!-- not run: REASON -->   above commands: they are not run
<!-- exits with N -->      above commands: they exit with N instead of 0
<!-- in each shell -->     above what readers type first in each new shell: run before each block
<!-- written to: NAME -->  above any block: it is written to that file for the commands below it
<!-- is: PATH -->          above any block: it is that file of the repository, or a part of it
<!-- varies -->            above an output: it differs by machine or by time, and is not compared

In an output a line of `...` matches any lines, and `...` at a line's end matches its rest."""

import dataclasses
import pathlib
import re

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
GUIDE = sorted((REPOSITORY / "docs/guide").glob("*.md"))
PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md"), *(REPOSITORY / "plugin_api").rglob("*.md"), *(REPOSITORY / "tests").rglob("*.md")])

BLOCK = re.compile(r"((?:^<!-- [^\n]* -->\n)*)^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REMARK = re.compile(r"<!-- ([a-z ]+?)(?:: (.*)| (\d+))? -->")
COMMANDS = ("bash", "console")


@dataclasses.dataclass
class Block:
    language: str
    text: str
    remarks: dict
    line: int

    @property
    def is_run(self):
        return self.language in COMMANDS and "not run" not in self.remarks


def blocks(page):
    text = page.read_text()
    for found in BLOCK.finditer(text):
        remarks = {name: value or number or "" for name, value, number in REMARK.findall(found[1])}
        yield Block(found[2], found[3], remarks, text.count("\n", 0, found.start(2)) + 1)


def unfenced(page):
    """The page's text without its fenced blocks."""
    return re.sub(r"^(```+)[^\n]*\n.*?^\1$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def prose(page):
    """Return that text without its inline code."""
    return re.sub(r"`[^`\n]*`", "``", unfenced(page))
