# SPDX-License-Identifier: Apache-2.0
"""Small configurations of trainers that are started with a file, and their input data, made by
`make_inputs`."""

import json

TORCHTITAN = """
[model]
name = "llama3"
flavor = "debugmodel"
hf_assets_path = "tokenizer"
[training]
local_batch_size = 2
seq_len = 128
steps = 3
dataset = "c4_test"
[activation_checkpoint]
mode = "none"
"""

TORCHTUNE = """
output_dir: out
model: {_component_: torchtune.models.llama3_2.llama3_2, vocab_size: 128, num_layers: 2, num_heads: 4, num_kv_heads: 2, embed_dim: 64, max_seq_len: 64, intermediate_dim: 128}
tokenizer: {_component_: small_data.Tokenizer}
dataset: {_component_: small_data.dataset, packed: False}
seed: 0
shuffle: True
checkpointer: {_component_: torchtune.training.FullModelTorchTuneCheckpointer, checkpoint_dir: weights, checkpoint_files: [model.pt], recipe_checkpoint: null, output_dir: out, model_type: LLAMA3_2}
resume_from_checkpoint: False
batch_size: 4
epochs: 1
optimizer: {_component_: torch.optim.AdamW, lr: 2e-5, fused: True}
loss: {_component_: torchtune.modules.loss.CEWithChunkedOutputLoss}
max_steps_per_epoch: 3
gradient_accumulation_steps: 1
optimizer_in_bwd: False
compile: False
device: cuda
enable_activation_checkpointing: False
enable_activation_offloading: False
dtype: fp32
metric_logger: {_component_: torchtune.training.metric_logging.DiskLogger, log_dir: out/logs}
log_peak_memory_stats: False
profiler: {_component_: torchtune.training.setup_torch_profiler, enabled: False}
"""
TORCHTUNE_DATA = """
class Tokenizer:
    pad_id, max_seq_len = 0, 64
def dataset(tokenizer, **named):
    return [{"tokens": [1 + row] * 32, "labels": [1 + row] * 32} for row in range(16)]
"""
TORCHTUNE_WEIGHTS = """
import torch
from torchtune.models.llama3_2 import llama3_2
model = llama3_2(vocab_size=128, num_layers=2, num_heads=4, num_kv_heads=2, embed_dim=64, max_seq_len=64, intermediate_dim=128)
torch.save(model.state_dict(), "weights/model.pt")
"""

AXOLOTL = """
base_model: model
datasets: [{path: data.jsonl, type: completion, ds_type: json}]
output_dir: out
sequence_len: 64
micro_batch_size: 2
gradient_accumulation_steps: 1
max_steps: 3
optimizer: adamw_torch_fused
learning_rate: 0.0002
val_set_size: 0
save_strategy: "no"
"""
AUTOMODEL = """
recipe: TrainFinetuneRecipeForNextTokenPrediction
step_scheduler: {global_batch_size: 16, local_batch_size: 2, ckpt_every_steps: 1000, max_steps: 3, num_epochs: 1}
model:
  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_config
  config:
    _target_: transformers.LlamaConfig
    architectures: [LlamaForCausalLM]
    vocab_size: 128
    hidden_size: 64
    intermediate_size: 128
    num_hidden_layers: 2
    num_attention_heads: 4
  torch_dtype: bf16
checkpoint: {enabled: false}
peft: {_target_: nemo_automodel.components._peft.lora.PeftConfig, match_all_linear: true, dim: 8, alpha: 32, use_triton: true}
distributed: {strategy: fsdp2}
loss_fn: {_target_: nemo_automodel.components.loss.masked_ce.MaskedCrossEntropy}
dataset: {_target_: nemo_automodel.components.datasets.llm.mock_iterable_dataset.MockIterableDataset, vocab_size: 128, seq_len: 128, num_samples: 1000}
dataloader: {_target_: torchdata.stateful_dataloader.StatefulDataLoader, collate_fn: nemo_automodel.components.datasets.utils.default_collater}
optimizer: {_target_: torch.optim.AdamW, lr: 1.0e-4}
"""


def make_inputs(folder):
    """Write texts, a tokenizer and a model in the Hugging Face Hub's format."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = [f"w{index}" for index in range(120)]
    tokenizer = Tokenizer(models.WordLevel({word: index for index, word in enumerate(["<unk>", "<s>", "</s>", *words])}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    texts = [{"text": " ".join(words[row * column % 120] for column in range(400))} for row in range(1, 20)]
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, texts)))
    (folder / "tests/assets/c4_test").mkdir(parents=True)
    (folder / "tests/assets/c4_test/data.json").write_text("\n".join(map(json.dumps, texts)))
    (folder / "tokenizer").mkdir()
    tokenizer.save(str(folder / "tokenizer/tokenizer.json"))
    (folder / "tokenizer/tokenizer_config.json").write_text('{"bos_token": "<s>", "eos_token": "</s>"}')
    shape = LlamaConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=128)
    LlamaForCausalLM(shape).save_pretrained(folder / "model")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="</s>").save_pretrained(folder / "model")
    files = {"titan.toml": TORCHTITAN, "tune.yaml": TORCHTUNE, "small_data.py": TORCHTUNE_DATA, "weights.py": TORCHTUNE_WEIGHTS, "axolotl.yml": AXOLOTL}
    for name, text in {**files, "lora.yaml": AUTOMODEL}.items():
        (folder / name).write_text(text)
    (folder / "weights").mkdir()
