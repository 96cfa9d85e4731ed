# SPDX-License-Identifier: Apache-2.0
"""Programs and libraries that bring their own CUDA runtime to `strata exec --dry`, or share one."""

import subprocess
import sys
import textwrap


def compile_c(folder, name, source, *options):
    (folder / f"{name}.c").write_text(textwrap.dedent(source))
    subprocess.run(["cc", f"{name}.c", "-o", name, *options], cwd=folder, check=True)


def test_a_program_with_a_runtime_of_its_own_is_refused(workspace):
    """nvcc links so by default: the program's own runtime registers the kernels, and no other
    library is called."""
    compile_c(
        workspace.folder,
        "fixed",
        """
        __attribute__((section(".nvFatBinSegment"))) int wrapper = 1;
        void __cudaRegisterFatBinary(int* at) { *at = 2; }
        int main(void) { __cudaRegisterFatBinary(&wrapper); return 0; }
        """,
    )
    result = workspace.strata("exec", "--plugins", "none", "--dry", "h100-80gb", "--", "./fixed")
    assert result.returncode == 125
    assert "./fixed is linked statically with the CUDA runtime" in result.stderr
    assert "nvcc --cudart shared" in result.stderr


def test_a_library_with_a_runtime_of_its_own_is_named(workspace):
    """Its runtime asks the driver for a table, and every call fails without it."""
    compile_c(
        workspace.folder,
        "own.so",
        """
        #include <dlfcn.h>
        int ask(void) {
          int (*ask_driver)(const void**, const void*) = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetExportTable");
          const void* table = 0;
          const int answer = ask_driver(&table, &table);
          return answer == 801 && table == 0;
        }
        """,
        "-shared",
        "-fPIC",
    )
    words = [sys.executable, "-c", "import ctypes; own = ctypes.CDLL('./own.so'); print(own.ask(), own.ask())"]
    result = workspace.strata("exec", "--plugins", "none", "--dry", "h100-80gb", "--", *words)
    assert result.returncode == 0 and result.stdout.split()[:2] == ["1", "1"], result.stderr
    assert result.stderr.count("own.so is linked statically with the CUDA runtime, which the dry GPU cannot replace") == 1


def test_a_program_that_shares_its_runtime_runs(workspace):
    """Linked with an empty libcudart, which is not used when the program runs."""
    compile_c(
        workspace.folder,
        "libcudart.so",
        """
        void** __cudaRegisterFatBinary(void* wrapper) { return 0; }
        int cudaGetDeviceCount(int* count) { return 1; }
        """,
        *("-shared", "-fPIC", "-Wl,-soname,libcudart.so.13"),
    )
    compile_c(
        workspace.folder,
        "shared",
        """
        __attribute__((section(".nvFatBinSegment"))) int wrapper[4] = {0x466243b1, 1, 0, 0};
        void** __cudaRegisterFatBinary(void*);
        int cudaGetDeviceCount(int*);
        int main(void) { int count = 0; return __cudaRegisterFatBinary(wrapper) ? cudaGetDeviceCount(&count) * 100 + count : 99; }
        """,
        *("-L.", "-l:libcudart.so"),
    )
    result = workspace.strata("exec", "--plugins", "none", "--dry", "h100-80gb:3", "--", "./shared")
    assert result.returncode == 3, result.stderr
