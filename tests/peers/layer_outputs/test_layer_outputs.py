# SPDX-License-Identifier: Apache-2.0
"""Reference 002's method of counting activations, forward hooks on leaf modules, on transformers'
own DistilBERT. tests/integration/test_scopes.py compares Strata's estimate with it."""

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

TOKENS = 128


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("training", [True, False])
def test_hooks_on_distilberts_leaf_modules(attention, training):
    config = transformers.DistilBertConfig()
    config._attn_implementation = attention
    model = transformers.DistilBertForSequenceClassification(config).train(training)
    counted = {}

    def count(module, _, output):
        calls, size = counted.get(type(module).__name__, (0, 0))
        counted[type(module).__name__] = (calls + 1, size + output.numel() * output.element_size())

    for module in model.modules():
        if not list(module.children()):
            module.register_forward_hook(count)
    with torch.no_grad():
        model(input_ids=torch.zeros(1, TOKENS, dtype=torch.long), attention_mask=torch.ones(1, TOKENS, dtype=torch.long))
    assert counted == {
        "Embedding": (2, 786_432),
        "LayerNorm": (13, 5_111_808),
        "Dropout": (8, 2_755_584),
        "Linear": (38, 21_236_744),
        "GELUActivation": (6, 9_437_184),
    }
    total = sum(size for _, size in counted.values())
    assert total == 39_327_752
    assert f"{total / 2**20:.2f}" == "37.51", "reference 002's figure"
