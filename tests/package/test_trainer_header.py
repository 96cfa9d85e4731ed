# SPDX-License-Identifier: Apache-2.0
"""strata/trainer.h in the installed compilers, as strictly as its users may compile: used, and only
included."""

import shutil
import subprocess

import pytest
from installed_strata import REPOSITORY

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-I", str(REPOSITORY / "plugin_api/include")]
USED_IN_C = (REPOSITORY / "tests/plugin_api/marks_in_c.c").read_text()
USED_IN_CPP = """
#include <strata/trainer.h>
#include <string>
void step();
void step() {
  STRATA_STEP();
  STRATA_MICRO_BATCH(0);
  { STRATA_PHASE("forward"); STRATA_MODULE("layers." + std::to_string(3), "Block"); }
  STRATA_STEP_RESULT(0.5, 8);
}
"""
INCLUDED = "#include <strata/trainer.h>\ntypedef int nothing;\n"
CASES = [
    (compiler, standard, source)
    for compilers, standards, used, options in (
        (("gcc", "clang"), ("c11", "c17"), USED_IN_C, []),
        (("g++", "clang++"), ("c++17", "c++20"), USED_IN_CPP, ["-Wold-style-cast"]),
    )
    for compiler in compilers
    if shutil.which(compiler)
    for standard in standards
    for source in (used, INCLUDED)
]


def compiled(compiler, standard, source, output, *options):
    language = "c++" if "++" in compiler else "c"
    words = [compiler, f"-std={standard}", *STRICT, *options, "-x", language, "-", "-o", str(output)]
    return subprocess.run(words, input=source, capture_output=True, text=True)


def test_a_compiler_is_here():
    assert {compiler for compiler, *_ in CASES} >= {"gcc", "g++"}


@pytest.mark.parametrize(("compiler", "standard", "source"), CASES)
@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_compiles_without_a_warning(compiler, standard, source, optimised, tmp_path):
    result = compiled(compiler, standard, source, tmp_path / "marks.o", "-c", optimised)
    assert (result.returncode, result.stderr) == (0, "")


def test_needs_no_library(tmp_path):
    main = "\nint main(void) { for (int i = 0; i < 3; ++i) step_in_c(); return 0; }\n"
    assert compiled("gcc", "c11", USED_IN_C + main, tmp_path / "marks").returncode == 0
    listing = subprocess.run(["readelf", "--dynamic", tmp_path / "marks"], capture_output=True, text=True, check=True).stdout
    needed = [line.split("[")[1].rstrip("]") for line in listing.splitlines() if "(NEEDED)" in line]
    assert needed == ["libc.so.6"]
    result = subprocess.run([tmp_path / "marks"], env={}, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
