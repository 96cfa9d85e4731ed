# SPDX-License-Identifier: Apache-2.0
"""`strata exec --dry`: any command, and every process that it starts, on a simulated GPU."""

import glob
import json
import os
import signal
import subprocess
import sys
import time

import pytest

TORCH = """\
import json, os, sys, torch
x = torch.ones(3, device="cuda")
with open("/proc/self/maps") as maps:
    mapped = sorted({line.split()[-1] for line in maps if "/nvidia/" in line})
print(json.dumps({
    "name": torch.cuda.get_device_name(), "devices": torch.cuda.device_count(), "sum": x.sum().item(), "mapped": mapped,
    "segments": [segment["is_expandable"] for segment in torch.cuda.memory_snapshot()]}))
sys.stdout.flush()
"""


@pytest.fixture
def torch_program(workspace):
    workspace.write("program.py", TORCH)
    workspace.write("abrupt.py", TORCH + "os._exit(5)\n")
    return workspace


def execute(workspace, *words, **environment):
    return workspace.strata("exec", "--plugins", "none", *words, **environment)


@pytest.mark.smoke
def test_python_finds_the_card_and_the_account_says_what_it_missed(torch_program):
    result = execute(
        torch_program,
        *("--dry", "a100-40gb:2", "--account", "dry.json", "--", sys.executable, "program.py"),
        PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True",
    )
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout)
    assert (facts["name"], facts["devices"], facts["sum"]) == ("NVIDIA A100-SXM4-40GB", 2, 0.0)
    assert facts["segments"] == [True]
    harmless = ("cufile", "nvshmem", "nvrtc-builtins")  # these make no device calls
    assert [path for path in facts["mapped"] if not any(name in path for name in harmless)] == []
    assert "on a dry NVIDIA A100-SXM4-40GB, nothing was computed and no time measured" in result.stderr
    assert "1 read of unknown values (4 bytes)" in result.stderr

    account = json.loads((torch_program.folder / "dry.json").read_text())
    assert (account["profile"], account["devices"]) == ("a100-40gb", 2)
    assert account["unknown_reads"] == {"count": 1, "bytes": 4}
    assert account["unknown_reads_by"] == [{"reader": "aten::_local_scalar_dense", "count": 1, "bytes": 4, "answered": 0}]
    assert "; unknown values were read by aten::_local_scalar_dense (1); .item() of these is 0: code that decides by it" in result.stderr
    assert account["kernels_not_run"] == 2


def test_it_is_told_whose_size_hangs_on_a_value_that_nobody_knows(workspace):
    workspace.write("sizes.py", "import torch; x = torch.ones(8, device='cuda'); x.cpu(); print(len(x.nonzero()))")
    result = execute(workspace, "--dry", "t4", "--", sys.executable, "sizes.py")
    assert result.stdout == "0\n"
    assert "aten::nonzero (1); the size of what aten::nonzero returns was taken as 0, unless --answers FILE tells it" in result.stderr


COMPILED = """\
import json, torch

def chain(x):
    return (torch.nn.functional.gelu(x) * 2 + 1).sin()

def peak_of(function):
    x = torch.empty(4096, 4096, device="cuda")
    function(x)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    function(x)
    return torch.cuda.max_memory_allocated()

print(json.dumps({"eager": peak_of(chain), "compiled": peak_of(torch.compile(chain))}))
"""


@pytest.mark.long
def test_compiled_functions_run_their_own_kernels(workspace):
    """Triton compiles the kernels for the card, links the driver's file, and launches them: one
    kernel instead of four."""
    workspace.write("program.py", COMPILED)
    result = execute(
        workspace,
        *("--dry", "h100-80gb", "--account", "dry.json", "--", sys.executable, "program.py"),
        TORCHINDUCTOR_CACHE_DIR=str(workspace.folder / "inductor"),
        TRITON_CACHE_DIR=str(workspace.folder / "triton"),
        timeout=900,
    )
    assert result.returncode == 0, result.stderr
    tensor = 4096 * 4096 * 4
    # x, and the chain's last two results; compiled, only the last one.
    assert json.loads(result.stdout) == {"eager": 3 * tensor, "compiled": 2 * tensor}
    account = json.loads((workspace.folder / "dry.json").read_text())
    assert account["refused"] == []
    assert account["kernels_not_run"] >= 2 * 4 + 2
    assert list((workspace.folder / "triton").rglob("*.cubin")) != [], "code for the card"
    assert [each.name for each in (workspace.folder / "inductor").iterdir()] == ["strata-dry"]


@pytest.mark.parametrize("own", ["", "kept"])
def test_what_inductor_measures_on_a_dry_card_is_kept_apart(workspace, own):
    """Inductor keeps the times of its candidates by the card's name, and would take them for those of a real one."""
    print_it = ("--", sys.executable, "-c", "import os; print(os.environ['TORCHINDUCTOR_CACHE_DIR'])")
    done = execute(workspace, "--dry", "h100-80gb", *print_it, TORCHINDUCTOR_CACHE_DIR=own, TMPDIR=str(workspace.folder))
    expected = f"{own}/strata-dry" if own else f"{workspace.folder}/torchinductor_{os.getuid()}_strata-dry"
    assert (done.returncode, done.stdout.strip()) == (0, expected), done.stderr


def test_a_limit_on_address_space_does_not_limit_the_device(torch_program):
    """The addresses of eight devices take 16 TiB. Under a limit they are not reserved, and nothing
    is stored there."""
    limited = f"ulimit -v 33554432 && exec {sys.executable} program.py"
    result = execute(torch_program, "--dry", "h100-80gb:8", "--", "sh", "-c", limited)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["devices"] == 8


def test_a_file_answers_reads_of_unknown_values(torch_program):
    torch_program.write(
        "answers.yaml",
        "schema: strata.answers/1\nanswers:\n- {reader: aten::_local_scalar_dense, type: float32, values: [2.5]}\n",
    )
    result = execute(
        torch_program,
        *("--dry", "h100-80gb", "--answers", "answers.yaml", "--account", "dry.json", "--", sys.executable, "program.py"),
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["sum"] == 2.5
    assert "0 reads of unknown values (0 bytes), 1 read answered" in result.stderr
    account = json.loads((torch_program.folder / "dry.json").read_text())
    assert (account["unknown_reads"], account["answered_reads"]) == ({"count": 0, "bytes": 0}, 1)


def test_an_answer_that_nobody_took_is_told(torch_program):
    for reader, type, told in (
        ("aten::_local_scalar_dense", "int64", "it read 1 value of 4 bytes, but the answer has 8 bytes"),
        ("aten::_local_scalar_dence", "float32", "it read no unknown values; --account FILE lists the readers that did"),
    ):
        torch_program.write("answers.yaml", f"schema: strata.answers/1\nanswers:\n- {{reader: {reader}, type: {type}, values: [2]}}\n")
        result = execute(torch_program, "--dry", "h100-80gb", "--answers", "answers.yaml", "--", sys.executable, "program.py")
        assert result.returncode == 0 and f"no answer for {reader} was used: {told}" in result.stderr


def test_answers_that_are_none_are_refused(workspace):
    workspace.write("answers.yaml", "schema: strata.answers/1\nanswers:\n- {reader: aten::item, type: float, values: [1]}\n")
    result = execute(workspace, "--dry", "h100-80gb", "--answers", "answers.yaml", "--", "true")
    assert result.returncode == 125
    assert "answers.yaml:3:30: answers[0].type: expected one of bool, uint8" in result.stderr


STREAM_ORDERED = """\
import json, torch
free, total = torch.cuda.mem_get_info()
kept = [torch.empty(1 << 30, dtype=torch.uint8, device="cuda") for _ in range(3)]
del kept[0]
use = [torch.cuda.memory_allocated(), torch.cuda.memory_reserved(), free - torch.cuda.mem_get_info()[0]]
torch.cuda.empty_cache()
try:
    torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError as error:
    message = str(error)
print(json.dumps({"backend": torch.cuda.get_allocator_backend(), "use": use, "message": message,
                  "then": torch.cuda.memory_reserved()}))
"""


def test_the_stream_ordered_allocator_works_too(workspace):
    workspace.write("program.py", STREAM_ORDERED)
    result = execute(
        workspace,
        *("--dry", "t4", "--", sys.executable, "program.py"),
        PYTORCH_CUDA_ALLOC_CONF="backend:cudaMallocAsync",
    )
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout)
    gib = 1 << 30
    assert facts["backend"] == "cudaMallocAsync"
    assert facts["use"] == [2 * gib, 3 * gib, 3 * gib]
    assert "out of memory" in facts["message"]
    assert facts["then"] == 2 * gib
    assert "refused" not in result.stderr


def test_children_are_included_however_they_end(torch_program):
    script = f"'{sys.executable}' program.py; '{sys.executable}' abrupt.py"
    result = execute(torch_program, "--dry", "h100-80gb", "--", "bash", "-c", script)
    assert result.returncode == 5, result.stderr
    assert "2 reads of unknown values (8 bytes), in 2 processes" in result.stderr


@pytest.mark.parametrize(
    "command, code, message",
    [
        (["bash", "-c", "exit 7"], 7, "no process used a CUDA device"),
        (["bash", "-c", "kill -KILL $$"], 137, "no process used a CUDA device"),
        (["no-such-program"], 127, "no program 'no-such-program'\n"),
        (["./none"], 127, "no program './none'"),
        (["./text"], 126, "./text cannot be run"),
        (["text.py", "--steps", "3"], 127, "no program 'text.py'; to run a script, start it with python: -- python text.py --steps 3\n"),
        (["./text.py"], 126, "./text.py is not executable; to run a script, start it with python: -- python ./text.py\n"),
        ([], 125, "expected a command after `--`"),
    ],
)
def test_passes_exit_codes_through_and_has_its_own(workspace, command, code, message):
    workspace.write("text", "nothing\n")
    workspace.write("text.py", "nothing\n")
    result = execute(workspace, "--dry", "h100-80gb", "--", *command)
    assert (result.returncode, result.stdout) == (code, "")
    assert message in result.stderr


def test_segments_grow_on_the_largest_card_in_several_streams(workspace):
    """Each stream reserves an eighth more addresses than the device has memory."""
    workspace.write(
        "streams.py",
        """import torch
for _ in range(4):
    with torch.cuda.stream(torch.cuda.Stream()):
        small, large = torch.empty(1 << 10, device="cuda"), torch.empty(64 << 20, device="cuda")
print(sum(segment["is_expandable"] for segment in torch.cuda.memory_snapshot()))
""",
    )
    words = ("--dry", "rtx-4090", "--device-memory", "1TiB", "--", sys.executable, "streams.py")
    result = execute(workspace, *words, PYTORCH_ALLOC_CONF="expandable_segments:True")
    assert (result.returncode, result.stdout) == (0, "8\n"), result.stderr


def test_without_a_python_it_says_where_there_is_one(workspace):
    result = workspace.strata("exec", "--dry", "t4", "--", "python", "train.py", PATH="/nowhere")
    assert result.returncode == 127
    assert "no program 'python'; activate the environment that has torch: source .venv/bin/activate" in result.stderr


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("raise RuntimeError('no GPU')", "the command ended with 1 before it allocated memory with torch. If it needs a GPU"),
        ("raise SystemExit(3)", "the command ended with 3 before it allocated memory with torch\n"),
        ("pass", "`strata doctor --launcher 'WORDS'`"),
    ],
)
def test_a_program_without_torch_is_not_recorded_and_told_why(workspace, program, said):
    result = workspace.strata("exec", "--", sys.executable, "-c", program)
    assert "nothing was recorded: " in result.stderr and said in result.stderr
    assert ("launcher" in result.stderr) == (program == "pass")


def test_a_failure_of_what_was_recorded_is_sent_to_a_dry_card_too(workspace):
    program = "import torch; torch.ones(3); raise RuntimeError('no GPU')"
    ended = "strata: the command ended with 1. If it needs a GPU and this machine has none: strata exec --dry h100-80gb"
    result = workspace.strata("exec", "--", sys.executable, "-c", program)
    assert (ended in result.stderr) == (not glob.glob("/dev/nvidia[0-9]*"))
    result = workspace.strata("exec", "--dry", "t4", "--", sys.executable, "-c", program)
    assert "the command ended with 1" not in result.stderr


def test_the_programs_own_lines_are_in_its_stacks(workspace):
    workspace.write("allocates.py", "import torch\ndef make():\n    return torch.ones(2**20, device='cuda')\nheld = make()\n")
    plugins = "[{allocator_tracer: {stacks_above_mib: 1}}]"
    result = workspace.strata("exec", "--dry", "t4", "--plugins", plugins, "--out", "out", "--", sys.executable, "allocates.py")
    assert result.returncode == 0, result.stderr
    stacks = workspace.strata("report", "out", "--stacks").stdout
    assert "make  allocates.py:3" in stacks and "<module>  allocates.py:4" in stacks


def test_a_failure_on_a_dry_card_is_not_sent_to_one(workspace):
    result = workspace.strata("exec", "--dry", "t4", "--", sys.executable, "-c", "raise RuntimeError('of its own')")
    assert "the command ended with 1 before it allocated memory with torch\n" in result.stderr


def test_an_exit_code_is_kept_where_ended_children_are_ignored(workspace):
    """Some supervisors start programs so, and the program inherits the setting."""
    ignored = "import signal; print(signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN); raise SystemExit(7)"
    words = workspace.command("exec", "--plugins", "none", "--dry", "t4", "--", sys.executable, "-c", ignored)
    done = subprocess.run(
        words, cwd=workspace.folder, capture_output=True, text=True, timeout=60, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    )
    assert (done.returncode, done.stdout) == (7, "True\n"), done.stderr


@pytest.mark.parametrize("dashes", [[], ["--"]], ids=["without dashes", "with dashes"])
def test_what_stands_behind_the_program_is_the_programs(workspace, dashes):
    program = [sys.executable, "-c", "import sys; print(sys.argv[1:])", "--layers", "2", "--out", "there", "--unheard-of"]
    done = execute(workspace, "--layers", "--dry=t4", "--clock", "none", "--layers", *dashes, *program)
    assert (done.returncode, done.stdout) == (0, "['--layers', '2', '--out', 'there', '--unheard-of']\n"), done.stderr
    assert not (workspace.folder / "there").exists()


@pytest.mark.parametrize(
    "words, message",
    [
        (["--", "true"], "there is nothing to do with --plugins none and without --dry"),
        (["--dry", "h100-80bg", "--", "true"], "did you mean 'h100-80gb'?"),
        (["--dry", "4090", "--", "true"], "exec: --dry 4090: unknown device '4090'; did you mean 'rtx-4090'?"),
        (["--dry", "t4", "--device-memory", "24", "--", "true"], "exec: --device-memory 24: expected bytes from 1GiB to 1TiB, such as 24GiB"),
        (["--dry", "h100-80gb:65", "--", "true"], "exec: --dry h100-80gb:65: expected an integer from 1 to 64, found '65'"),
    ],
)
def test_what_cannot_be_had_is_refused(workspace, words, message):
    result = execute(workspace, *words)
    assert result.returncode == 125
    assert message in result.stderr


def test_a_temporary_folder_that_is_not_there_is_replaced(workspace):
    """A job may inherit such a TMPDIR from another machine. Python also continues in /tmp then."""
    result = execute(workspace, "--dry", "t4", "--", "true", TMPDIR="/no/such/folder")
    assert result.returncode == 0, result.stderr


def test_a_signal_reaches_the_command_and_nothing_is_left(workspace):
    folder = workspace.folder / "temporary"
    folder.mkdir()
    process = subprocess.Popen(
        workspace.command("exec", "--plugins", "none", "--dry", "t4", "--", "bash", "-c", "echo begun; exec sleep 600"),
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "begun\n"
    assert list(folder.iterdir())
    process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    assert process.wait(timeout=300) == 143
    assert time.monotonic() - begin < 300
    assert list(folder.iterdir()) == []


def test_autotuners_launch_a_candidate_as_often_as_on_a_card(workspace):
    """Triton's autotuner repeats a candidate for a tenth of a second, measured by the time between
    events."""
    program = "import torch, triton.testing; runs = []; triton.testing.do_bench(lambda: runs.append(torch.ones(8, device='cuda'))); print(len(runs))"
    result = execute(workspace, "--dry", "h100-80gb", "--", sys.executable, "-c", program)
    assert result.returncode == 0, result.stderr
    assert 100 <= int(result.stdout) <= 10_000


@pytest.mark.parametrize(
    "words, message",
    [
        (["--dry", "t4"], "the dry GPU cannot replace CUDA"),
        (["device=cuda"], "device: cuda is a dry GPU in this process"),
    ],
)
def test_strata_itself_is_told_to_take_dry(tiny, words, message):
    result = execute(tiny, "--dry", "h100-80gb", "--", *tiny.command("run", "tiny.yaml", *words))
    assert result.returncode == 2
    assert message in result.stderr
