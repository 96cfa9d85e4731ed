# SPDX-License-Identifier: Apache-2.0
"""cuDNN on the dry GPU: its descriptors compared with the real ones, and real PyTorch's
convolutions, attention and recurrences.

Sizes are PyTorch's own plus what cuDNN's kernels need: `cudnn_workspace_bytes` for a convolution;
for attention and recurrences, formulas fitted to an H200 (test_workspaces_fitted.py compares them
with the measured sizes).
"""

import importlib.util
import json
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
MIB = 1 << 20
WORKSPACE = 24 * MIB


def rounded(*sizes):
    """Return the sum as the allocator counts blocks, each rounded up."""
    return sum((size + 511) // 512 * 512 for size in sizes)


def recurrence(matrices, of_step, of_sequence, kept, directions=1):
    """Return the reserve space and the workspace of 32 steps of 16 sequences; the arguments count
    floats (dry_gpu/cudnn/rnn_sizes.hpp)."""
    steps = 32 * 16
    workspace = directions * 16 * MIB + 512 + 4 * (matrices + steps * of_step + 16 * of_sequence)
    return rounded(4 * steps * kept + 256), workspace


def check_peak(measured, kept, others, workspace):
    """At the peak there are the workspace and `others`. The workspace's block may be larger: a rest
    of up to 1 MiB is not split off."""
    assert measured[0] == kept
    assert workspace <= measured[1] - others <= workspace + MIB


def answers_of(library, python3):
    program = HERE / "programs/cudnn_descriptors.py"
    environment = {**os.environ, "STRATA_DRY_GPU": ""}
    run = subprocess.run([*python3, program, library], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


def test_descriptors_answer_as_the_real_ones(dry_gpu_folder, python3):
    folder = pathlib.Path(importlib.util.find_spec("nvidia.cudnn").submodule_search_locations[0])
    libraries = folder / "lib/libcudnn.so.9", dry_gpu_folder / "libstrata_dry_gpu.so"
    real, ours = (answers_of(library, python3) for library in libraries)
    assert len(real) > 1500
    assert [question for question in real if real[question] != ours.get(question)] == []


@pytest.mark.parametrize("words", ["", "benchmark", "deterministic", "v7", "v7 benchmark"])
@pytest.mark.parametrize("workspace", [0, WORKSPACE])
def test_convolutions(on_dry_gpu, words, workspace):
    facts = on_dry_gpu("convolutions.py", *words.split(), cudnn_workspace_bytes=workspace)
    assert facts.pop("messages") == []
    # Bytes of y, x and w in each case.
    sizes = {
        "plain": (8 * 32 * 64 * 64 * 4, 8 * 16 * 64 * 64 * 4, 32 * 16 * 9 * 4),
        "half": (8 * 32 * 64 * 64 * 2, 8 * 16 * 64 * 64 * 2, 32 * 16 * 9 * 2),
        "bfloat16, channels last": (8 * 32 * 64 * 64 * 2, 8 * 16 * 64 * 64 * 2, 32 * 16 * 9 * 2),
        "strided, dilated, grouped": (8 * 32 * 32 * 32 * 4, 8 * 16 * 64 * 64 * 4, 32 * 4 * 9 * 4),
        "1d": (8 * 32 * 4096 * 4, 8 * 16 * 4096 * 4, 32 * 16 * 5 * 4),
        "3d": (2 * 16 * 16 * 32 * 32 * 4, 2 * 8 * 16 * 32 * 32 * 4, 16 * 8 * 27 * 4),
        "transposed": (8 * 16 * 64 * 64 * 4, 8 * 32 * 32 * 32 * 4, 32 * 16 * 4 * 4),
    }
    assert sorted(facts) == sorted(sizes), "with nothing left out"
    if words.startswith("v7"):
        # ATen uses only cuDNN's newer interface for bfloat16. With the old one it multiplies
        # matrices itself: it unfolds each image of x into columns, uses cuBLAS's workspace of 32
        # MiB, and copies x and w with channels first.
        y, x, w = sizes.pop("bfloat16, channels last")
        products, columns = facts.pop("bfloat16, channels last"), 16 * 9 * 64 * 64 * 2
        assert products["forward"] == [y + 32 * MIB, y + 32 * MIB + columns + x + w, 8, 0]
        assert products["backward"] == [x + w, x + w + columns + x + w, 2 * 8, 0]
    for name, (y, x, w) in sizes.items():
        forward, backward = facts[name]["forward"], facts[name]["backward"]
        assert forward[:2] == [rounded(y), rounded(y) + workspace], name
        # Both gradients, and with the second one its workspace.
        assert backward[:2] == [rounded(x, w), rounded(x, w) + workspace], name
        # Once for the result and once for each gradient; a benchmark first tries the plan that it
        # then uses.
        if words == "v7 benchmark":
            assert forward[2:] + backward[2:] == [2, 2, 4, 4], name
        elif words != "benchmark":
            assert forward[2:] + backward[2:] == [1, 1, 2, 2], name
        else:
            assert forward[2] == forward[3] > 1 and backward[2:] == [2 * forward[2]] * 2, name
        assert facts[name]["channels_last"] == (name == "bfloat16, channels last")
    assert facts["1d"]["shapes"] == [[8, 32, 4096], [8, 16, 4096], [32, 16, 5]]
    assert facts["3d"]["shapes"][0] == [2, 16, 16, 32, 32]
    assert facts["transposed"]["shapes"][0] == [8, 16, 64, 64]


# ResNet-18 has 20 convolutions. In backward each has two gradients, except the first, because its
# image needs none. The workspace of its batch norms is known.
RESIDUAL_CALLS = [20 + 2 * 20 - 1] * 3


def test_a_residual_network_takes_the_same_in_every_run(on_dry_gpu):
    first, second = (on_dry_gpu("residual_network.py") for _ in range(2))
    assert first == second, "peaks, and every event of the allocator, addresses included"
    assert first["events"] > 500
    assert first["parameters"] == 11_689_512, "ResNet-18's"
    assert first["unknown_workspaces"] == RESIDUAL_CALLS
    assert first["messages"] == []
    chosen = on_dry_gpu("residual_network.py", "deterministic")
    assert chosen == first, "there is one algorithm of each kind"


def test_a_residual_network_in_half_precision(on_dry_gpu):
    facts = on_dry_gpu("residual_network.py", "half")
    assert facts["unknown_workspaces"] == RESIDUAL_CALLS
    assert facts["messages"] == []


class TestWhatElseIsLeftToCudnn:
    @pytest.fixture(scope="class")
    @classmethod
    def all_facts(cls):
        return {}

    @pytest.fixture
    def facts(self, on_dry_gpu, all_facts):
        if not all_facts:
            all_facts.update(on_dry_gpu("cudnn_layers.py"))
        assert all_facts["messages"] == []
        return all_facts

    def test_attention(self, facts):
        attention = facts["attention"]
        assert attention["choice"] == 3, "cuDNN (torch.nn.attention.SDPBackend), by itself on this architecture"
        tensor = 4 * 16 * 2048 * 64 * 2
        row_sums = 4 * 16 * 2048 * 4
        seed_and_offset = 2 * 512  # the dropout's
        forward = tensor + row_sums + seed_and_offset
        workspace = 512  # 256 bytes, in the smallest possible block
        assert attention["forward"] == [forward, forward + workspace, 1, 0]
        # Three gradients, and cudnn_frontend's own workspace in one block with cuDNN's: dQ in fp32,
        # and a sum for each row.
        assert attention["backward"][1:] == [3 * tensor + 2 * tensor + row_sums + workspace, 1, 0]
        # With q, k and v: 145 MiB.
        assert attention["most"] == 145 * MIB + seed_and_offset + workspace == 3 * tensor + forward + 5 * tensor + row_sums + workspace

    # LSTM with 64 features and a hidden size of 128, over 32 steps of 16: W (512, 64), R (512,
    # 128), two biases of 512. The initial and the final h and c: 16 * 128 each.
    def test_lstm(self, facts):
        lstm = facts["lstm"]
        weights, x, y, h = 4 * 512 * (64 + 128 + 2), 4 * 32 * 16 * 64, 4 * 32 * 16 * 128, 4 * 16 * 128
        # Each parameter is created first and then copied into one block, at the place that cuDNN
        # wants.
        assert lstm["built"] == [weights, 2 * weights, 0, 0]
        assert lstm["buffers"] == 1
        assert lstm["offsets"] == [0, 512 * 64, 512 * 192, 512 * 193]
        # The layer has four gates and two states; each step keeps the gates and c.
        reserve, workspace = recurrence(512 * 192, 6 * 128, 10 * 128, 5 * 128)
        forward = y + 4 * h + reserve
        check_peak(lstm["forward"], forward, forward, workspace)
        assert lstm["forward"][2:] == [1, 0]
        assert lstm["shapes"] == [[32, 16, 128], [1, 16, 128], [1, 16, 128]]
        # The gradients of x and of the weights stay, and the initial h and c are freed. At the peak
        # there are the gradient of y, and those of h and c twice, as zeros and as results. The
        # reserve space is freed.
        check_peak(lstm["backward"], x + weights - 2 * h - reserve, x + weights + y + 4 * h, workspace)
        assert lstm["backward"][2:] == [2, 0]

    def test_lstm_of_two_layers_in_both_directions(self, facts):
        lstm = facts["lstm, two layers, both directions"]
        weights = 4 * 2 * (4 * 96 * (64 + 96 + 2) + 4 * 96 * (192 + 96 + 2))
        x, y, h = 4 * 32 * 16 * 64, 4 * 32 * 16 * 192, 4 * 4 * 16 * 96
        assert lstm["built"] == [rounded(weights), 2 * rounded(weights), 0, 0]
        matrices = 2 * (4 * 96 * (64 + 96) + 4 * 96 * (192 + 96))
        reserve, workspace = recurrence(matrices, 13 * 96, (4 * 10 + 8) * 96, 2 * (2 * 5 + 1) * 96, directions=2)
        check_peak(lstm["forward"], y + 4 * h + reserve, y + 4 * h + reserve, workspace)
        check_peak(lstm["backward"], x + rounded(weights) - 2 * h - reserve, x + rounded(weights) + y + 4 * h, workspace)
        assert lstm["shapes"] == [[32, 16, 192], [4, 16, 96], [4, 16, 96]]
        # No weight overlaps another.
        places = sorted(zip(lstm["offsets"], lstm["sizes"], strict=True))
        assert all(end + size <= start for (end, size), (start, _) in zip(places, places[1:], strict=False))
        assert sum(lstm["sizes"]) == places[-1][0] + places[-1][1] == weights // 4

    def test_lstm_with_a_projection(self, facts):
        lstm = facts["lstm, projected"]
        weights = 4 * (512 * (64 + 32 + 2) + 32 * 128)
        x, y, h, c = 4 * 32 * 16 * 64, 4 * 32 * 16 * 32, 4 * 16 * 32, 4 * 16 * 128
        assert lstm["parameters"] == weights // 4
        # In addition to what it keeps without a projection: h before and after it.
        reserve, workspace = recurrence(weights // 4 - 2 * 512, 6 * 128 + 32, 8 * 128 + 2 * 32, 6 * 128 + 32)
        check_peak(lstm["forward"], y + 2 * h + 2 * c + reserve, y + 2 * h + 2 * c + reserve, workspace)
        check_peak(lstm["backward"], x + weights - h - c - reserve, x + weights + y + 2 * h + 2 * c, workspace)

    def test_lstm_with_dropout(self, facts):
        lstm = facts["lstm, dropout"]
        y, h = 4 * 32 * 16 * 128, 4 * 2 * 16 * 128
        states = rounded(48 * 1024 * 132)  # a random number generator for each thread of each multiprocessor
        mask = 32 * 16 * 128 // 4  # two bits for each element, dropped or not
        reserve, workspace = recurrence(512 * 192 + 512 * 256, 7 * 128, 2 * 10 * 128, (2 * 5 + 1) * 128)
        forward = y + 4 * h + states + reserve + mask
        check_peak(lstm["forward"], forward, forward, workspace)
        assert lstm["forward"][2:] == [2, 0], "their set-up is another call"

    def test_gru(self, facts):
        weights, x, y, h = 4 * 384 * (64 + 128 + 2), 4 * 32 * 16 * 64, 4 * 32 * 16 * 128, 4 * 16 * 128
        gru = facts["gru"]
        assert gru["built"] == [weights, 2 * weights, 0, 0]
        reserve, workspace = recurrence(384 * 192, 5 * 128, 13 * 128, 6 * 128)
        check_peak(gru["forward"], y + 2 * h + reserve, y + 2 * h + reserve, workspace)
        check_peak(gru["backward"], x + weights - h - reserve, x + weights + y + 2 * h, workspace)
        packed = facts["gru, packed"]
        rows = 8 * 32 + 8 * 16
        assert packed["shapes"] == [[rows, 128], [1, 16, 128]]
        # The sizes follow from the longest sequence.
        forward = 4 * rows * 128 + 2 * h + reserve
        check_peak(packed["forward"], forward, forward, workspace)

    def test_a_network_without_biases_has_room_for_them(self, facts):
        # ATen asks for both biases whatever the module has (CUDNN_RNN_DOUBLE_BIAS).
        network = facts["tanh, no bias"]
        assert network["parameters"] == 128 * (64 + 128)
        assert network["built"][0] == rounded(4 * 128 * (64 + 128 + 2))

    def test_ctc_loss(self, facts):
        assert facts["ctc"]["grad"].startswith("CudnnCtcLoss")
        # log_softmax, and the gradient that cuDNN computes with the loss; a loss for each sequence,
        # and their sum.
        assert facts["ctc"]["forward"][0] == 2 * 50 * 16 * 20 * 4 + 2 * 512
        assert facts["ctc"]["forward"][2:] == [1, 1]

    def test_grids(self, facts):
        grid = facts["grid"]
        assert grid["grad"] == "CudnnGridSamplerBackward0"
        points, y = 4 * 32 * 32 * 2 * 4, 4 * 8 * 32 * 32 * 4
        assert grid["generated"] == [points, points, 1, 0]
        assert grid["forward"] == [y, y, 1, 0]
        # Gradients of x and theta; at the peak also those of y and of the grid.
        assert grid["backward"] == [y + 512, 2 * y + points + 512, 2, 0]

    def test_batch_norm(self, facts):
        norm = facts["batch norm"]
        assert norm["grad"] == "CudnnBatchNormBackward0"
        y, channels = 8 * 64 * 56 * 56 * 4, 512  # 64 floats
        assert norm["forward"] == [y + 2 * channels, y + 2 * channels, 1, 0], "with the mean and variance of the batch"
        assert norm["backward"] == [y, 2 * y + 2 * channels, 1, 0], "which are gone then"
