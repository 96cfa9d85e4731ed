# SPDX-License-Identifier: Apache-2.0
"""Output of the program about itself."""

import re
import subprocess


def says(strata, *words, **options):
    """Return what `strata` prints for these words; raises with its error if it fails."""
    result = subprocess.run([strata, *words], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, (strata, *words)))} ended with {result.returncode}:\n{result.stderr}")
    return result.stdout


def prose(text):
    """Return Markdown that shows each of its characters, also in a table's cell."""
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;")).replace("\n", " ")
