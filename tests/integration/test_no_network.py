# SPDX-License-Identifier: Apache-2.0
"""Strata never uses a network: each command runs with a preloaded library that logs every network
socket."""

import os
import subprocess
import sys

import pytest
from workspaces import TINY, Workspace

NOTES = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Not AF_UNIX, nor AF_NETLINK, which libc itself asks the kernel over. */
int socket(int domain, int type, int protocol) {
  int (*next)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
  const char* file = getenv("SOCKET_NOTES");
  if (file != NULL && (domain == AF_INET || domain == AF_INET6)) {
    FILE* notes = fopen(file, "a");
    fprintf(notes, "process %d, domain %d\n", (int)getpid(), domain);
    fclose(notes);
  }
  return next(domain, type, protocol);
}
"""
PROGRAM = "import torch\ntorch.rand(8, requires_grad=True).sum().backward()\n"
GRID = """\
grid: 1
name: two
base:
  model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
  data: {source: synthetic, batch_size: 2}
  schedule: {wait: 0, warmup: 1, active: 1}
  device: {dry: a100-40gb}
axes:
  precision: [fp32, bf16]
"""
RECORDED = ["run", "tiny.yaml", "--out", "one"]
GRID_RUN = ["grid", "run", "grid.yaml", "--out", "cells"]
COMMANDS = [
    ["run", "tiny.yaml", "--dry", "h100-80gb", "--out", "dry"],
    ["exec", "--out", "program", "--", sys.executable, "program.py"],
    ["report", "one"],
    ["export", "one", "--format", "chrome", "--out", "trace.json"],
    ["export", "one", "--format", "memory_viz", "--out", "memory.pickle"],
    ["diff", "one", "one"],
    ["plot", "one"],
    ["bundle", "one", "--out", "one.tar.gz"],
    ["fit", "tiny.yaml", "--device", "h100-80gb", "--at-most", "4"],
    ["grid", "report", "cells"],
    ["doctor"],
    ["plugins"],
    ["devices"],
]


@pytest.fixture(scope="module")
def noting(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notes")
    (folder / "notes.c").write_text(NOTES)
    library = folder / "notes.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, folder / "notes.c"], check=True)
    return {"LD_PRELOAD": str(library), "SOCKET_NOTES": str(folder / "sockets")}


def test_a_socket_is_noted(noting):
    subprocess.run([sys.executable, "-c", "import socket; socket.socket()"], env={**os.environ, **noting}, check=True)
    with open(noting["SOCKET_NOTES"]) as notes:
        assert "domain 2" in notes.read()
    os.remove(noting["SOCKET_NOTES"])


@pytest.fixture(scope="module")
def place(tmp_path_factory, noting):
    workspace = Workspace(tmp_path_factory.mktemp("offline"))
    workspace.write("tiny.yaml", TINY)
    workspace.write("grid.yaml", GRID)
    workspace.write("program.py", PROGRAM)
    opens_none(workspace, noting, RECORDED)
    opens_none(workspace, noting, GRID_RUN)
    return workspace


def opens_none(workspace, noting, words):
    result = workspace.strata(*words, **noting)
    assert result.returncode == 0, result.stderr
    assert not os.path.exists(noting["SOCKET_NOTES"]), open(noting["SOCKET_NOTES"]).read()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_opens_none(place, noting, words):
    opens_none(place, noting, words)
