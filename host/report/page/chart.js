// The timeline: categories stacked over wall time, drawn with D3, with zoom and pan.

const CHART_MARGIN = {top: 4, right: 14, bottom: 26, left: 78};
const PLOT_HEIGHT = 400;
const NARROWEST_VIEW_NS = 2000;
const PEAK_LABEL_ROOM = 1.08;  // of the largest total: the peak's label stands above it

class Chart {
  constructor(container, run) {
    this.run = run;
    this.onView = () => {};  // told [beginNs, endNs] whenever the visible time changes
    this.rows = bandRows(run);
    this.hidden = new Set();
    this.end = run.durationNs;
    this.plotTop = CHART_MARGIN.top + bandsHeight(this.rows) + 18;
    this.svg = d3.select(container).append('svg').attr('height', this.plotTop + PLOT_HEIGHT + CHART_MARGIN.bottom);
    this.addLayers();
    this.zoom = d3.zoom()
      // At the whole run a wheel that would zoom out scrolls the page instead.
      .filter(() => !d3.event.button && !(d3.event.type === 'wheel' && d3.event.deltaY > 0 && this.transform.k <= 1))
      .on('zoom', () => this.follow(d3.event.transform));
    this.transform = d3.zoomIdentity;
    this.container = container;
    this.resize();
    this.svg.call(this.zoom).on('dblclick.zoom', null);
    new ResizeObserver(() => this.resize()).observe(container);
  }

  addLayers() {
    const pattern = this.svg.append('defs').append('pattern').attr('id', 'unknown-hatch')
      .attr('width', 6).attr('height', 6).attr('patternUnits', 'userSpaceOnUse').attr('patternTransform', 'rotate(45)');
    pattern.append('rect').attr('class', 'hatch-ground').attr('width', 6).attr('height', 6);
    pattern.append('rect').attr('class', 'hatch-line').attr('width', 2).attr('height', 6);
    this.clip = this.svg.append('defs').append('clipPath').attr('id', 'plot-clip').append('rect').attr('height', PLOT_HEIGHT);
    const shifted = (top) => this.svg.append('g').attr('transform', `translate(${CHART_MARGIN.left},${top})`);
    this.bands = shifted(CHART_MARGIN.top).attr('class', 'bands');
    this.grid = shifted(this.plotTop).attr('class', 'grid');
    this.plot = shifted(this.plotTop).attr('clip-path', 'url(#plot-clip)');
    this.areas = this.plot.append('g').attr('class', 'areas');
    this.allocated = this.plot.append('path').attr('class', 'allocated');
    this.veils = this.plot.append('g').attr('class', 'veils');
    this.boundaries = this.plot.append('g').attr('class', 'boundaries');
    this.cursor = this.plot.append('line').attr('class', 'cursor').attr('y2', PLOT_HEIGHT).attr('visibility', 'hidden');
    this.peak = shifted(this.plotTop).attr('class', 'peak').attr('visibility', 'hidden');
    this.peak.append('line');
    this.peak.append('circle').attr('r', 4);
    this.peak.append('text');
    this.xAxis = shifted(this.plotTop + PLOT_HEIGHT).attr('class', 'axis');
  }

  resize() {
    const {left, right} = CHART_MARGIN;
    const width = Math.max(200, Math.floor(this.container.clientWidth) - left - right);
    if (width === this.width) return;
    const view = this.width ? this.view() : [0, this.end];
    this.width = width;
    this.svg.attr('width', width + left + right);
    this.clip.attr('width', width);
    this.whole = d3.scaleLinear().domain([0, this.end]).range([0, width]);
    const farthest = Math.max(1, this.end / NARROWEST_VIEW_NS);
    this.zoom.scaleExtent([1, farthest]).extent([[0, 0], [width, PLOT_HEIGHT]])
      .translateExtent([[0, -Infinity], [width, Infinity]]);
    this.show(...view);
  }

  view() { return this.transform.rescaleX(this.whole).domain(); }

  // Zooms to a stretch of time, kept inside the run.
  show(beginNs, endNs) {
    const span = Math.min(this.end, Math.max(endNs - beginNs, NARROWEST_VIEW_NS));
    const begin = Math.min(Math.max(0, beginNs), this.end - span);
    const k = this.end / span;
    this.svg.call(this.zoom.transform, d3.zoomIdentity.translate(-this.whole(begin) * k, 0).scale(k));
  }

  zoomBy(factor, centreNs) {
    const [begin, end] = this.view();
    const centre = centreNs >= begin && centreNs <= end ? centreNs : (begin + end) / 2;
    this.show(centre - (centre - begin) / factor, centre + (end - centre) / factor);
  }

  panBy(part) {
    const [begin, end] = this.view();
    this.show(begin + (end - begin) * part, end + (end - begin) * part);
  }

  follow(transform) {
    this.transform = transform;
    this.draw();
    this.onView(this.view());
  }

  setHidden(hidden) {
    this.hidden = hidden;
    this.draw();
  }

  draw() {
    const [begin, end] = this.view();
    this.x = d3.scaleLinear().domain([begin, end]).range([0, this.width]);
    this.shown = largestByColumn(this.run.timeline, begin, end, this.width);
    const layers = this.stack(joinColumns(this.shown));
    const largest = d3.max(layers.top) || 1;
    this.y = d3.scaleLinear().domain([0, largest * PEAK_LABEL_ROOM]).range([PLOT_HEIGHT, 0]);
    this.drawAreas(layers);
    drawBands(this.bands, this.rows, this.x, this.width);
    this.drawAxes(largest);
    this.drawVeils();
    this.drawPeak();
  }

  // Of each category shown, where it begins and ends in each joined column; and the top of them all.
  stack(columns) {
    // The last column again at the right edge: a step needs both its ends.
    const ends = [...columns, {column: this.width, state: columns[columns.length - 1].state}];
    let top = new Float64Array(ends.length);
    const stacked = [];
    this.run.timeline.bytes.forEach((bytes, category) => {
      if (this.hidden.has(category)) return;
      const bottom = top;
      top = Float64Array.from(ends, ({state}, i) => bottom[i] + bytes[state]);
      stacked.push({category, bottom, top});
    });
    return {ends, stacked, top};
  }

  drawAreas({ends, stacked, top}) {
    const area = (layer) => d3.area().curve(d3.curveStepAfter)
      .x((end) => end.column).y0((_, i) => this.y(layer.bottom[i])).y1((_, i) => this.y(layer.top[i]))(ends);
    const paths = this.areas.selectAll('path').data(stacked, (layer) => layer.category);
    paths.exit().remove();
    paths.enter().append('path').attr('class', ({category}) => `stratum ${this.run.categories[category].slug}`)
      .merge(paths).attr('d', area);
    this.allocated.attr('d', d3.line().curve(d3.curveStepAfter).x((end) => end.column).y((_, i) => this.y(top[i]))(ends));
  }

  drawAxes(largest) {
    const ticks = this.x.ticks(Math.max(3, Math.floor(this.width / 130)));
    const label = timeLabels(ticks.length > 1 ? ticks[1] - ticks[0] : this.end, this.end);
    this.xAxis.call(d3.axisBottom(this.x).tickValues(ticks).tickFormat(label).tickSizeOuter(0));
    const lines = this.grid.selectAll('g').data(byteTicks(largest, 6));
    lines.exit().remove();
    const entered = lines.enter().append('g');
    entered.append('line');
    entered.append('text').attr('x', -8).attr('dy', '0.32em').attr('text-anchor', 'end');
    const all = entered.merge(lines).attr('transform', ({bytes}) => `translate(0,${this.y(bytes)})`);
    all.select('line').attr('x2', this.width);
    all.select('text').text((tick) => tick.label);
  }

  // What lies outside of the active window is veiled; steps are parted by lines while they are wide enough.
  drawVeils() {
    const {window, steps} = this.run;
    const inside = window ? [this.x(window.begin), this.x(window.end)].map((x) => Math.min(this.width, Math.max(0, x))) : [0, this.width];
    const veils = this.veils.selectAll('rect').data([[0, inside[0]], [inside[1], this.width]].filter(([from, to]) => to > from));
    veils.exit().remove();
    veils.enter().append('rect').attr('height', PLOT_HEIGHT).merge(veils)
      .attr('x', ([from]) => from).attr('width', ([from, to]) => to - from);
    const [begin, end] = this.x.domain();
    const visible = steps.filter((step) => step.begin > begin && step.begin < end);
    const lines = this.boundaries.selectAll('line').data(visible.length * 12 < this.width ? visible : []);
    lines.exit().remove();
    lines.enter().append('line').attr('y2', PLOT_HEIGHT).merge(lines)
      .attr('x1', (step) => this.x(step.begin)).attr('x2', (step) => this.x(step.begin));
  }

  drawPeak() {
    const {peak, isEmpty, decimals} = this.run;
    const x = this.x(peak.ns);
    this.peak.attr('visibility', isEmpty || x < 0 || x > this.width ? 'hidden' : 'visible');
    const hiddenBytes = d3.sum([...this.hidden], (category) => this.run.categories[category].peak);
    const y = this.y(peak.allocated_bytes - hiddenBytes);
    this.peak.select('line').attr('x1', x).attr('x2', x).attr('y1', y).attr('y2', PLOT_HEIGHT);
    this.peak.select('circle').attr('cx', x).attr('cy', y);
    const atRight = x > this.width - 170;
    this.peak.select('text').attr('x', x + (atRight ? -9 : 9)).attr('y', Math.max(11, y - 7))
      .attr('text-anchor', atRight ? 'end' : 'start').text(`peak ${mebibytes(peak.allocated_bytes, decimals)} MiB`);
  }

  // The state that a pixel column shows, and the moment at its left edge.
  stateAt(column) {
    const clamped = Math.min(this.width - 1, Math.max(0, Math.round(column)));
    return {column: clamped, state: this.shown[clamped], ns: this.x.invert(clamped)};
  }

  // The category drawn at a height of a column, or -1.
  categoryAt(state, y) {
    const bytes = this.y.invert(y);
    let top = 0;
    for (let category = 0; category < this.run.categories.length; ++category) {
      if (this.hidden.has(category)) continue;
      top += this.run.timeline.bytes[category][state];
      if (bytes >= 0 && bytes < top) return category;
    }
    return -1;
  }

  moveCursor(column) {
    this.cursor.attr('visibility', column === null ? 'hidden' : 'visible');
    if (column !== null) this.cursor.attr('x1', column + 0.5).attr('x2', column + 0.5);
  }
}
