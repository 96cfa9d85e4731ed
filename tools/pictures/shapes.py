# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/guide/read-a-timeline.md: each shape alone, in its place, with its label."""

import dataclasses

from picture import Picture, whole_step

WIDTH = 660

SHOW = """
    const [title, over, before, after, floor, search, pale] = arguments;
    const labels = chart.shapeLabels;
    const shape = labels.shapes.find((one) => one.title === title);
    if (!shape) throw new Error(`the run has no shape '${title}'`);
    if (over === 'events') document.getElementById('show-events').click();
    if (floor) document.getElementById('hide-floor').click();
    labels.visited = shape;
    const inView = labels.inView.bind(labels);
    labels.inView = () => inView().filter((one) => one.shape === shape);
    const {view} = chart;
    const [begin, end] = [view.positionOf(shape.begin, shape.beginState), view.positionOf(shape.end, shape.endState)];
    view.show(begin - (end - begin) * before, end + (end - begin) * after);
    if (search) {
      const input = document.getElementById('search');
      input.value = search;
      input.dispatchEvent(new Event('input'));
    } else if (shape.block !== null) {
      chart.set({pinned: shape.block});
    } else if (pale) {
      chart.mark(shape);
    }"""


@dataclasses.dataclass(frozen=True)
class Shown:
    """The view of a shape: this many of its lengths before and after it."""

    kind: str
    title: str
    run: str = "guide"
    over: str = "events"
    before: float = 0.4
    after: float = 0.4
    hides_floor: bool = False
    search: str = ""  # the part in color; if empty all of it, paler outside of the interval
    pales: bool = True

    def picture(self):
        given = (self.title, self.over, self.before, self.after, self.hides_floor, self.search, self.pales)
        return Picture(f"shapes/{self.kind}", self.run, WIDTH, ("#chart",), SHOW, given, margin=2)


SHAPES = [
    Shown("constant_band", "Constant band", before=0.1, after=0.1),
    Shown("repeating_step", "Repeats every step", before=0.2, after=0.1),
    Shown("first_step_growth", "First-step growth", before=0.05, after=0.3),
    Shown("growing_memory", "Growing memory", "guide-growing", before=0.1, after=0.02),
    Shown("unused_graph", "Unused graph", "guide-unused", before=0.1, after=0.1),
    Shown("forward_triangle", "Forward triangle"),
    Shown("layer_stripes", "Per-layer stripes", before=-0.35, after=-0.35, hides_floor=True),
    Shown("autocast_copies", "Autocast copies", "guide-autocast", before=0.1, after=0.1, search="autocast"),
    Shown("logits_slab", "Logits slab", before=1.2, after=1.2),
    Shown("softmax_spike", "Softmax spike", before=1, after=1),
    Shown("zero_grad_cliff", "zero_grad cliff", before=0.6, after=0.4),
    Shown("backward_start_spike", "Backward starts", before=0.8, after=0.8),
    Shown("logits_cliff", "Logits cliff", before=0.8, after=1),
    Shown("lm_head_gradient", "LM-head gradient", "guide-checkpointed", before=-0.02, after=0.1),
    Shown("recomputation_waves", "Recomputation waves", "guide-checkpointed", before=-0.008, after=0.1),
    Shown("embedding_gradient", "Embedding gradient", before=1, after=0.8),
    Shown("optimizer_plateau", "Optimizer plateau"),
    Shown("flat_optimizer", "Flat optimizer", "guide-fused", over="time", before=0.6, after=0.6),
    Shown("division_flagpole", "Division flagpole", "guide-loop", before=4, after=6),
    Shown("projector_spike", "Projector spike", "guide-galore", before=4, after=6, hides_floor=True),
    Shown("fragmentation", "Fragmentation", before=0.01, after=-0.99, pales=False),
    Shown("stream_caches", "Caches of streams", "guide-streams", before=4, after=0.1, pales=False),
    Shown("private_pools", "Private pools", "guide-pools", before=4, after=0.1, pales=False),
    Shown("deferred_frees", "Deferred frees", "guide-frees", before=4, after=0.1, pales=False),
]

PICTURES = [whole_step("shapes/step", "guide"), *(shape.picture() for shape in SHAPES)]
