# SPDX-License-Identifier: Apache-2.0
"""The files that a build needs of a torch release, without its code: the headers of PyPI's wheel,
and stub libraries with the same symbols. This takes 60 MB per release instead of 1.5 GB. It is kept
in ~/.cache/strata/torch-sdk.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable

LIBRARIES = ("libtorch.so", "libtorch_cpu.so", "libtorch_cuda.so", "libc10.so", "libc10_cuda.so")
# The section for symbols of each ELF type, and the assembler's word for the type.
TYPES = {"FUNC": (".text", "@function"), "IFUNC": (".text", "@function"), "OBJECT": (".data", "@object"), "TLS": (".tdata", "@tls_object")}


def folder_of(release: str) -> pathlib.Path:
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return cache / "strata/torch-sdk" / release


def torch_sdk(release: str, cuda_headers: pathlib.Path) -> pathlib.Path:
    """Return the folder for STRATA_TORCH_ROOT; fetch it if it is missing. `cuda_headers` is the
    folder `nvidia` of PyPI's wheels."""
    folder = folder_of(release)
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            _unpack(_download(release, pathlib.Path(scratch)), folder, pathlib.Path(scratch))
        (folder / "complete").touch()
    link = folder / "nvidia"
    link.unlink(missing_ok=True)
    link.symlink_to(cuda_headers)
    return folder / "torch"


def _download(release: str, scratch: pathlib.Path) -> pathlib.Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary", ":all:"]
    done = subprocess.run([*command, "--dest", str(scratch), f"torch=={release}"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"torch {release} could not be fetched from PyPI:\n{done.stderr.strip()[-2000:]}")
    [wheel] = scratch.glob("torch-*.whl")
    return wheel


def _unpack(wheel: pathlib.Path, folder: pathlib.Path, scratch: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        headers = [name for name in names if name.startswith("torch/include/")]
        archive.extractall(folder, [*headers, "torch/version.py"])
        (folder / "torch/lib").mkdir(parents=True)
        for library in LIBRARIES:
            archive.extract(f"torch/lib/{library}", scratch)
            _write_stub(scratch / "torch/lib" / library, folder / "torch/lib" / library, scratch)
            (scratch / "torch/lib" / library).unlink()


def _symbols(library: pathlib.Path) -> Iterable[tuple[str, str, bool]]:
    """Yield name, type and whether weak, of each symbol that the library exports."""
    listed = subprocess.run(["readelf", "--wide", "--dyn-syms", library], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines():
        words = line.split()
        if len(words) == 8 and words[0].endswith(":") and words[6] != "UND" and words[3] in TYPES and words[4] in ("GLOBAL", "WEAK", "UNIQUE"):
            yield words[7].split("@")[0], words[3], words[4] == "WEAK"


def _write_stub(library: pathlib.Path, stub: pathlib.Path, scratch: pathlib.Path) -> None:
    text = scratch / "stub.s"
    with text.open("w") as file:
        for section, flags in ((".text", ""), (".data", ""), (".tdata", ',"awT",@progbits')):
            file.write(f".section {section}{flags}\n")
            for name, kind, weak in _symbols(library):
                if TYPES[kind][0] == section:
                    file.write(f'.{"weak" if weak else "globl"} "{name}"\n.type "{name}", {TYPES[kind][1]}\n.size "{name}", 8\n"{name}":\n')
            file.write(".quad 0\n")
        file.write('.section .note.GNU-stack,"",@progbits\n')
    subprocess.run(["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{stub.name}", "-o", stub, text], check=True)
    text.unlink()
