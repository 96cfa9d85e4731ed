# SPDX-License-Identifier: Apache-2.0
"""Programs with graphs that no backward uses, or that a backward uses for nothing, and programs
that only look so."""

MODELS = """
import contextlib, sys
import torch
from torch import nn
from torch.nn import functional as F
def told(): return torch.no_grad() if "told" in sys.argv else contextlib.nullcontext()
def convolutions(width, depth):
    blocks = [nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()) for _ in range(depth)]
    return nn.Sequential(nn.Conv2d(3, width, 3, padding=1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 100)).cuda()
def batch(rows): return torch.randn(rows, 3, 64, 64, device="cuda"), torch.randint(0, 100, (rows,), device="cuda")
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4096, 256)
        self.layers = nn.ModuleList([nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True) for _ in range(4)])
        self.head = nn.Linear(256, 4096)
    def forward(self, tokens, states=None):
        hidden = self.embedding(tokens)
        for layer in self.layers:
            hidden = layer(hidden)
            if states is not None: states.append(hidden)
        return self.head(hidden)
def tokens(rows): return torch.randint(0, 4096, (rows, 256), device="cuda")
def loop(model, steps, loss, every_third=lambda: None):
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for step in range(steps):
        loss().backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 3 == 2: every_third()
"""

# Programs that keep a graph, by what keeps it, with the text of the finding.
KEEPS = {
    "a teacher's, of convolutions": ("forwards of teacher", """
student, teacher = convolutions(16, 4), convolutions(32, 8)
def loss():
    global taught
    images, labels = batch(64)
    with told(): taught = teacher(images)
    out = student(images)
    return F.cross_entropy(out, labels) + F.mse_loss(out, taught.detach())
loop(student, 4, loss)
"""),
    "a teacher's, behind the student": ("forwards of teacher", """
student, teacher = convolutions(16, 4), convolutions(32, 8)
def loss():
    global taught
    images, labels = batch(64)
    out = student(images)
    with told(): taught = teacher(images)
    return F.cross_entropy(out, labels) + F.mse_loss(out, taught.detach())
loop(student, 4, loss)
"""),
    "a reference's, of a transformer": ("forwards of reference", """
policy, reference = Encoder().cuda(), Encoder().cuda()
def loss():
    global old
    words = tokens(8)
    with told(): old = reference(words)
    return F.kl_div(policy(words).log_softmax(-1), old.detach().log_softmax(-1), log_target=True)
loop(policy, 4, loss)
"""),
    "an evaluation's, of convolutions": ("forwards that no backward follows", """
model = convolutions(16, 8)
def loss():
    images, labels = batch(32)
    return F.cross_entropy(model(images), labels)
def evaluate():
    model.eval()
    with told():
        for _ in range(3):
            images, labels = batch(64)
            out = model(images)
            F.cross_entropy(out, labels).item()
    model.train()
loop(model, 6, loss, evaluate)
"""),
    "an evaluation's, of a transformer": ("forwards that no backward follows", """
model = Encoder().cuda()
def loss(rows=4):
    words = tokens(rows)
    return F.cross_entropy(model(words).flatten(0, 1), words.flatten())
def evaluate():
    with told(): sum(loss(16).item() for _ in range(3))
loop(model, 6, loss, evaluate)
"""),
}
KEEPS["an evaluation's, whose last output a variable holds while it trains"] = ("forwards that no backward follows", """
model = Encoder().cuda()
def loss():
    words = tokens(4)
    return F.cross_entropy(model(words).flatten(0, 1), words.flatten())
def evaluate():
    global out
    with told():
        for _ in range(3): out = model(tokens(16))
loop(model, 9, loss, evaluate)
""")
KEEPS["two that go at once"] = ("forwards that no backward follows", """
model = convolutions(16, 8)
def loss():
    images, labels = batch(32)
    with told(): one, other = model(batch(64)[0]), model(batch(64)[0])
    one, other = one.detach(), other.detach()
    return F.cross_entropy(model(images), labels)
loop(model, 4, loss)
""")

# Graphs that a backward goes through for gradients that are never used.
IS_FOR_NOTHING = {
    "a teacher that the loss is computed with": """
student, teacher = convolutions(16, 4), convolutions(32, 8)
def loss():
    images, labels = batch(64)
    with told(): taught = teacher(images)
    out = student(images)
    return F.cross_entropy(out, labels) + F.mse_loss(out, taught)
loop(student, 4, loss)
""",
    "a teacher beside SGD with momentum": """
student, teacher = convolutions(16, 4), convolutions(32, 8)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9)
for _ in range(4):
    images, labels = batch(64)
    with told(): taught = teacher(images)
    out = student(images)
    loss = F.cross_entropy(out, labels) + F.kl_div(F.log_softmax(out, 1), F.softmax(taught, 1), reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    "a reference that the loss is computed with": """
policy, reference = Encoder().cuda(), Encoder().cuda()
def loss():
    global kept
    words = tokens(8)
    with told(): old = reference(words)
    kept = policy(words)
    return F.kl_div(kept.log_softmax(-1), old.log_softmax(-1), log_target=True)
loop(policy, 4, loss)
""",
    "a backbone of which the head alone is trained": """
backbone, head = convolutions(32, 8), nn.Linear(100, 10).cuda()
def loss():
    images, labels = batch(64)
    with told(): features = backbone(images)
    return F.cross_entropy(head(features), labels % 10)
loop(head, 4, loss)
""",
}

GAN = """
generator, critic = nn.Sequential(nn.Linear(64, 3 * 64 * 64), nn.Unflatten(1, (3, 64, 64))).cuda(), convolutions(16, 6)
ours, theirs = torch.optim.Adam(generator.parameters()), CRITICS
for _ in range(4):
    made = generator(torch.randn(32, 64, device="cuda"))
    theirs.zero_grad()
    (critic(batch(32)[0]).mean() - critic(made.detach()).mean()).backward()
    theirs.step()
    ours.zero_grad()
    critic(made).mean().backward()
    ours.step()
"""

# Programs that only look so: a backward reads each graph, or there is no graph.
IS_NONE = {
    "a graph that its backward keeps": """
model = convolutions(16, 8)
target = convolutions(16, 8)  # an average, as a DQN has one
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for _ in range(4):
    images, labels = batch(32)
    kept = F.cross_entropy(model(images), labels)
    kept.backward(retain_graph=True)
    optimizer.step()
    optimizer.zero_grad()
""",
    "what a list of branches puts together": """
class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleList([nn.Linear(1024, 1024) for _ in range(6)])
        self.head = nn.Linear(6 * 1024, 10)
    def forward(self, x): return self.head(torch.cat([branch(x) for branch in self.branches], -1))
model = Branches().cuda()
loop(model, 4, lambda: F.cross_entropy(model(torch.randn(4096, 1024, device="cuda")), torch.randint(0, 10, (4096,), device="cuda")))
""",
    "what a DenseNet's blocks put together": """
class Dense(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.BatchNorm2d(width + 32 * i), nn.ReLU(), nn.Conv2d(width + 32 * i, 32, 3, padding=1)) for i in range(depth)])
    def forward(self, x):
        features = [x]
        for layer in self.layers:
            new = layer(torch.cat(features, 1))
            features.append(new)
        return torch.cat(features, 1)
model = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), Dense(64, 6), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 100)).cuda()
def loss():
    images, labels = batch(16)
    return F.cross_entropy(model(images), labels)
loop(model, 4, loss)
""",
    "a decoder that puts its outputs in a list": """
cell, output = nn.GRUCell(256, 256).cuda(), nn.Linear(256, 4096).cuda()
optimizer = torch.optim.AdamW([*cell.parameters(), *output.parameters()])
for _ in range(4):
    state, outputs = torch.zeros(64, 256, device="cuda"), []
    for _ in range(12):
        state = cell(torch.randn(64, 256, device="cuda"), state)
        outputs.append(output(state))
    F.cross_entropy(torch.stack(outputs).flatten(0, 1), torch.randint(0, 4096, (12 * 64,), device="cuda")).backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "forces, for which a graph is kept": """
model = nn.Sequential(nn.Linear(96, 1024), nn.SiLU(), nn.Linear(1024, 1024), nn.SiLU(), nn.Linear(1024, 1)).cuda()
for _ in range(4):
    positions = torch.randn(4096, 96, device="cuda", requires_grad=True)
    energy = model(positions).sum()
    forces = -torch.autograd.grad(energy, positions, retain_graph=True)[0]
# Torch's own thread may still drop tensors of the last backward. It aborts the process if Python is ending then (torch 2.11, Python 3.11).
import time
time.sleep(0.2)
""",
    "a prompt that is trained before a backbone that is not": """
backbone, head = Encoder().cuda(), nn.Linear(4096, 10).cuda()
prompt = nn.Parameter(torch.zeros(1, 8, 256, device="cuda"))
optimizer = torch.optim.AdamW([prompt, *head.parameters()])
for _ in range(4):
    hidden = torch.cat([prompt.expand(8, -1, -1), backbone.embedding(tokens(8))], 1)
    for layer in backbone.layers: hidden = layer(hidden)
    F.cross_entropy(head(backbone.head(hidden)).mean(1), torch.randint(0, 10, (8,), device="cuda")).backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "hidden states of a teacher that is told": """
student, teacher = Encoder().cuda(), Encoder().cuda()
def loss():
    global states
    words, states = tokens(8), []
    with torch.no_grad(): teacher(words, states)
    return F.cross_entropy(student(words).flatten(0, 1), words.flatten()) + sum(state.mean() for state in states)
loop(student, 4, loss)
""",
    "what a function's variables hold": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(1024, 1024) for _ in range(8)])
    def forward(self, x):
        a, b, c, d, e, f, g, h = self.layers
        one = a(x); two = b(one); three = c(two); four = d(three); five = e(four); six = f(five); seven = g(six)
        return h(seven)
student, teacher = Net().cuda(), Net().cuda()
def loss():
    x = torch.randn(8192, 1024, device="cuda")
    out = student(x)
    with torch.no_grad(): taught = teacher(x)
    return F.mse_loss(out, taught)
loop(student, 4, loss)
""",
    "blocks that are checkpointed": """
from torch.utils.checkpoint import checkpoint
model = Encoder().cuda()
def loss():
    words = tokens(8)
    hidden = model.embedding(words)
    for layer in model.layers: hidden = checkpoint(layer, hidden, use_reentrant="reentrant" in sys.argv)
    return F.cross_entropy(model.head(hidden).flatten(0, 1), words.flatten())
loop(model, 4, loss)
""",
    "a backbone that is frozen": """
backbone, head = convolutions(32, 8), nn.Linear(100, 10).cuda()
backbone.requires_grad_(False)
def loss():
    images, labels = batch(64)
    return F.cross_entropy(head(backbone(images)), labels % 10)
loop(head, 4, loss)
""",
    "a critic that a generator's loss goes through": GAN.replace("CRITICS", "torch.optim.Adam(critic.parameters())"),
    "two optimizers, one of which keeps no state, and gradients that stay": """
backbone, head = convolutions(32, 8), nn.Linear(100, 10).cuda()
ours, theirs = torch.optim.AdamW(head.parameters()), torch.optim.SGD(backbone.parameters(), lr=0.1)
for _ in range(4):
    images, labels = batch(32)
    for each in (ours, theirs): each.zero_grad(set_to_none=False)
    F.cross_entropy(head(backbone(images)), labels % 10).backward()
    for each in (ours, theirs): each.step()
""",
    "two optimizers, one of which keeps no state": GAN.replace("CRITICS", "torch.optim.SGD(critic.parameters(), lr=0.1)"),
    "a loss that compares what an untrained network makes of two images": """
compares = convolutions(32, 8)
model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 3, 3, padding=1)).cuda()
def loss():
    images, _ = batch(32)
    out = model(images)
    with torch.no_grad(): wanted = compares(images)
    return F.mse_loss(compares(out), wanted)
loop(model, 4, loss)
""",
}
