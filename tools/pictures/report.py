# SPDX-License-Identifier: Apache-2.0
"""docs/report.md's pictures: parts of the page, unchanged."""

from picture import SHOW_STEP, Picture

WIDTH = 1260
TIMELINE = ("#timeline-title", "#show-keys", ".toolbar", "#legend", ".stage-side", "#chart", "#overview")

# The peak in close-up, with the loss's softmax pinned.
NEAR = """
    for (const id of ['show-events', 'hide-floor', 'show-layers', 'show-shapes']) document.getElementById(id).click();
    const {state} = run.peak;
    chart.view.show(state - 60, state + 40);
    const {events} = chart;
    const isIt = (id) => events.sites[events.site[id]].op === 'aten::_log_softmax' && events.isAliveAt(id, state);
    chart.shapeLabels.pinned.pin(d3.range(events.bytes.length).find(isIt));"""

# The activity around the peak, with the longest product pinned.
LANES = """
    for (const id of ['show-events', 'show-shapes']) document.getElementById(id).click();
    showLongestNamed('aten::mm');
    document.activeElement.blur();
    chart.view.show(run.peak.state - 90, run.peak.state + 90);"""

PICTURES = [
    Picture("report-light", "gpt2", WIDTH, ("#tiles", *TIMELINE), SHOW_STEP),
    Picture("report-dark", "gpt2", WIDTH, ("#tiles", *TIMELINE), SHOW_STEP + "document.getElementById('show-categories').click();", theme="dark"),
    Picture("report-timeline", "gpt2", WIDTH, ("#legend", "#chart"), NEAR, margin=2),
    Picture("report-modules", "gpt2", WIDTH, ("#layers-title", "#peak-story", ".layer-head", "#layers")),
    Picture("report-lanes", "lanes", WIDTH, ("#chart", "#lanes"), LANES, margin=2),
]
