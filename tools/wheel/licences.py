# SPDX-License-Identifier: Apache-2.0
"""The licences of a wheel's third-party parts other than headers: the libraries that it includes,
the archives that the portable program is linked from, its font. The texts are those of Debian's
packages.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys

# Every system that a Linux wheel may be installed on has these (PEP 600), so they are not in it.
OF_EVERY_SYSTEM = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libstdc++.so", "libgcc_s.so", "libz.so", "ld-linux", "linux-vdso")


def linked(tree: pathlib.Path) -> set[str]:
    """Return the files of libraries and archives that end up in this tree's wheel."""
    files = {str(tree / "lib/libstrata.so"), str(tree / "portable/strata")}
    found = set()
    for file in files:
        listed = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
        found |= {match[1] for match in re.finditer(r"=> (/\S+)", listed)}
    found = {file for file in found if not pathlib.Path(file).name.startswith(OF_EVERY_SYSTEM) and not file.startswith(str(tree))}
    cache = (tree / "CMakeCache.txt").read_text()
    found |= {match[1] for match in re.finditer(r"^(?:cairo_archive_\S+|libarchive_archive):FILEPATH=(.*)$", cache, re.M)}
    return found | {match[1] + "/DejaVuSans.ttf" for match in re.finditer(r"^dejavu_fonts:PATH=(.*)$", cache, re.M)}


def copy_licences(tree: pathlib.Path, folder: pathlib.Path) -> None:
    """Copy them into `folder`, one file per package."""
    folder.mkdir(parents=True)
    for file in sorted(linked(tree)):
        told = subprocess.run(["dpkg", "--search", f"*/{pathlib.Path(file).name}"], capture_output=True, text=True)
        packages = sorted({line.split(":")[0] for line in told.stdout.splitlines()})
        texts = [path for package in packages if (path := pathlib.Path("/usr/share/doc", package, "copyright")).is_file()]
        if not texts:
            sys.exit(f"the licence of {file} is not known: no installed package of Debian has it. Install what third_party/debian-packages.txt lists")
        for text in texts[:1]:
            shutil.copyfile(text, folder / text.parent.name)
