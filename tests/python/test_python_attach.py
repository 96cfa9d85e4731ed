# SPDX-License-Identifier: Apache-2.0
"""strata.attach(): layers, and owners by name, of a program that `strata exec` records."""

import itertools
import subprocess
import sys

import pytest
from training_programs import ATTACHED, BEGIN, PLAIN

PARAMETERS = {"0.weight", "0.bias", "2.weight", "2.bias"}
PARAMETER, BUFFER, GRADIENT, STATE, INPUT, TARGET = 1, 2, 4, 5, 8, 9


@pytest.fixture(scope="module")
def attached(module_programs):
    module_programs.write("attached.py", ATTACHED)
    module_programs.write("plain.py", PLAIN)
    printed = {}
    for device, options in (("cpu", []), ("cuda", ["--dry", "a100-40gb"])):
        printed[device] = module_programs.exec("attached.py", device, options=options, out=device).stdout
    return module_programs, printed


@pytest.mark.smoke
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_owners_are_told_by_name(attached, device):
    programs, _ = attached
    assert programs.owners(PARAMETER, device) == PARAMETERS
    assert {"exp_avg", "exp_avg_sq"} <= programs.owners(STATE, device)
    assert "input.0" in programs.owners(INPUT, device)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_layers_are_told(attached, device):
    programs, _ = attached
    assert programs.layers(device) == {"", "0", "1", "2"}
    assert programs.query("SELECT count(*) FROM module WHERE path = '1'", device) == [(4,)]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_all_of_the_model_is_in_its_category(attached, device):
    categories = attached[0].summary(device)["peak"]["categories"]
    elements = 64 * 256 + 256 + 256 * 10 + 10
    assert categories["Parameter"] >= 4 * elements
    assert categories["Optimizer_State"] >= 8 * elements
    assert categories["Gradient"] >= 4 * elements


def test_the_program_computes_what_it_computes_without(attached):
    programs, printed = attached
    assert printed["cpu"] == programs.python("plain.py").stdout


def test_the_peak_is_torchs_own(attached):
    programs, printed = attached
    assert programs.summary("cuda")["peak"]["allocated_bytes"] == int(printed["cuda"].splitlines()[-1])


def test_models_of_a_mapping_have_its_keys_before_their_names(programs):
    programs.write(
        "gan.py",
        BEGIN
        + """
(one, first), (two, second) = make(), make()
strata.attach({"generator": one, "critic": two}, [first, second])
for index in range(2):
    strata.step()
    train(one, first, *batch())
    train(two, second, *batch())
""",
    )
    programs.exec("gan.py")
    expected = {f"{prefix}.{name}" for prefix, name in itertools.product(("generator", "critic"), PARAMETERS)}
    assert programs.owners(PARAMETER) >= expected
    assert {"generator", "generator.0", "critic.2"} <= programs.layers()


def test_several_models_of_one_class_are_numbered(programs):
    programs.write(
        "several.py",
        BEGIN
        + """
(one, first), (two, second) = make(), make()
strata.attach([one, torch.nn.Linear(2, 2), two], [first, second])
for index in range(2):
    strata.step()
    train(one, first, *batch())
    train(two, second, *batch())
""",
    )
    programs.exec("several.py")
    expected = {f"{prefix}.{name}" for prefix, name in itertools.product(("Sequential", "Sequential_1"), PARAMETERS)}
    assert programs.owners(PARAMETER) >= expected
    assert {"Sequential", "Sequential.0", "Sequential_1.2"} <= programs.layers()


def test_buffers_wrappers_and_tied_weights(programs):
    programs.write(
        "model.py",
        BEGIN
        + """
class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(16, 64)
        self.norm = torch.nn.BatchNorm1d(64)
        self.head = torch.nn.Linear(64, 16, bias=False)
        self.head.weight = self.embed.weight
    def forward(self, tokens, labels=None):
        return entropy(self.head(self.norm(self.embed(tokens))), labels)
model = Tied().to(device)
model.norm.weight.requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
strata.attach(torch.compile(model, backend="eager"), optimizer)
for index in range(3):
    strata.step()
    loss = model(torch.randint(0, 16, (64,)), labels=torch.randint(0, 16, (64,)))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    )
    programs.exec("model.py")
    assert programs.owners(PARAMETER) >= {"embed.weight", "norm.weight", "norm.bias"}
    assert {"norm.running_mean", "norm.running_var"} <= programs.owners(BUFFER)
    assert "momentum_buffer" in programs.owners(STATE)
    assert "norm" in programs.layers()
    assert programs.query("SELECT DISTINCT text FROM host_tensor JOIN string ON string.id = name WHERE is_frozen = 1") == [("norm.weight",)]


def test_checkpointed_layers_run_again_within_backward(programs):
    programs.write(
        "model.py",
        BEGIN
        + """
from torch.utils.checkpoint import checkpoint
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()) for _ in range(3))
    def forward(self, values):
        for layer in self.layers:
            values = checkpoint(layer, values, use_reentrant=False)
        return values
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
strata.attach(model, optimizer)
for index in range(2):
    strata.step()
    train(model, optimizer, torch.randn(8, 64), torch.randint(0, 10, (8,)))
""",
    )
    programs.exec("model.py")
    assert programs.layers(direction=2) >= {"layers.0", "layers.0.0", "layers.2"}


def test_a_forward_that_raises_leaves_no_layer_open(programs):
    programs.write(
        "model.py",
        BEGIN
        + """
class Fails(torch.nn.Module):
    def forward(self, values):
        if len(values) == 7:
            raise ValueError
        return values
model = torch.nn.Sequential(torch.nn.Linear(64, 10), Fails())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
strata.attach(model, optimizer)
for index in range(2):
    strata.step()
    try:
        model(torch.randn(7, 64))
    except ValueError:
        pass
    train(model, optimizer, *batch())
""",
    )
    programs.exec("model.py")
    # Each root range has no parent.
    assert programs.query("SELECT DISTINCT parent FROM module WHERE path = ''") == [(0,)]


def test_a_copied_or_saved_model_carries_nothing_of_ours(programs):
    programs.write(
        "model.py",
        BEGIN
        + """
import copy, pickle
model, optimizer = make()
strata.attach(model, optimizer)
strata.step()
train(model, optimizer, *batch())
assert strata.layers._handles, "layers are followed, so that there is something to carry along"
saved = pickle.dumps(model)
assert b"strata" not in saved
copies = copy.deepcopy(model), pickle.loads(saved), torch.jit.script(model)
assert "strata" not in "".join(str(code.code) for code in copies[2].modules())
strata.step()
for kept in copies:
    kept(batch()[0])
""",
    )
    programs.exec("model.py")
    # The model's own forward is there, and none of its copies'.
    assert programs.query("SELECT count(*) FROM module WHERE path = '0'") == [(1,)]


def test_attaching_keeps_nothing_alive():
    import gc
    import weakref

    import strata_profiler as strata
    import torch

    model = torch.nn.Linear(2, 2)
    reference = weakref.ref(model)
    strata.attach(model, torch.optim.SGD(model.parameters(), lr=0.1))
    del model
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("argument", [("text",), (3,), ([None],)])
def test_what_is_no_model_is_refused(argument):
    import strata_profiler as strata

    with pytest.raises(TypeError, match="model: expected a torch.nn.Module"):
        strata.attach(*argument)


BACKWARD = (
    BEGIN
    + """
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Sequential(torch.nn.GELU(), torch.nn.Linear(64, 64)), torch.nn.Linear(64, 10)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
strata.attach(model, optimizer)
for index in range(2):
    strata.step()
    train(model, optimizer, *batch())
"""
)


@pytest.mark.parametrize(("device", "options"), [("cpu", []), ("cuda", ["--dry", "a100-40gb"])])
def test_backwards_layers_are_told_where_a_plugin_listens(programs, device, options):
    """nvtx_markers listens if a tool injects a library into it. Without a listener, the store has
    forwards only."""
    programs.write("model.py", BACKWARD)
    programs.exec("model.py", device, options=options)
    assert programs.layers(direction=1) == set()
    programs.write("listening.py", BACKWARD.replace("import strata_profiler as strata\n", "import strata_profiler as strata\nstrata.session.Session.plugins_want_modules = lambda self: True\n"))
    programs.exec("listening.py", device, options=options, out="listening")
    order = programs.query("SELECT path FROM module WHERE direction = 1 ORDER BY begin_sequence", "listening")
    assert [path for (path,) in order] == ["", "2", "1", "1.1", "1.0", "0"] * 2
    assert programs.query("SELECT count(*) FROM module WHERE end_ns IS NULL", "listening") == [(0,)]


def test_a_program_ends_after_the_engine_has_freed_its_callbacks():
    """The engine's thread frees them, and Python does not wait for that thread."""
    program = """
import functools, threading, time, torch
from strata_profiler import backward_layers

class Engine:
    def queue_callback(self, callback):
        threading.Thread(target=free_later, args=[[callback]], daemon=True).start()

def free_later(callbacks):
    time.sleep(0.3)
    print("freed", flush=True)
    callbacks.clear()

torch.autograd.Variable._execution_engine = Engine()
backward_layers._queue(functools.partial(print))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "freed\n"), done.stderr


def test_attached_models_can_be_moved_by_swapping(programs):
    """Modules move DTensors so, and torch cannot swap a tensor that has weak references."""
    swapping = "torch.__future__.set_swap_module_params_on_conversion(True)\nmodel.to(torch.float64).to(torch.float32)\nstrata.step()\n"
    programs.write("model.py", BACKWARD.replace("strata.attach(model, optimizer)\n", "strata.attach(model, optimizer)\n" + swapping))
    programs.exec("model.py", "cpu")
    assert {"0.weight", "1.1.bias", "2.bias"} <= programs.owners(PARAMETER)


KEPT_GRADIENTS = """
import torch
model = torch.nn.Linear(512, 512, bias=False).cuda()
model.weight.main_grad = torch.zeros(512, 512, device="cuda")
model.weight.register_hook(lambda gradient: model.weight.main_grad.add_(gradient))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model.weight.main_grad.zero_()
    model(torch.ones(8, 512, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_gradients_that_a_trainer_keeps_beside_a_parameter_are_gradients(programs):
    programs.write("kept.py", KEPT_GRADIENTS)
    programs.exec("kept.py", options=["--dry", "h100-80gb"])
    assert "weight.main_grad" in programs.owners(GRADIENT) and "weight.main_grad" not in programs.owners(PARAMETER)
    assert programs.summary()["peak"]["categories"]["Parameter"] == 4 * 512 * 512
