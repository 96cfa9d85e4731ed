# SPDX-License-Identifier: Apache-2.0
"""server.py FOLDER [MODULE...]: opens the dry GPU's libraries, imports torch and the modules once,
and runs programs as children forked from this state.

Reads a line of JSON for each program: program, words, environment, output (a file; errors go to the
same name with .err). Answers with a line: the exit status. The child chooses the devices, since
nothing of CUDA is called before.
"""

import ctypes
import importlib
import json
import os
import pathlib
import runpy
import sys
import traceback

folder = pathlib.Path(sys.argv[1])
for library in [*folder.glob("*.facade.so"), folder / "libcuda.so.1"]:
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)

import torch  # noqa: E402, F401  (for the children)

for module in sys.argv[2:]:
    importlib.import_module(module)
if torch.cuda.is_initialized():
    sys.exit(f"one of {sys.argv[2:]} uses CUDA as soon as it is imported, so that no child could")


def run(request):
    os.environ.update(request["environment"])
    for stream, name in ((1, request["output"]), (2, request["output"] + ".err")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), stream)
    sys.argv = [request["program"], *request["words"]]
    sys.path.insert(0, str(pathlib.Path(request["program"]).parent))
    try:
        runpy.run_path(request["program"], run_name="__main__")
        status = 0
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


for line in sys.stdin:
    child = os.fork()
    if child == 0:
        run(json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
