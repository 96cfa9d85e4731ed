#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/torch_imports/<version>.txt: what a release of torch wants of CUDA's libraries.

    dry_gpu/symbols/torch_imports.py 2.16.0                     # pip fetches the wheel, and it is deleted again
    dry_gpu/symbols/torch_imports.py torch-2.16.0-*.whl         # a wheel that is here
    dry_gpu/symbols/torch_imports.py .venv/lib/python3.11/site-packages   # an installed torch

A line for each thing: `needs` a library, `imports` a function (and of which library, where torch's libraries say so), `asks`
for a function of the driver by its name while it runs. Then build, and run tests/dry_gpu/test_symbols.py: it names what the
dry GPU lacks. A function that only later libraries have gets its stub from collect.py --later.
"""

import argparse
import datetime
import email
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

REPOSITORY = pathlib.Path(__file__).parents[2]
KEPT = REPOSITORY / "tests/data/torch_imports"

# By the names that CUDA's libraries give their functions: not all of them say which library a symbol is of.
OF_CUDA = re.compile(r"__cuda|cuda|cu[A-Z]|cublas|cudnn|cusparse|cusolver|cufft|curand|cupti|nccl|nv[a-z]+[A-Z_]")
# As the driver spells its own, and torch spells nothing else. What compilers keep of strings in pieces of 16 bytes is none.
OF_THE_DRIVER = re.compile(rb"\0(cu[A-Z][a-z](?:(?!cu[A-Z])\w)+)(?=\0)")
OF_THE_SYSTEM = re.compile(r"(ld-linux-x86-64|lib(c|dl|gcc_s|m|pthread|rt|stdc\+\+))\.so\.\d+")


def listing(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def imported(library):
    """Names, each with the version that is wanted of it: CUDA's libraries put their own file name there, if anything."""
    for line in listing("nm", "-D", "--undefined-only", library):
        name, _, version = line.split()[-1].partition("@")
        if OF_CUDA.match(name):
            yield f"{name} {version}".strip()


def needed(library):
    return {match[1] for line in listing("readelf", "-dW", library) if (match := re.search(r"NEEDED.*\[(.*)\]", line))}


def asked(library):
    """Names of the driver's functions among the library's constant strings. A short one that lies within the code is not seen."""
    for line in listing("readelf", "-SW", library):
        if match := re.search(r"\] \.rodata\S*\s+\w+\s+\w+ (\w+) (\w+)", line):
            with library.open("rb") as file:
                file.seek(int(match[1], 16))
                yield from (name.decode() for name in OF_THE_DRIVER.findall(b"\0" + file.read(int(match[2], 16))))


def wanted(libraries):
    """The lines of all libraries of a release together."""
    lines = set()
    own = {library.name for library in libraries}
    for library in libraries:
        foreign = {name for name in needed(library) if name not in own and not OF_THE_SYSTEM.fullmatch(name)}
        lines |= {f"needs {name}" for name in foreign if re.match("lib(cu|nccl|nv)", name)}
        lines |= {f"imports {name}" for name in imported(library)}
        if foreign:
            lines |= {f"asks {name}" for name in asked(library)}
    return sorted(lines)


def write(version, source, metadata, lines):
    required = [text.partition(";")[0] for text in email.message_from_string(metadata).get_all("Requires-Dist")]
    heading = [
        f"# torch {version}: {source}, read {datetime.date.today()}. Written by dry_gpu/symbols/torch_imports.py.",
        "# " + ", ".join(text for text in required if re.match("cuda-toolkit|nvidia-", text)),
    ]
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{version}.txt").write_text("".join(f"{line}\n" for line in heading + lines))
    print(f"{version}.txt: {len(lines)} lines")


def read_wheel(wheel):
    version = wheel.name.split("-")[1].partition("+")[0]
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if re.fullmatch(r"torch-[^/]*\.dist-info/METADATA", name)))
        libraries = [archive.extract(name, folder) for name in names if re.fullmatch(r"torch/lib/lib[^/]*\.so[^/]*", name)]
        write(version, wheel.name, metadata.decode(), wanted([pathlib.Path(library) for library in libraries]))


def installed_version(site_packages):
    return next(site_packages.glob("torch-*.dist-info")).name.split("-")[1].removesuffix(".dist").partition("+")[0]


def read_installed(site_packages):
    information = next(site_packages.glob("torch-*.dist-info"))
    version = installed_version(site_packages)
    libraries = sorted((site_packages / "torch/lib").glob("lib*.so*"))
    tag = re.search(r"^Tag: (.*)$", (information / "WHEEL").read_text(), re.MULTILINE)[1]
    write(version, f"torch-{version}-{tag}.whl, installed", (information / "METADATA").read_text(), wanted(libraries))


def fetch_and_read(version):
    options = ["--no-deps", "--only-binary=:all:", "--python-version", "3.11", "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "download", *options, "--dest", folder, f"torch=={version}"], check=True)
        read_wheel(next(pathlib.Path(folder).glob("torch-*.whl")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("torch", nargs="+", help="a version that pip finds, a wheel, or the folder of installed packages")
    for word in parser.parse_args().torch:
        path = pathlib.Path(word)
        if path.is_dir():
            read_installed(path)
        elif path.suffix == ".whl":
            read_wheel(path)
        else:
            fetch_and_read(word)


if __name__ == "__main__":
    main()
