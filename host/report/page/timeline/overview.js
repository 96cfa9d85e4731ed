// SPDX-License-Identifier: Apache-2.0
// The whole run in a strip below the timeline. The interval the timeline shows is marked in it and can be dragged and
// resized.

const OVERVIEW_HEIGHT = 44;
const FOLLOW_EVERY_MS = 120;

class Overview {
  constructor(container, chart) {
    Object.assign(this, {container, chart});
    // Separate from the moving parts, so that it is not repainted with them.
    const svgs = ['overview-still', 'overview-moving'].map((name) =>
      d3.select(container).append('svg').attr('class', name).attr('height', OVERVIEW_HEIGHT));
    this.svg = d3.select(container).selectAll('svg');
    const [still, moving] = svgs.map((svg) => svg.append('g').attr('transform', `translate(${CHART_MARGIN.left},0)`));
    this.plot = still;
    this.total = this.plot.append('path').attr('class', 'overview-total');
    this.window = this.plot.append('rect').attr('class', 'overview-window').attr('height', 3);
    this.peak = this.plot.append('circle').attr('class', 'overview-peak').attr('r', 3);
    this.brushed = moving.append('g').attr('class', 'brush');
    this.brush = d3.brushX().on('brush end', () => {
      // mark() moves the brush too: react only to the reader's own moves.
      if (!this.isMarking && d3.event.selection) chart.view.show(...d3.event.selection.map(this.x.invert));
    });
    chart.view.onChange(() => this.followSoon());
    this.follow();
  }

  // SVG, which costs as much to draw as the memory picture: while the reader moves, update it only occasionally.
  followSoon() {
    if (this.waiting) return;
    this.waiting = setTimeout(() => {
      this.waiting = null;
      this.follow();
    }, FOLLOW_EVERY_MS);
  }

  follow() {
    const {view} = this.chart;
    if (view.width !== this.width || view.mode !== this.mode) this.draw();
    this.isMarking = true;
    this.brushed.call(this.brush.move, [view.begin, view.end].map(this.x));
    this.isMarking = false;
  }

  draw() {
    const {left, right} = CHART_MARGIN;
    const {view, events, run} = this.chart;
    const {width} = this;
    [this.width, this.mode] = [view.width, view.mode];
    this.svg.attr('width', view.width + left + right);
    this.x = d3.scaleLinear().domain([0, view.extent()]).range([0, view.width]);
    const whole = new View(events, run.durationNs);
    whole.mode = view.mode;
    whole.width = view.width;
    whole.showWhole();
    const {states} = new PixelColumns(events, whole, view.width);
    const y = d3.scaleLinear().domain([0, d3.max(events.total) || 1]).range([OVERVIEW_HEIGHT, 6]);
    this.total.attr('d', d3.area().curve(d3.curveStepAfter)
      .x((_, column) => column).y0(OVERVIEW_HEIGHT).y1((state) => y(events.total[state]))([...states, states[states.length - 1]]));
    const {window, peak} = run;
    const ends = window ? [whole.positionOf(window.begin, window.beginState), whole.positionOf(window.end, window.endState)].map(this.x) : [0, 0];
    this.window.attr('x', ends[0]).attr('width', ends[1] - ends[0]);
    this.peak.attr('cx', this.x(whole.positionOf(peak.ns, peak.state))).attr('cy', y(peak.allocated_bytes))
      .attr('visibility', run.isEmpty ? 'hidden' : 'visible');
    if (width !== view.width) {
      this.brush.extent([[0, 0], [view.width, OVERVIEW_HEIGHT]]);
      this.brushed.call(this.brush);
    }
  }
}
