# SPDX-License-Identifier: Apache-2.0
"""The measured Strata and the machine, for the page's head, and to decide whether an existing table
is of this machine and this Strata."""

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
    """Return the first line of a program's output, such as its version, or None if it is not
    here."""
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


# The measured code, without the code that measures.
MEASURED = ("CMakeLists.txt", "dry_gpu", "host", "plugin_api", "plugins", "python", "sources")


def commit():
    """Return the last commit that changed the measured code."""
    done = subprocess.run(["git", "log", "-1", "--format=%h", "--abbrev=10", "--", *MEASURED], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def facts(settings):
    """Return the facts; the version of a missing program is None."""
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
