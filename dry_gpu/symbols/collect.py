#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables beside it: what CUDA's libraries export, and what each function returns.

    dry_gpu/symbols/collect.py [--site-packages .venv/lib/python3.11/site-packages]

Run it when CUDA's wheels move. The names are read from the libraries, the types from their headers by the compiler
(gcc -aux-info). libcuda.so.1 is not in the wheels: its table is cuda.h, old versions of functions included. What no
public header declares is left out, but for UNDECLARED.

A later torch wants later libraries, and may import a function of them that those installed lack (torch_imports.py and
tests/dry_gpu/test_symbols.py tell). Its row comes from the later wheel, and names it as long as the installed lack it:

    pip install --no-deps --target /tmp/later nvidia-nccl-cu13==2.30.7
    dry_gpu/symbols/collect.py --later /tmp/later
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent

# Table, library, headers that declare it.
LIBRARIES = [
    ("cuda", None, ["cuda.h"]),
    ("cudart", "cu13/lib/libcudart.so.13", ["cuda_runtime_api.h"]),
    ("cublas", "cu13/lib/libcublas.so.13", ["cublas_v2.h", "cublasXt.h"]),
    ("cublaslt", "cu13/lib/libcublasLt.so.13", ["cublasLt.h"]),
    ("cudnn", "cudnn/lib/libcudnn.so.9", ["cudnn.h"]),
    ("cufft", "cu13/lib/libcufft.so.12", ["cufft.h", "cufftXt.h"]),
    ("curand", "cu13/lib/libcurand.so.10", ["curand.h"]),
    ("cusolver", "cu13/lib/libcusolver.so.12", ["cusolverDn.h", "cusolverSp.h", "cusolverRf.h"]),
    ("cusparse", "cu13/lib/libcusparse.so.12", ["cusparse.h"]),
    ("cusparselt", "cusparselt/lib/libcusparseLt.so.0", ["cusparseLt.h"]),
    ("nccl", "nccl/lib/libnccl.so.2", ["nccl.h"]),
    ("cupti", "cu13/lib/libcupti.so.13", ["cupti.h"]),
]
# What torch's libraries import and no header that C can read declares.
UNDECLARED = {
    "cudart": {"cudaProfilerStart": "cudaError_t", "cudaProfilerStop": "cudaError_t"},
    "nccl": {
        "ncclDevCommCreate": "ncclResult_t",
        "ncclDevCommDestroy": "ncclResult_t",
        "ncclGetLsaMultimemDevicePointer": "ncclResult_t",
        "ncclGetPeerDevicePointer": "ncclResult_t",
    },
}
PREFIXES = r"(__cuda|cuda|cu[A-Z]|cublas|cudnn|cusparse|cusolver|cufft|curand|nccl|cupti)"


def exported(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    return {line.split()[2].split("@")[0] for line in listing.stdout.splitlines() if line.split()[1] in "TW"}


def declared(headers, include_folders, with_old_versions):
    """The functions that the headers declare, with the text of what they return."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "headers.c")
        source.write_text(
            ("#define __CUDA_API_VERSION_INTERNAL\n" if with_old_versions else "")
            + "#include <stdalign.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
            + "".join(f"#include <{header}>\n" for header in headers)
        )
        for header in ("cstddef", "cstdint"):  # cusparseLt.h asks for C++'s; -aux-info is for C alone
            pathlib.Path(folder, header).write_text(f"#include <{header[1:]}.h>\n")
        prototypes = pathlib.Path(folder, "prototypes")
        includes = [f"-I{include}" for include in include_folders]
        subprocess.run(["gcc", "-w", "-fsyntax-only", "-aux-info", prototypes, f"-I{folder}", *includes, source], check=True)
        found = {}
        for line in prototypes.read_text().splitlines():
            match = re.match(r"/\*.*\*/ (?:extern )?(.*?)(\w+) \(", line)
            if match and re.match(PREFIXES, match[2]):
                found[match[2]] = match[1].replace(" *", "*").strip().replace(" ", "_")
        return found


def driver_versions(header, functions):
    """For each function of the driver: the CUDA version from which on its name means which symbol."""
    versions = collections.defaultdict(set)
    for name, version in re.findall(r"\*PFN_(cu\w+?)_v(\d+)\)", header.read_text()):
        versions[name].add(int(version))
    for name, since in sorted(versions.items()):
        symbols = [symbol for symbol in [name] + [f"{name}_v{k}" for k in range(2, 9)] if symbol in functions]
        if len(symbols) != len(since):
            sys.exit(f"collect.py: {name} has {len(symbols)} symbols for {len(since)} versions")
        yield from zip([name] * len(since), sorted(since), symbols)


def wheel_of(library, site_packages):
    for record in site_packages.glob("nvidia_*.dist-info/RECORD"):
        if f"\nnvidia/{library}," in record.read_text():
            return record.parent.name.removesuffix(".dist-info")
    sys.exit(f"collect.py: no wheel in {site_packages} has {library}")


def functions_of(table, library, headers, site_packages, include_folders):
    functions = declared(headers, include_folders, False) | UNDECLARED.get(table, {})
    names = exported(site_packages / "nvidia" / library)
    return {name: functions[name] for name in names if name in functions}


def write(table, source, functions, later):
    """`later`: what only a later library has, each with the wheel. Rows of earlier runs are kept."""
    path = HERE / f"{table}.txt"
    rows = {name: f"{kind} {wheel}" for name, (kind, wheel) in later.items()}
    rows |= {row[0]: f"{row[1]} {row[2]}" for row in map(str.split, path.read_text().splitlines()) if len(row) == 3}
    rows |= functions
    lines = [f"# {source}. Written by collect.py: name, and what it returns.\n"]
    lines += [f"{name} {rows[name]}\n" for name in sorted(rows)]
    path.write_text("".join(lines))
    print(f"{path.name}: {len(functions)} functions, and {len(rows) - len(functions)} of later libraries")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = next(HERE.parent.parent.glob(".venv/lib/python3.*/site-packages"), None)
    parser.add_argument("--site-packages", type=pathlib.Path, default=default, help="where the wheels are")
    parser.add_argument("--later", type=pathlib.Path, help="where some of the wheels are in later versions")
    arguments = parser.parse_args()
    if arguments.site_packages is None:
        sys.exit("collect.py: no .venv; run ./dev build, or name --site-packages")
    nvidia = arguments.site_packages / "nvidia"
    include_folders = [path for path in nvidia.glob("*/include")]
    for table, library, headers in LIBRARIES:
        if library is None:
            functions = declared(headers, include_folders, True)
            functions = {name: kind for name, kind in functions.items() if re.match("cu[A-Z]", name)}
            write(table, "cuda.h", functions, {})
            rows = list(driver_versions(nvidia / "cu13/include/cudaTypedefs.h", functions))
            lines = ["# cudaTypedefs.h. Written by collect.py: name, CUDA version from which on, symbol.\n"]
            (HERE / "driver_versions.txt").write_text(
                "".join(lines + [f"{name} {version} {symbol}\n" for name, version, symbol in rows])
            )
            continue
        functions = functions_of(table, library, headers, arguments.site_packages, include_folders)
        later = {}
        if arguments.later and (arguments.later / "nvidia" / library).exists():
            wheel = wheel_of(library, arguments.later)
            folders = [path for path in (arguments.later / "nvidia").glob("*/include")] + include_folders
            found = functions_of(table, library, headers, arguments.later, folders)
            later = {name: (kind, wheel) for name, kind in found.items() if name not in functions}
        write(table, pathlib.Path(library).name, functions, later)


if __name__ == "__main__":
    main()
