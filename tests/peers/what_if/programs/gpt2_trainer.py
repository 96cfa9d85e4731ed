# SPDX-License-Identifier: Apache-2.0
"""A small GPT-2 with transformers' Trainer."""

import by_hand
import torch
import transformers

HOW = by_hand.HOW
config = transformers.GPT2Config(n_embd=256, n_layer=6, n_head=8, vocab_size=4000, n_positions=256, attn_implementation="eager", use_cache=False)
model = transformers.GPT2LMHeadModel(config)
if HOW == "sdpa":
    model.set_attn_implementation("sdpa")
rows = [{"input_ids": torch.arange(256), "labels": torch.arange(256)} for _ in range(512)]
options = {
    "checkpoint": {"gradient_checkpointing": True, "gradient_checkpointing_kwargs": {"use_reentrant": False}},
    "half": {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2},
    "quarter": {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 4},
    "bf16": {"bf16": True},
    "fp16": {"fp16": True},
    "adam8bit": {"optim": "adamw_bnb_8bit"},
    "adafactor": {"optim": "adafactor"},
    "fused": {"optim": "adamw_torch_fused"},
    "foreach": {"optim": "adamw_torch"},
}.get(HOW, {})
arguments = {"per_device_train_batch_size": 8, "max_steps": 3, "report_to": [], "output_dir": "out", "save_strategy": "no", **options}
optimizers = (None, None)
if HOW == "loop":
    optimizers = (torch.optim.AdamW(model.cuda().parameters(), foreach=False, fused=False), None)
transformers.Trainer(model, transformers.TrainingArguments(**arguments), train_dataset=rows, optimizers=optimizers).train()
