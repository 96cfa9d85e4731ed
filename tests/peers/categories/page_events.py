# SPDX-License-Identifier: Apache-2.0
"""The allocations and frees in a report's page, read in the layout of docs/report.md."""

import base64
import itertools
import re
import zlib

EVENTS = re.compile(r'<script[^>]*id="events"[^>]*>(.*?)</script>', re.DOTALL)
NUMBERS_OF_A_SITE = 9  # the category first


def numbers(section):
    """Decode LEB128: seven bits in each byte, the lowest first; the eighth bit says that more bytes
    follow."""
    found, number, shift = [], 0, 0
    for byte in section:
        number |= (byte & 0x7F) << shift
        if byte & 0x80:
            shift += 7
        else:
            found.append(number)
            number, shift = 0, 0
    assert shift == 0, "a number that does not end"
    return found


def sections(html, directory):
    packed = zlib.decompress(base64.b64decode(EVENTS.search(html)[1]), wbits=-zlib.MAX_WBITS)
    ends = list(itertools.accumulate(length for _, length in directory["sections"]))
    assert ends[-1] == len(packed)
    return {name: packed[end - length : end] for (name, length), end in zip(directory["sections"], ends)}


def changes(html, facts):
    """Yield for each event, in order, the category's name and the change of its bytes."""
    directory = facts["events"]
    assert (directory["exact_begin"], directory["exact_end"]) == (0, directory["count"]), "not each event stands there"
    held = sections(html, directory)
    sizes = list(itertools.accumulate(numbers(held["sizes"])))
    site_numbers = numbers(held["sites"])
    category_of = [facts["categories"][site_numbers[at]]["name"] for at in range(0, len(site_numbers), NUMBERS_OF_A_SITE)]
    sites = numbers(held["site_of"])
    blocks = [(category_of[site], sizes[size]) for site, size in zip(sites, numbers(held["size_of"]), strict=True)]
    allocated = 0
    for reference in numbers(held["references"]):
        if reference == 0:
            yield blocks[allocated]
            allocated += 1
        else:
            category, size = blocks[allocated - reference]
            yield category, -size
