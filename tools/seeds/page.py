# SPDX-License-Identifier: Apache-2.0
"""A page with tables made by a program, between markers, and other lines written by hand."""

import re

BEGIN = re.compile(r"^<!-- begin ([\w-]+): .+ -->$")
END = "<!-- end {} -->"


class Page:
    def __init__(self, path):
        self.path = path
        self.lines = path.read_text().splitlines()

    def names(self):
        return [match[1] for match in map(BEGIN.match, self.lines) if match]

    def block(self, name):
        """Return the text between the markers of `name`."""
        first, last = self._range(name)
        return "\n".join(self.lines[first:last])

    def put(self, name, text):
        first, last = self._range(name)
        self.lines[first:last] = text.splitlines()

    def write(self):
        self.path.write_text("\n".join(self.lines) + "\n")

    def _range(self, name):
        begins = [at for at, line in enumerate(self.lines) if (match := BEGIN.match(line)) and match[1] == name]
        ends = [at for at, line in enumerate(self.lines) if line == END.format(name)]
        if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
            raise ValueError(f"{self.path}: one '<!-- begin {name}: ... -->' is wanted, and one '{END.format(name)}' after it")
        return begins[0] + 1, ends[0]
