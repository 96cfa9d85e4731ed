# SPDX-License-Identifier: Apache-2.0
"""language.py NAME: three training steps of a transformers model, with AdamW."""

import torch
import transformers
from training import DEVICE, main, train


def language_model(configuration, model_class, batch, tokens, autocast=None, checkpoint=False, label_of_sequence=False):
    configuration._attn_implementation = "sdpa"
    torch.manual_seed(0)
    model = getattr(transformers, model_class)(configuration).to(DEVICE)
    if checkpoint:
        model.gradient_checkpointing_enable()
    model.train()
    ids = torch.randint(0, configuration.vocab_size, (batch, tokens), device=DEVICE)
    labels = torch.zeros(batch, dtype=torch.long, device=DEVICE) if label_of_sequence else ids
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    train(model, (ids, labels), lambda model, ids, labels: model(input_ids=ids, labels=labels).loss, optimizer, autocast)


def gpt2(**options):
    language_model(transformers.GPT2Config(), "GPT2LMHeadModel", 4, 512, **options)


def bert():
    language_model(transformers.BertConfig(), "BertForMaskedLM", 8, 128)


def distilbert():
    language_model(
        transformers.DistilBertConfig(), "DistilBertForSequenceClassification", 32, 128, label_of_sequence=True
    )


if __name__ == "__main__":
    main(
        {
            "gpt2": gpt2,
            "gpt2_bf16": lambda: gpt2(autocast=torch.bfloat16),
            "gpt2_ckpt": lambda: gpt2(checkpoint=True),
            "bert": bert,
            "distilbert": distilbert,
        }
    )
