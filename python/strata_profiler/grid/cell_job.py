# SPDX-License-Identifier: Apache-2.0
"""What a job does: it runs `strata grid cell` for one cell.

This module is sent to the job by value, so that the machine needs no `strata_profiler`. It uses the standard library only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import Dict, List, Tuple

# The kernel ends the program with this job's process (PR_SET_PDEATHSIG), however that ends. Not in preexec_fn: a worker of Ray has threads.
_START = """\
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
if os.getppid() != int(sys.argv[1]):
    sys.exit(143)
os.execv(sys.argv[2], sys.argv[2:])
"""
_POLL_SECONDS = 0.1
_MOST_CHARACTERS = 4000


def run_cell(words: List[str], folder: str, environment: Dict[str, str]) -> Tuple[int, str]:
    """Runs these words in the grid's folder. Returns the exit code and the end of what the program says. An exception raised meanwhile, such as a
    cancellation, ends the program first, and waits for that.
    """
    start = [sys.executable, "-c", _START, str(os.getpid()), *words]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(start, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        try:
            while process.poll() is None:  # Ray's KeyboardInterrupt does not end a wait in the kernel
                time.sleep(_POLL_SECONDS)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        said.seek(0)
        return process.returncode, said.read().decode(errors="replace")[-_MOST_CHARACTERS:]
