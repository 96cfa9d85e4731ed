# SPDX-License-Identifier: Apache-2.0
"""Callbacks for frameworks, and the examples: each run as users run it, with unchanged results."""

import itertools
import sys

import pytest

from program_folder import REPOSITORY, STRATA

pytestmark = pytest.mark.long  # importing the frameworks takes minutes in total
EXAMPLES = REPOSITORY / "examples/python"

TRANSFORMERS = """
import sys, tempfile, torch, transformers
transformers.set_seed(0)
callbacks = []
if "callback" in sys.argv:
    from strata_profiler.integrations.transformers import StrataCallback
    callbacks.append(StrataCallback())
model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=2, n_head=2, n_embd=64, vocab_size=128, n_positions=32))
data = [{"input_ids": row, "labels": row} for row in torch.randint(0, 128, (32, 32))]
with tempfile.TemporaryDirectory() as folder:
    settings = transformers.TrainingArguments(folder, per_device_train_batch_size=4, gradient_accumulation_steps=2, max_steps=3, eval_strategy="steps",
        eval_steps=2, logging_steps=1, report_to=[], save_strategy="steps", save_steps=2, disable_tqdm=True, use_cpu=True)
    trainer = transformers.Trainer(model, settings, train_dataset=data, eval_dataset=data[:8], callbacks=callbacks)
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    for line in trainer.state.log_history:
        if "loss" in line: print(line["loss"])
"""

LIGHTNING = """
import sys, torch, logging, warnings
warnings.simplefilter("ignore")
import lightning
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.manual_seed(0)
callbacks = []
if "callback" in sys.argv:
    from strata_profiler.integrations.lightning import StrataCallback
    callbacks.append(StrataCallback())
class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.GELU(), torch.nn.Linear(64, 4))
    def training_step(self, batch, index):
        loss = torch.nn.functional.cross_entropy(self.network(batch[0]), batch[1])
        print(f"{loss.item():.9f}")
        return loss
    def validation_step(self, batch, index):
        self.network(batch[0])
    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())
def batches(count):
    data = torch.utils.data.TensorDataset(torch.randn(8 * count, 16), torch.randint(0, 4, (8 * count,)))
    return torch.utils.data.DataLoader(data, batch_size=8)
trainer = lightning.Trainer(max_epochs=1, accelerator="cpu", accumulate_grad_batches=2, logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0, callbacks=callbacks)
trainer.fit(Model(), batches(6), batches(2))
"""


@pytest.fixture(scope="module", params=["transformers", "lightning"])
def framework(request, module_programs):
    """(name, output of the bare program, output recorded with the callback, folder of the
    framework's programs)"""
    name = request.param
    module_programs.write(f"{name}_program.py", {"transformers": TRANSFORMERS, "lightning": LIGHTNING}[name])
    bare = module_programs.python(f"{name}_program.py")
    assert bare.returncode == 0, bare.stderr
    recorded = module_programs.exec(f"{name}_program.py", "callback", out=name)
    return name, bare.stdout, recorded.stdout, module_programs


def test_losses_are_equal_to_the_bit(framework):
    _, bare, recorded, _ = framework
    assert len(bare.splitlines()) >= 3 and recorded == bare


def test_each_optimizer_step_is_a_step(framework):
    name, _, _, programs = framework
    assert programs.steps(name) == [0, 1, 2]


def test_evaluation_is_a_phase_of_its_own(framework):
    name, _, _, programs = framework
    assert ("evaluation", 0) in {(phase, inferred) for phase, inferred, _ in programs.phases(name)}


def test_saving_is_a_phase_behind_the_evaluation(framework):
    name, _, _, programs = framework
    if name == "lightning":
        pytest.skip("its Trainer saves by a callback of its own, which has no callbacks")
    # The trainer also evaluates and saves after the last step, outside the loop.
    marked = [phase for phase, inferred, _ in programs.phases(name) if not inferred]
    assert marked == ["evaluation", "checkpoint_save"] * 2


def test_owners_and_layers_have_the_models_names(framework):
    name, _, _, programs = framework
    weight, layer = {
        "transformers": ("transformer.h.0.attn.c_attn.weight", "transformer.h.1.mlp"),
        "lightning": ("network.0.weight", "network.2"),
    }[name]
    assert weight in programs.owners(1, name)
    assert layer in programs.layers(name)


def test_the_callback_does_nothing_where_nothing_records(framework):
    name, bare, _, programs = framework
    done = programs.python(f"{name}_program.py", "callback")
    assert (done.returncode, done.stdout) == (0, bare), done.stderr


def test_whose_trainer_it_was_is_recorded(framework):
    name, _, _, programs = framework
    assert programs.query("SELECT text FROM torch_trainer JOIN string ON id = name", name) == [(name,)]


def strata_lines(text):
    return [line for line in text.splitlines() if "strata" in line and not line.lstrip().startswith(("#", "strata exec"))]


def test_the_nanogpt_example_has_one_line():
    text = (EXAMPLES / "nanogpt.py").read_text()
    assert strata_lines(text) == ["import strata_profiler as strata", "    strata.attach(model, optimizer)  # <- the one line"]


@pytest.mark.parametrize(
    ("name", "options", "words", "steps"),
    [
        ("nanogpt.py", [], [], 4),
        ("nanogpt.py", ["--dry", "a100-40gb"], ["--device", "cuda"], 4),
        ("accelerate_loop.py", [], [], 4),
        ("hf_trainer.py", [], [], 4),
        ("hf_trainer.py", ["--dry", "a100-40gb"], ["--device", "cuda"], 4),
        ("titan_loop.py", [], [], 3),
        ("titan_loop.py", ["--dry", "h100-80gb"], ["--device", "cuda"], 3),
    ],
)
def test_an_example_prints_what_it_prints_alone(programs, name, options, words, steps):
    recorded = programs.exec(EXAMPLES / name, *words, options=options)
    assert programs.steps() == list(range(steps))
    summary = programs.summary()
    assert summary["peak"]["categories"]["Unknown"] <= 0.01 * summary["peak"]["allocated_bytes"], summary["peak"]["categories"]
    if not options:
        alone = programs.python(EXAMPLES / name, *words)
        assert alone.stdout == recorded.stdout and alone.returncode == 0


def test_parts_of_the_titan_loop(programs):
    programs.exec(EXAMPLES / "titan_loop.py", out="titan")
    marked = {name for name, inferred, _ in programs.phases("titan") if not inferred}
    assert marked == {"data", "forward", "clip"}
    concluded = {name for name, inferred, _ in programs.phases("titan") if inferred}
    assert {"backward", "recompute", "AdamW.step", "zero_grad"} <= concluded and "forward" not in concluded
    assert programs.layers("titan", direction=2), "checkpointed blocks run again"
    assert list(itertools.chain.from_iterable(programs.query("SELECT DISTINCT tokens FROM step", "titan"))) == [256]
