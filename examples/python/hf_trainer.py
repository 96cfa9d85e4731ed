# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer with Strata's callback: steps, evaluation, layers and owners by name.

    strata exec -- python examples/python/hf_trainer.py
    strata exec --dry a100-40gb -- python examples/python/hf_trainer.py --device cuda

Without `strata exec` it trains as it does without the callback.
"""

import sys
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, PrinterCallback, Trainer, TrainingArguments, set_seed

from strata_profiler.integrations.transformers import StrataCallback

set_seed(0)
model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=256, n_head=4, vocab_size=1024, n_positions=128))
texts = [{"input_ids": row, "labels": row} for row in torch.randint(0, 1024, (32, 128))]  # your data goes here
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        folder,
        max_steps=4,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        eval_strategy="steps",
        eval_steps=2,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu="cuda" not in sys.argv,
    )
    trainer = Trainer(
        model, arguments, train_dataset=texts, eval_dataset=texts[:8], callbacks=[StrataCallback()]  # <- the one line
    )
    trainer.remove_callback(PrinterCallback)  # it prints how long training took
    trainer.train()
print([line["loss"] for line in trainer.state.log_history if "loss" in line])
