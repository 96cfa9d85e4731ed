# SPDX-License-Identifier: Apache-2.0
"""What was measured, and where: for the page's head, and to tell whether a table that is there is of this machine and this Strata."""

import datetime
import importlib.metadata
import os
import pathlib
import platform
import re
import shutil
import subprocess

from settings import REPOSITORY

PACKAGES = ("torch", "transformers", "torchvision")


def said_by(*words):
    """The first line of what a program says of itself, or None where it is not here."""
    if shutil.which(str(words[0])) is None:
        return None
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip().split("\n")[0] or None


def processor():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found.group(1) if found else platform.machine()


def system():
    found = re.search(r'^PRETTY_NAME="(.*)"$', pathlib.Path("/etc/os-release").read_text(), re.MULTILINE)
    return found.group(1) if found else platform.system()


def memory_bytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def version_of(package, folder=None):
    try:
        if folder is not None:
            return next(iter(importlib.metadata.distributions(name=package, path=[str(folder)]))).version
        return importlib.metadata.version(package)
    except (importlib.metadata.PackageNotFoundError, StopIteration):
        return None


def version_in(text):
    found = re.search(r"\d+(?:\.\d+)+", text or "")
    return found.group(0) if found else None


# What is measured, and not what measures it.
MEASURED = ("CMakeLists.txt", "dry_gpu", "host", "plugin_api", "plugins", "python", "sources")


def commit():
    """The last one that changed what is measured."""
    done = subprocess.run(["git", "log", "-1", "--format=%h", "--abbrev=10", "--", *MEASURED], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def facts(settings):
    """Versions are None where something is not here."""
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_bytes": memory_bytes(),
        "system": system(),
        "kernel": platform.release(),
        "load": os.getloadavg()[1],
        "gpu": said_by("nvidia-smi", "--query-gpu=name", "--format=csv,noheader"),
        "strata": said_by(settings.strata, "--version"),
        "commit": commit(),
        "python": platform.python_version(),
        **{package: version_of(package) for package in PACKAGES},
        "memray": version_of("memray", settings.peers),
        "heaptrack": (said_by("heaptrack", "--version") or "").removeprefix("heaptrack ") or None,
        "valgrind": (said_by("valgrind", "--version") or "").removeprefix("valgrind-") or None,
        "nsys": version_in(said_by(settings.nsys, "--version") if settings.nsys else None),
    }
