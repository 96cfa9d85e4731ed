# SPDX-License-Identifier: Apache-2.0
"""The runtime has no static object that is destroyed at exit. If main leaves a session open, an
exit handler closes it, and objects first used later than the handler's registration would be
destroyed before the handler stores its rows."""

import re
import subprocess

import pytest


def registering_functions(library):
    """Return the functions of a library that register destructors to run at exit."""
    listing = subprocess.run(
        ["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", library],
        check=True,
        capture_output=True,
        text=True,
    )
    function, found = None, set()
    for line in listing.stdout.splitlines():
        if begin := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            function = begin[1]
        elif line.endswith("<__cxa_atexit@plt>"):
            found.add(function)
    return found


def test_the_runtime_registers_its_exit_handler_alone(build_folder):
    assert registering_functions(build_folder / "lib/libstrata.so") == {"atexit"}


@pytest.mark.parametrize("declaration", ["static const std::string text(100, 'x')", "static std::string text"])
def test_a_static_object_is_found(tmp_path, declaration):
    source = tmp_path / "library.cpp"
    source.write_text(f"#include <string>\nconst char* f() {{ {declaration}; return text.c_str(); }}\n")
    library = tmp_path / "library.so"
    subprocess.run(["c++", "-shared", "-fPIC", "-O2", source, "-o", library], check=True)
    assert registering_functions(library) == {"f()"}
