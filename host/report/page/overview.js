// The whole run in a strip below the timeline; the stretch that the timeline shows is marked in it, and can be
// dragged and resized there.

const OVERVIEW_HEIGHT = 44;

class Overview {
  // `onChoose` is told [beginNs, endNs] when the reader marks another stretch.
  constructor(container, run, onChoose) {
    this.run = run;
    this.container = container;
    this.onChoose = onChoose;
    this.svg = d3.select(container).append('svg').attr('height', OVERVIEW_HEIGHT);
    this.plot = this.svg.append('g').attr('transform', `translate(${CHART_MARGIN.left},0)`);
    this.total = this.plot.append('path').attr('class', 'overview-total');
    this.window = this.plot.append('rect').attr('class', 'overview-window').attr('height', 3);
    this.peak = this.plot.append('circle').attr('class', 'overview-peak').attr('r', 3);
    this.brushed = this.plot.append('g').attr('class', 'brush');
    this.brush = d3.brushX().on('brush end', () => {
      // mark() moves the brush too: only the reader's own moves are followed.
      if (!this.isMarking && d3.event.selection) this.onChoose(d3.event.selection.map(this.x.invert));
    });
    this.resize();
    new ResizeObserver(() => this.resize()).observe(container);
  }

  resize() {
    const {left, right} = CHART_MARGIN;
    const width = Math.max(200, Math.floor(this.container.clientWidth) - left - right);
    if (width === this.width) return;
    this.width = width;
    this.svg.attr('width', width + left + right);
    this.x = d3.scaleLinear().domain([0, this.run.durationNs]).range([0, width]);
    const {timeline, peak, window} = this.run;
    const columns = joinColumns(largestByColumn(timeline, 0, this.run.durationNs, width));
    columns.push({column: width, state: columns[columns.length - 1].state});
    const y = d3.scaleLinear().domain([0, d3.max(timeline.total) || 1]).range([OVERVIEW_HEIGHT, 6]);
    this.total.attr('d', d3.area().curve(d3.curveStepAfter)
      .x(({column}) => column).y0(OVERVIEW_HEIGHT).y1(({state}) => y(timeline.total[state]))(columns));
    this.window.attr('x', window ? this.x(window.begin) : 0)
      .attr('width', window ? this.x(window.end) - this.x(window.begin) : 0);
    this.peak.attr('cx', this.x(peak.ns)).attr('cy', y(peak.allocated_bytes))
      .attr('visibility', this.run.isEmpty ? 'hidden' : 'visible');
    this.brush.extent([[0, 0], [width, OVERVIEW_HEIGHT]]);
    this.brushed.call(this.brush);
    if (this.marked) this.mark(this.marked);
  }

  mark(view) {
    this.marked = view;
    this.isMarking = true;
    this.brushed.call(this.brush.move, view.map(this.x));
    this.isMarking = false;
  }
}
