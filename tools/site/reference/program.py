# SPDX-License-Identifier: Apache-2.0
"""What the program says of itself."""

import re
import subprocess


def says(strata, *words, **options):
    """What `strata` prints for these words; raises with its error where it fails."""
    result = subprocess.run([strata, *words], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, (strata, *words)))} ended with {result.returncode}:\n{result.stderr}")
    return result.stdout


def prose(text):
    """As Markdown that shows each character of it, also in a cell of a table."""
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;")).replace("\n", " ")
