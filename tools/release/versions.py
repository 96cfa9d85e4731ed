# SPDX-License-Identifier: Apache-2.0
"""Every place that states this release's version, and whether they all agree."""

import pathlib
import re

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
NUMBER = r"(\d+\.\d+\.\d+)"
# strata_0.2.0_amd64.deb, strata_profiler-0.2.0.tar.gz, output of `strata --version`
OF_FILES = rf"\bstrata(?:_profiler)?[-_ ]{NUMBER}"
# The places with the version. A file that has it more than once must repeat the same one. The
# others must equal CMake's.
PLACES = {
    "CMakeLists.txt": rf"project\(strata\s+VERSION {NUMBER}",
    "pyproject.toml": rf'^version = "{NUMBER}"',
    "python/strata_profiler/__init__.py": rf'^__version__ = .*"{NUMBER}"',
    "CITATION.cff": rf"^version: {NUMBER}",
    "README.md": OF_FILES,
    "packaging/conda/recipe.yaml": rf"^  version: {NUMBER}",
    "docs/cpp.md": OF_FILES,
    "docs/releasing.md": OF_FILES,
    "docs/guide/install.md": OF_FILES,
    "docs/guide/ci-memory-budgets.md": OF_FILES,
}
# Places where projects request this minor release; their version is the first part of Strata's.
MINOR = r"(\d+\.\d+)"
ASKING = {
    "docs/releasing.md": rf"find_package\(strata {MINOR}\)",
    "docs/guide/write-a-plugin.md": rf"find_package\(strata {MINOR} ",
    "docs/guide/your-own-trainer-cpp.md": rf"find_package\(strata {MINOR} ",
    "examples/cpp/no_torch/CMakeLists.txt": rf"find_package\(strata {MINOR} ",
    "examples/cpp/mnist/CMakeLists.txt": rf"find_package\(strata {MINOR} ",
    "examples/cpp/gpt/CMakeLists.txt": rf"find_package\(strata {MINOR} ",
    "tests/build/consumer/CMakeLists.txt": rf"find_package\(strata {MINOR} ",
}
OF_PARTS = rf'\.version = "{NUMBER}"'  # versions of plugins and sources, which are released together


def said(root=REPOSITORY):
    """Return the version in each place, or None if it has none or several."""
    patterns = dict(PLACES)
    for folder in ("plugins", "sources"):
        for path in sorted((root / folder).rglob("*.hpp")):
            if '.version = "' in path.read_text():
                patterns[str(path.relative_to(root))] = OF_PARTS
    told = {}
    for name, pattern in patterns.items():
        found = set(re.findall(pattern, (root / name).read_text(), re.MULTILINE))
        told[name] = found.pop() if len(found) == 1 else None
    return told


def asked_for(root=REPOSITORY):
    """Return for each place that requests a release of Strata the versions requested."""
    return {name: set(re.findall(pattern, (root / name).read_text())) for name, pattern in ASKING.items()}


def released(root=REPOSITORY):
    """Return CHANGELOG.md's releases, newest first: the version, and its day or None."""
    headings = re.findall(r"^## (\S+)(?: - (\d{4}-\d\d-\d\d))?$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    return [(name, day or None) for name, day in headings]


def version(root=REPOSITORY):
    return said(root)["CMakeLists.txt"]


def problems(root=REPOSITORY):
    """Return the reasons why this tree is not a release, one sentence each."""
    told, wanted = said(root), version(root)
    found = [f"{name} says {number or 'no version, or several'}, where CMakeLists.txt says {wanted}" for name, number in told.items() if number != wanted]
    minor = wanted.rpartition(".")[0]
    found += [f"{name} asks for strata {' and '.join(sorted(asked)) or 'of no release'}, where this is {minor}" for name, asked in asked_for(root).items() if asked != {minor}]
    releases = released(root)
    if not releases or releases[0][0] != "Unreleased":
        found.append("CHANGELOG.md does not begin with '## Unreleased'")
    day = dict(releases).get(wanted)
    if day is None:
        found.append(f"CHANGELOG.md has no '## {wanted} - <day>'")
    cited = re.findall(r'^date-released: "?([\d-]+)', (root / "CITATION.cff").read_text(), re.MULTILINE)
    if cited != [day]:
        found.append(f"CITATION.cff is of {' '.join(cited) or 'no day'}, CHANGELOG.md's {wanted} of {day}")
    return found
