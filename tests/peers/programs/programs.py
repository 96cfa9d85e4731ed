# SPDX-License-Identifier: Apache-2.0
"""Programs written like the libraries' own examples, with models that need no download. Each prints
its losses and, on a GPU, torch's own count of the peak."""

import re

BEGIN = """
import sys, torch
device = sys.argv[1]
torch.manual_seed(0)
torch.set_num_threads(1)
"""

END = """
if device != "cpu":
    print("peak", torch.cuda.max_memory_allocated())
"""

TINY_GPT = """
from transformers import GPT2Config, GPT2LMHeadModel
config = GPT2Config(n_layer=2, n_embd=128, n_head=4, vocab_size=512, n_positions=64, bos_token_id=0, eos_token_id=0)
model = GPT2LMHeadModel(config)
"""

TRAINER = """
from transformers import PrinterCallback, Trainer, TrainingArguments
texts = [{"input_ids": row, "labels": row} for row in torch.randint(0, 512, (32, 64))]
arguments = TrainingArguments(
    output_dir="checkpoints", max_steps=3, per_device_train_batch_size=4, gradient_accumulation_steps=2, logging_steps=1,
    save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=device == "cpu", dataloader_pin_memory=False)
trainer = Trainer(model=model, args=arguments, train_dataset=texts)
trainer.remove_callback(PrinterCallback)  # which prints how long it took
trainer.train()
print([line["loss"] for line in trainer.state.log_history if "loss" in line])
"""

RESNET = """
import torchvision
model = torchvision.models.resnet18(num_classes=10).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
for _ in range(3):
    images, labels = torch.randn(4, 3, 64, 64).to(device), torch.randint(0, 10, (4,)).to(device)
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    print(repr(loss.item()))
"""

TIMM = """
import timm, timm.optim, timm.utils
model = timm.create_model("vit_tiny_patch16_224", img_size=64, num_classes=10).to(device)
average = timm.utils.ModelEmaV3(model)
optimizer = timm.optim.create_optimizer_v2(model, opt="lamb", lr=1e-3)
for _ in range(3):
    images, labels = torch.randn(4, 3, 64, 64).to(device), torch.randint(0, 10, (4,)).to(device)
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update(model)
    print(repr(loss.item()))
"""

LIGHTNING = """
import lightning
class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    def training_step(self, batch, index):
        values, labels = batch
        loss = torch.nn.functional.cross_entropy(self.layers(values), labels)
        print(repr(loss.item()))
        return loss
    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)
data = torch.utils.data.TensorDataset(torch.randn(96, 64), torch.randint(0, 10, (96,)))
model = Classifier()
trainer = lightning.Trainer(
    max_epochs=1, accelerator="cpu" if device == "cpu" else "gpu", devices=1, logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False, accumulate_grad_batches=2)
trainer.fit(model, torch.utils.data.DataLoader(data, batch_size=16))
"""

ACCELERATE = """
from accelerate import Accelerator
accelerator = Accelerator(gradient_accumulation_steps=2, cpu=device == "cpu")
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 10))
data = torch.utils.data.TensorDataset(torch.randn(96, 64), torch.randint(0, 10, (96,)))
model, optimizer, loader = accelerator.prepare(
    model, torch.optim.Adam(model.parameters()), torch.utils.data.DataLoader(data, batch_size=16))
for values, labels in loader:
    with accelerator.accumulate(model):
        loss = torch.nn.functional.cross_entropy(model(values), labels)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    print(repr(loss.item()))
"""

LORA = """
from peft import LoraConfig, get_peft_model
model = get_peft_model(model, LoraConfig(r=4, target_modules=["c_attn"], fan_in_fan_out=True, task_type="CAUSAL_LM")).to(device)
optimizer = torch.optim.AdamW([parameter for parameter in model.parameters() if parameter.requires_grad], lr=1e-3)
for _ in range(3):
    tokens = torch.randint(0, 512, (4, 64)).to(device)
    loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(repr(loss.item()))
"""

UNET = """
from diffusers import DDPMScheduler, UNet2DModel
model = UNet2DModel(
    sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(32, 64), norm_num_groups=8,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D")).to(device)
schedule = DDPMScheduler(num_train_timesteps=100)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(3):
    clean, noise = torch.randn(4, 3, 16, 16).to(device), torch.randn(4, 3, 16, 16).to(device)
    steps = torch.randint(0, 100, (4,)).to(device)
    loss = torch.nn.functional.mse_loss(model(schedule.add_noise(clean, noise, steps), steps).sample, noise)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    print(repr(loss.item()))
"""

SENTENCES = """
import json, os
os.makedirs("bert", exist_ok=True)
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "step", "and", "its", "memory", "time", "peak"]
open("bert/vocab.txt", "w").write("\\n".join(words))
from transformers import BertConfig, BertModel, BertTokenizer
sizes = dict(vocab_size=len(words), hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=512)
BertModel(BertConfig(**sizes)).save_pretrained("bert")
BertTokenizer("bert/vocab.txt").save_pretrained("bert")
from sentence_transformers import SentenceTransformer, models
from sentence_transformers.util import batch_to_device
encoder = models.Transformer("bert")
model = SentenceTransformer(modules=[encoder, models.Pooling(128)], device=device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for _ in range(3):
    pairs = [batch_to_device(model.tokenize(["the step and its " + word] * 8), torch.device(device)) for word in ("memory", "time")]
    first, second = (model(features)["sentence_embedding"] for features in pairs)
    loss = (1 - torch.nn.functional.cosine_similarity(first, second)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(repr(loss.item()))
"""

PROGRAMS = {
    "transformers": BEGIN + TINY_GPT + TRAINER + END,
    "torchvision": BEGIN + RESNET + END,
    "timm": BEGIN + TIMM + END,
    "lightning": BEGIN + LIGHTNING + END,
    "accelerate": BEGIN + ACCELERATE + END,
    "peft": BEGIN + TINY_GPT + LORA + END,
    "diffusers": BEGIN + UNET + END,
    "sentence_transformers": BEGIN + SENTENCES + END,
}


def attached(program):
    """Add the one line to the program, before its loop or the library's. If a trainer makes the
    optimizer, the line does not have it."""
    what = "model, optimizer" if "optimizer = " in program or "model, optimizer, " in program else "model"
    changed, count = re.subn(r"^(for |trainer\.(?:train|fit)\()", rf"import strata_profiler as strata\nstrata.attach({what})\n\1", program, count=1, flags=re.M)
    assert count == 1
    return changed
