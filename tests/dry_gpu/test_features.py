# SPDX-License-Identifier: Apache-2.0
"""The memory of single PyTorch features on the dry GPU: kinds of attention, forms of AdamW,
checkpoints, scaled gradients."""

import pytest

MIB = 1 << 20


@pytest.fixture(scope="module")
def first_facts():
    return {}


@pytest.fixture
def facts(on_dry_gpu, first_facts):
    if not first_facts:
        first_facts.update(on_dry_gpu("features.py"))
    assert first_facts["messages"] == []
    return first_facts


def test_attention(facts):
    # Each of q, k, v, the result and their gradients is 4 x 16 x 2048 x 64 in bfloat16.
    tensor = 4 * 16 * 2048 * 64 * 2
    rows = 4 * 16 * 2048 * 4  # one float for each query: the log of its sum, and in backward its share of the gradient
    scores = 4 * 16 * 2048 * 2048 * 2
    peaks = facts["attention"]
    # The result, its gradient, three gradients, and q's gradient summed in float.
    fused = 5 * tensor + 2 * rows + 2 * tensor
    # cuDNN and the memory-efficient kernel need little else: seeds, and the mask's few numbers.
    assert 0 <= peaks["CUDNN_ATTENTION"] - fused < 64 << 10
    assert 0 <= peaks["EFFICIENT_ATTENTION"] - fused < 64 << 10
    assert 0 <= peaks["FLASH_ATTENTION"] - fused - tensor < 64 << 10
    assert peaks["MATH"] > 8 * scores, "scores and probabilities are whole matrices, and so are what they are made of"


# torch's own order of preference: cuDNN from compute capability 9.0 on, flash from 8.0; neither for
# float.
@pytest.mark.parametrize(
    ("compute", "chosen"),
    [((10, 0), "Cudnn"), ((9, 0), "Cudnn"), ((8, 9), "Flash"), ((8, 6), "Flash"), ((8, 0), "Flash"), ((7, 5), None)],
)
def test_attention_is_chosen_by_architecture(on_dry_gpu, compute, chosen):
    facts = on_dry_gpu("features.py", "choice", compute_major=compute[0], compute_minor=compute[1])
    by_parts = "ToCopyBackward0"  # the last operator of attention without a fused kernel
    assert facts["chosen"] == {
        "bfloat16": f"ScaledDotProduct{chosen}AttentionBackward0" if chosen else by_parts,
        "float32": "ScaledDotProductEfficientAttentionBackward0",
    }


def test_a_card_that_torch_has_no_code_for_is_named(on_dry_gpu):
    (message,) = on_dry_gpu("features.py", "choice", compute_major=7, compute_minor=0)["messages"]
    assert message.startswith("strata dry gpu: NVIDIA H100 80GB HBM3 would refuse this kernel")


def test_forms_of_adamw(facts):
    weight, bias = 1024 * 1024 * 4, 1024 * 4
    parameters = 8 * (weight + bias)
    assert facts["adamw"] == {
        "foreach": parameters,  # the square roots of all parameters at once
        "loop": 2 * weight + bias,  # one's root and its update, and the last root, which its variable still holds
        "fused": 0,
        "capturable": parameters + 16 * 2 * 512,  # plus two corrections for each parameter, on the device
    }


def test_checkpoints(facts):
    without, with_checkpoints = facts["feed_forwards"]
    # A block keeps its input and, four times as wide, GELU's input and output.
    width = 4096 * 1024 * 4
    gradients = 8 * (2 * 1024 * 4096 + 4096 + 1024) * 4
    assert without > 8 * (1 + 4 + 4) * width
    # Seven blocks keep only their inputs, and one keeps everything that it recomputes.
    assert with_checkpoints < 8 * width + (4 + 4 + 4 + 4) * width + gradients
    assert round(with_checkpoints / MIB, 1) == 481.2


def test_scaled_gradients_go_through_the_optimizer(facts):
    assert facts["scaled"] == 2, "both parameters have been through the optimizer"
