# SPDX-License-Identifier: Apache-2.0
"""The pages, their fenced blocks, and what the comments above a block say of it.

<!-- not run: REASON -->   above a block of commands
<!-- exits with N -->      above a block of commands that ends so, and not with 0
<!-- in each shell -->     above what readers type first in each new shell, and tests before each block
<!-- written to: NAME -->  above any block: the commands below it find it as that file
<!-- is: PATH -->          above any block: it is that file of the repository, or a part of it
<!-- varies -->            above an output: another machine's, or time's, and not compared

In an output a line of `...` stands for any lines, and one at a line's end for its rest."""

import dataclasses
import pathlib
import re

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
GUIDE = sorted((REPOSITORY / "docs/guide").glob("*.md"))
PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md"), *(REPOSITORY / "plugin_api").rglob("*.md")])

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
    """This, without its inline code."""
    return re.sub(r"`[^`\n]*`", "``", unfenced(page))
