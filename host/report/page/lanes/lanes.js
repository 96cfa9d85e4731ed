// SPDX-License-Identifier: Apache-2.0
// The lanes below the memory picture. They share its axis and are redrawn with it.

class Lanes {
  constructor(container, chart, run, sections) {
    Object.assign(this, {container, chart, run});
    this.spans = new Spans(run.lanes, sections, chart.events);
    this.layout = new LaneLayout(this.spans.lanes);
    this.settings = {matches: null, pinned: -1, relatives: []};
    this.selected = -1;  // selected with the keys
    const isEmpty = this.spans.count === 0;
    this.canvas = d3.select(container).append('canvas').attr('class', 'lanes-drawing').attr('tabindex', isEmpty ? null : 0)
      .attr('role', 'application').attr('aria-roledescription', 'timeline').attr('aria-label', 'Operators, modules and kernels')
      .attr('aria-describedby', 'lanes-keys').style('left', `${CHART_MARGIN.left}px`).node();
    this.drawing = new LanesDrawing(this.canvas, this.spans);
    this.cursorLine = d3.select(container).append('div').attr('class', 'lanes-cursor').attr('hidden', '');
    this.tooltip = new Tooltip(container);
    this.addHeads();
    this.resize();
    chart.listeners.push(() => this.draw());
    chart.cursorListeners.push((x) => this.followCursor(x));
    chart.view.onChange(() => this.tooltip.hide());
    d3.select(container).attr('hidden', isEmpty ? '' : null);
    d3.select('#lanes-legend').attr('hidden', isEmpty ? '' : null);
  }

  // A button for each lane, which folds and unfolds it.
  addHeads() {
    const heads = d3.select(this.container).selectAll('button.lane-head').data(this.spans.lanes).enter().append('button')
      .attr('type', 'button').attr('class', 'lane-head').attr('aria-expanded', 'true')
      .on('click', (lane) => this.fold(lane.index, !this.layout.folded.has(lane.index)));
    heads.append('span').attr('class', 'lane-mark').attr('aria-hidden', 'true');
    heads.append('span').attr('class', 'lane-title').text(({title}) => title);
    heads.append('span').attr('class', 'quiet').text(({count, recorded}) =>
      (count === recorded ? withThousands(count) : `${withThousands(count)} of ${withThousands(recorded)}`));
    this.heads = heads;
  }

  fold(index, isFolded) {
    this.layout.fold(index, isFolded);
    this.tooltip.hide();
    this.resize();
    this.draw();
  }

  resize() {
    const {layout} = this;
    this.container.style.height = `${layout.height}px`;
    this.cursorLine.style('height', `${layout.height}px`);
    this.heads.style('top', (_, i) => `${layout.heads[i]}px`)
      .attr('aria-expanded', ({index}) => String(!layout.folded.has(index)))
      .select('.lane-mark').text(({index}) => (layout.folded.has(index) ? '▸' : '▾'));
  }

  draw() {
    const {chart, spans, layout, settings} = this;
    const {view} = chart;
    if (spans.count === 0) return;
    if (this.paletteOf !== chart.palette) {
      this.paletteOf = chart.palette;
      this.palette = new LanePalette(spans);
    }
    const begin = performance.now();
    this.rectangles = this.drawing.draw({view, layout, palette: this.palette, settings, scale: Math.min(window.devicePixelRatio || 1, 3)});
    for (const id of settings.relatives) this.drawing.outline(view, layout, id, 1);
    for (const id of [settings.pinned, this.selected]) if (id >= 0) this.drawing.outline(view, layout, id, 2);
    this.drawMilliseconds = performance.now() - begin;
  }

  // Over all lanes: {id}, {ids}, or null.
  at(x, y) {
    const place = this.layout.rowAt(y);
    return place && x >= 0 && x <= this.chart.view.width ? place.row.at(this.chart.view, x) : null;
  }

  followCursor(x) {
    this.cursorLine.attr('hidden', x === null ? '' : null);
    if (x !== null) this.cursorLine.style('transform', `translateX(${CHART_MARGIN.left + Math.floor(x)}px)`);
  }

  set(settings) {
    Object.assign(this.settings, settings);
    this.draw();
  }

  show(id, margin = 1) {
    const lane = this.spans.lane[id];
    if (this.layout.folded.has(lane)) this.fold(lane, false);
    this.chart.view.showInterval(this.spans.intervalOf(id), margin);
  }

  // `what`: {id} or {ids} under the pointer in that row.
  tell(what, x, y) {
    const {tooltip, layout} = this;
    tooltip.fill(spanTooltip(this.run, this.spans, what));
    const place = layout.rowAt(y);
    const top = place ? place.top : y;
    tooltip.place(CHART_MARGIN.left + x, y, () => ({top, bottom: top + LANE_ROW}));
  }
}
