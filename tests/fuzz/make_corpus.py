#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rebuild the seeds of tests/fuzz/corpus that come from elsewhere in the repository, and the
dictionaries.

    tests/fuzz/make_corpus.py BUILD_FOLDER

BUILD_FOLDER must have `strata` and fuzz_write_seeds (ninja strata_program fuzz_write_seeds). Seeds
written by hand, and inputs that once caused a failure, are not changed.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

FUZZ = pathlib.Path(__file__).resolve().parent
REPOSITORY = FUZZ.parent.parent
CORPUS = FUZZ / "corpus"
GRID = """\
grid: 1
base: {model: {size: custom, layers: 1, d_model: 8, d_ff: 8, heads: 1, vocab: 16, context: 4}, schedule: {active: 1}}
axes: {data.batch_size: [1, 2]}
"""


def write(target: str, name: str, text: str) -> None:
    file = CORPUS / target / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def without_comments(file: pathlib.Path) -> str:
    return "".join(line for line in file.read_text().splitlines(keepends=True) if not line.startswith("#"))


def copy_configurations() -> None:
    configs = REPOSITORY / "configs"
    for file in [*configs.glob("*.yaml"), *configs.glob("seeds/*.yaml")]:
        write("run_configuration", file.name, without_comments(file))
    for file in [*configs.glob("grids/*.yaml"), *configs.glob("seeds/grids/*.yaml")]:
        write("grid_file", file.name, without_comments(file))
    for name in ("h100-80gb", "t4"):
        write("foreign_files", f"device-{name}", "device\n" + without_comments(configs / f"devices/{name}.yaml"))


def copy_tests(pattern: str, target: str, opening: str = "") -> None:
    """Copy C++ string literals of tests that begin like a configuration: one seed per text."""
    for file in sorted((REPOSITORY / "tests").glob(pattern)):
        number = 0
        for found in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', file.read_text()):
            text = "".join(json.loads(part) for part in re.findall(r'"(?:[^"\\\n]|\\[n"\\t])*"', found[0]))
            if not re.match(r"(model|axes|set|exclude|limits|engine|base): ", text) or len(text) > 1000:
                continue
            number += 1
            if number <= 24:
                write(target, f"{file.stem}-{number}", opening + text)


def shortened(value):
    """Keep two elements of each list, which is as good as a thousand, and remove this machine's
    names."""
    if isinstance(value, list):
        return [shortened(each) for each in value[:2]]
    if isinstance(value, dict):
        return {key: "machine" if key == "hostname" else shortened(each) for key, each in value.items()}
    return value


def record_documents(strata: pathlib.Path) -> None:
    def document(kind: str, file: pathlib.Path) -> None:
        write("run_documents", kind, f"{kind}\n{json.dumps(shortened(json.loads(file.read_text())))}\n")

    with tempfile.TemporaryDirectory() as folder:
        there = pathlib.Path(folder)
        (there / "grid.yaml").write_text(GRID)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
        run = there / "run"
        first = REPOSITORY / "configs/first_run.yaml"
        subprocess.run([strata, "run", first, "--dry", "h100-80gb", "--out", run, "model.layers=1"], **quiet)
        document("manifest", run / "manifest.json")
        document("summary", run / "summary.json")
        subprocess.run([strata, "grid", "run", there / "grid.yaml", "--out", there / "grid"], **quiet)
        document("plan", there / "grid/plan.json")
        document("state", next((there / "grid/cells").glob("*/state.json")))


def write_dictionary(strata: pathlib.Path) -> None:
    schema = subprocess.run([strata, "run", "--json-schema"], capture_output=True, text=True, check=True).stdout
    words: set[str] = set()

    def collect(value) -> None:
        if isinstance(value, dict):
            words.update(value.get("properties", {}))
            words.update(str(each) for each in value.get("enum", []))
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            for each in value:
                collect(each)

    collect(json.loads(schema))
    grid = {"grid", "name", "base", "set", "axes", "exclude", "include", "repeats", "seeds", "limits", "engine"}
    for name, extra in (("run_configuration", set()), ("grid_file", grid | {"from", "to", "times", "step"})):
        lines = [f'"{word}"' for word in sorted(words | extra) if re.fullmatch(r"[A-Za-z0-9_.-]+", word)]
        (FUZZ / "dictionaries").mkdir(exist_ok=True)
        (FUZZ / f"dictionaries/{name}.dict").write_text("\n".join(lines) + "\n")


def main() -> None:
    build = pathlib.Path(sys.argv[1])
    strata = build / "bin/strata"
    copy_configurations()
    copy_tests("config/resolved_test.cpp", "run_configuration")
    copy_tests("config/load_test.cpp", "run_configuration")
    copy_tests("grid/grid_problems_test.cpp", "grid_file", GRID[: GRID.index("axes")])
    copy_tests("grid/axis_test.cpp", "grid_file", GRID[: GRID.index("axes")])
    record_documents(strata)
    write_dictionary(strata)
    subprocess.run([build / "tests/fuzz_write_seeds", CORPUS], check=True)


if __name__ == "__main__":
    main()
