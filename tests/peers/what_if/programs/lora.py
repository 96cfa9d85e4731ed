# SPDX-License-Identifier: Apache-2.0
"""LoRA with peft on a Llama in bfloat16 that is created on the device: small, or with 7 billion
weights."""

import sys

import by_hand
import peft
import torch
import transformers

SIZES = {"small": (256, 688, 6, 8, 4000, 128, 8), "7b": (4096, 11008, 32, 32, 32000, 2048, 4)}
width, inner, layers, heads, vocabulary, length, rows = SIZES[sys.argv[1]]
config = transformers.LlamaConfig(hidden_size=width, intermediate_size=inner, num_hidden_layers=layers, num_attention_heads=heads, vocab_size=vocabulary, use_cache=False)
torch.set_default_dtype(torch.bfloat16)
with torch.device("cuda"):
    model = transformers.LlamaForCausalLM(config)
torch.set_default_dtype(torch.float32)
model = peft.get_peft_model(model, peft.LoraConfig(r=8, lora_alpha=16, target_modules=["q_proj", "v_proj"]))
if by_hand.TOGETHER == 1:
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})


def loss_function(logits, labels, vocab_size, **_):
    """The same as transformers' own, in pieces."""
    logits = logits.float()
    labels = torch.nn.functional.pad(labels, (0, 1), value=-100)[..., 1:].contiguous()
    return by_hand.cross_entropy(logits.view(-1, vocab_size), labels.view(-1))


if by_hand.HOW == "pieces":
    model.get_base_model().loss_function = loss_function
model.train()
optimizer = by_hand.optimizer(torch.optim.AdamW, [each for each in model.parameters() if each.requires_grad], lr=2e-4)
for step in range(8):
    for _ in range(by_hand.PARTS):
        tokens = torch.randint(0, vocabulary, (rows // by_hand.PARTS, length), device="cuda")
        with by_hand.format_of_numbers():
            with by_hand.saved_tensors():
                loss = model(input_ids=tokens, labels=tokens).loss
        if by_hand.PARTS > 1:
            loss = loss / by_hand.PARTS
        by_hand.backward(loss)
    by_hand.step(optimizer)
    optimizer.zero_grad()
