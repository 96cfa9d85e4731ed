# SPDX-License-Identifier: Apache-2.0
"""README.md's pictures: the timeline twice, and six crops of one report, with numbers at the places
that the text mentions."""

from picture import SHOW_STEP, Picture, whole_step

COLUMN = 640  # width of each of two side by side, and wider than a phone, for which the page has another layout

# A single shape, with its card open.
TELL = """
    const labels = chart.shapeLabels;
    labels.visited = labels.shapes.find(({title}) => title === 'Optimizer plateau');
    const inView = labels.inView.bind(labels);
    labels.inView = () => inView().filter(({shape}) => shape === labels.visited);
    chart.drawNow();
    labels.buttons[labels.shapes.indexOf(labels.visited)].focus();"""

# The softmax result that forward left, outlined, with its details.
PIN = """
    const {events, shapeLabels} = chart;
    shapeLabels.turnOn(false);
    const isIt = (id) => events.sites[events.site[id]].op === 'aten::_log_softmax' && events.isAliveAt(id, run.peak.state);
    shapeLabels.pinned.pin(d3.range(events.bytes.length).find(isIt));"""

PICTURES = [
    whole_step("timeline", "gpt2"),
    whole_step("timeline-2.7b", "cs336-2.7b"),
    Picture("read/numbers", "gpt2", COLUMN, ("#notices", "#tiles .tile:nth-child(-n+4)"), annotate="""
        const corner = (what) => { const {right, top} = badges.boxOf(what); return {at: {x: right - 16, y: top + 16}}; };
        return [badges.beside('#notices .notice'), ...[1, 2, 3, 4].map((n) => corner(`#tiles .tile:nth-child(${n})`))];"""),
    Picture("read/sum", "gpt2", COLUMN + 40, ("#reconciled",), annotate="""
        return [1, 2, 3, 4, 5, 7].map((n) => badges.beside(`#reconciled tbody tr:nth-child(${n})`, -11));"""),
    Picture("read/timeline", "gpt2", COLUMN, ("#chart",), SHOW_STEP + "chart.shapeLabels.turnOn(false);", margin=2, annotate="""
        const {view} = chart;
        const {left, top} = badges.boxOf('#chart');
        const phases = top + CHART_MARGIN.top + 2.5 * (ROW_HEIGHT + ROW_GAP);
        const peak = badges.plotAt(view.x(run.peak.state - 0.5), run.peak.allocated_bytes);
        const on = (part, mebibytes) => badges.plotAt(view.width * part, mebibytes * 1048576);
        return [
          {at: {x: left + 40, y: phases}, to: {x: left + CHART_MARGIN.left + 3, y: phases}},
          {at: {x: peak.x - 44, y: peak.y - 18}, to: {x: peak.x - 6, y: peak.y - 2}},
          {at: on(0.75, 7300), to: on(0.75, run.peak.reserved_bytes / 1048576)},
          {at: on(0.75, 720)},
          {at: on(0.32, 3000)},
        ];"""),
    Picture("read/shape", "gpt2", COLUMN, ("#chart",), SHOW_STEP + TELL, margin=2, annotate="""
        return [badges.beside('.shape-label:focus', -11), ...['dl', 'dl + p', 'dl + p + p'].map((part) => badges.beside(`.shape-card ${part}`, -14))];"""),
    Picture("read/modules", "gpt2", COLUMN + 60, ("#peak-story", ".layer-head", "#layers .layer:nth-child(-n+9)"), annotate="""
        return ['#peak-story li:nth-child(1)', '#peak-story li:nth-child(2)', '#layers .layer:nth-child(2)', '#layers .layer:nth-child(8)']
          .map((row) => badges.beside(row, -11));"""),
    Picture("read/block", "gpt2", 1260, ("#pinned-title", "#pinned-facts"), PIN, annotate="""
        const facts = [...document.querySelectorAll('#pinned-facts dt')];
        return ['Size', 'Rule', 'Operator', 'Born in', 'Lived'].map((name) => facts.find((fact) => fact.textContent === name))
          .map((fact) => badges.beside(badges.pageBox(fact), -13));"""),
]
