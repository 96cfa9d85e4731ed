# SPDX-License-Identifier: Apache-2.0
"""TRL's SFTTrainer with Strata's callback, on texts and a model that the script makes itself.

    strata exec --dry a100-40gb -- python examples/python/trl_sft.py
"""

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

from strata_profiler.integrations.transformers import StrataCallback

words = Tokenizer(models.WordLevel({f"w{index}": index for index in range(128)}, unk_token="w0"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="w0", eos_token="w1", pad_token="w2")
model = LlamaForCausalLM(  # your model goes here
    LlamaConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4)
)
texts = Dataset.from_dict({"text": [" ".join(f"w{row * at % 128}" for at in range(40)) for row in range(1, 33)]})
arguments = SFTConfig("out", max_steps=3, per_device_train_batch_size=2, report_to=[], save_strategy="no", disable_tqdm=True, bf16=False)
trainer = SFTTrainer(
    model, arguments, train_dataset=texts, processing_class=tokenizer, callbacks=[StrataCallback()]  # <- the one line
)
trainer.train()
