# SPDX-License-Identifier: Apache-2.0
"""A module exports only strata_plugin_entry; the build's check of this can fail."""

import subprocess

import pytest

ENTRY = "const int strata_plugin_entry = 1;\n"


@pytest.fixture
def check(repository):
    script = repository / "cmake/check_plugin_exports.cmake"

    def run(module):
        return subprocess.run(
            ["cmake", "-DNM=nm", f"-DMODULE={module}", "-P", script], capture_output=True, text=True
        )

    return run


@pytest.fixture
def build_module(tmp_path):
    def build(code):
        source = tmp_path / "module.c"
        source.write_text(code)
        module = tmp_path / "module.so"
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", module], check=True)
        return module

    return build


def test_every_module_of_the_build_exports_its_entry_only(build_folder, check):
    modules = [path for kind in ("plugins", "sources") for path in build_folder.glob(f"lib/strata/{kind}/*.so")]
    names = {module.name for module in modules}
    assert "allocator_tracer.so" in names and any(name.startswith("torch-2.") for name in names)
    for module in modules:
        result = check(module)
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    "code, found",
    [
        (ENTRY + "void another(void) {}\n", "another, strata_plugin_entry"),
        ("static const int strata_plugin_entry = 1;\n", ""),
    ],
)
def test_other_exports_are_refused(build_module, check, code, found):
    result = check(build_module(code))
    assert result.returncode != 0
    assert f"exports: '{found}'" in " ".join(result.stderr.split())


def test_the_entry_alone_is_accepted(build_module, check):
    assert check(build_module(ENTRY)).returncode == 0


def test_what_programs_of_others_load_takes_no_filesystem_from_them(build_folder):
    """libtorch.so exports the std::filesystem that it was built with, and may come before
    libstdc++."""
    libraries = [build_folder / "lib/libstrata.so", build_folder / "lib/strata/libstrata_attach.so", *build_folder.glob("lib/strata/sources/torch-2.*.so")]
    assert len(libraries) >= 3
    for library in libraries:
        undefined = subprocess.run(["nm", "--dynamic", "--undefined-only", library], capture_output=True, text=True, check=True).stdout
        assert "St10filesystem" not in undefined, library
