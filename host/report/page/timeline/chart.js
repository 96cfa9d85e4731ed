// SPDX-License-Identifier: Apache-2.0
// The timeline: the memory picture, its overlay, and when each is redrawn.

const REFINE_AFTER_MS = 120;
const EXTENT_SAMPLES = 9;

class Chart {
  constructor(container, run, events) {
    Object.assign(this, {container, run, events});
    this.view = new View(events, run.durationNs);
    this.vertical = new Vertical();
    this.layout = new BandLayout(events);
    this.budget = new FrameBudget();
    this.baseRows = rowsOf(run);
    this.showsLayers = false;
    this.cursor = null;  // pixels from the plot's left edge
    this.marked = null;  // an interval that something outside the picture refers to
    this.settings = {shows: 'allocations', hidden: new Set(), pinned: -1, matches: null, leastBytes: 0, most: MOST_CANDIDATES};
    this.lines = {capacity: run.run.capacity_bytes};
    this.listeners = [];  // called after each drawing
    this.cursorListeners = [];  // called with the cursor's position in pixels, or null
    this.picture = d3.select(container).append('canvas').attr('class', 'picture').attr('aria-hidden', 'true').node();
    const overlay = d3.select(container).append('canvas').attr('class', 'drawing').attr('tabindex', 0)
      .attr('role', 'application').attr('aria-roledescription', 'timeline')
      .attr('aria-labelledby', 'timeline-title').attr('aria-describedby', 'chart-keys').node();
    this.overlay = new Overlay(overlay, run);
    this.readTheme();
    this.view.onChange(() => this.request());
    this.resize();
    new ResizeObserver(() => this.resize()).observe(container);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.readTheme();
      this.request();
    });
  }

  readTheme() { this.palette = new Palette(this.run.categories.map(({slug}) => slug)); }

  get focusable() { return this.overlay.canvas; }
  get width() { return this.view.width; }
  get rows() {
    const layers = this.showsLayers ? layerRow(this.view, this.events, this.layout.modules) : null;
    return layers ? [...this.baseRows, layers] : this.baseRows;
  }
  // A row is reserved for modules while they are requested, so that nothing jumps where there are none.
  get plotTop() {
    const rows = this.baseRows.length + (this.showsLayers ? 1 : 0);
    return CHART_MARGIN.top + rows * (ROW_HEIGHT + ROW_GAP) + ROOM_ABOVE;
  }

  resize() {
    const {left, right, bottom} = CHART_MARGIN;
    const outer = Math.max(300, Math.floor(this.container.clientWidth));
    const height = this.plotTop + PLOT_HEIGHT + bottom;
    this.overlay.resize(outer, height, window.devicePixelRatio || 1);
    Object.assign(this.picture.style, {left: `${left}px`, top: `${this.plotTop}px`, height: `${PLOT_HEIGHT}px`,
      width: `${outer - left - right}px`});
    this.view.setWidth(outer - left - right);
  }

  set(settings) {
    Object.assign(this.settings, settings);
    this.request();
  }

  // While the reader moves the picture, it is drawn at one pixel per CSS pixel; after that at the screen's resolution.
  request() {
    clearTimeout(this.refinement);
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => this.drawNow());
  }

  drawNow(scale = 1) {
    cancelAnimationFrame(this.pending);
    this.pending = null;
    const begin = performance.now();
    this.draw(scale);
    if (scale === 1) this.budget.spent(performance.now() - begin);
    this.drawMilliseconds = performance.now() - begin;
    const finest = Math.min(window.devicePixelRatio || 1, 3);
    const isCut = this.frame.arranged && this.frame.arranged.isCut && this.settings.most < MOST_CANDIDATES;
    if (scale < finest || (isCut && !this.isRefined)) {
      this.refinement = setTimeout(() => {
        this.isRefined = true;
        this.drawNow(finest);
        this.isRefined = false;
      }, REFINE_AFTER_MS);
    }
    for (const listener of this.listeners) listener();
  }

  draw(scale) {
    const {view, vertical, palette, picture} = this;
    this.settings.most = this.isRefined ? MOST_CANDIDATES : this.budget.most;
    const frame = new Frame(this.events, view, this.layout, this.settings, scale, PLOT_HEIGHT);
    vertical.fit(frame.totals, this.shapeLabels ? this.shapeLabels.highest() : 0);
    if (!this.raster || this.raster.width !== frame.width || this.raster.height !== frame.height || this.raster.scale !== scale) {
      this.raster = new Raster(frame.width, frame.height, scale);
      [picture.width, picture.height] = [frame.width, frame.height];
    }
    frame.draw(this.raster, palette, vertical);
    picture.getContext('2d').putImageData(this.raster.image, 0, 0);
    this.frame = frame;
    this.drawOverlay();
  }

  // The cursor moves without a new picture.
  drawOverlay() {
    const {view, vertical, palette, frame} = this;
    for (const listener of this.cursorListeners) listener(this.cursor);
    this.overlay.hiddenCategories = [...this.settings.hidden];
    this.overlay.draw({view, vertical, palette, rows: this.rowsOfFrame(frame), frame, pinned: frame.pinnedBand, cursor: this.cursor, marked: this.marked,
      lines: {...this.lines, reserved: frame.reserved === undefined ? (frame.reserved = frame.columns.reservedBytes(view)) : frame.reserved}});
  }

  rowsOfFrame(frame) {
    if (!frame.rows) frame.rows = this.rows;
    return frame.rows;
  }

  // Draws what is visible now: the pointer may need it before the next frame.
  current() {
    if (this.pending || !this.frame) this.drawNow();
    return this.frame;
  }

  // The state at a pixel of the plot, and the time at its left edge.
  stateAt(x) {
    const frame = this.current();
    const column = Math.min(frame.width - 1, Math.max(0, Math.floor(x * frame.scale)));
    const position = this.view.position(Math.min(this.width - 1, Math.max(0, Math.floor(x))));
    return {column, state: frame.columns.states[column], ns: this.view.nsAt(position)};
  }

  // What is drawn at a place of the plot: as Frame.bandAt.
  bandAt(x, y) {
    if (y < 0 || y > PLOT_HEIGHT) return null;
    const {column} = this.stateAt(x);
    return this.current().bandAt(column, this.vertical.bytesAt(y, PLOT_HEIGHT));
  }

  // The vertical extent of a band in the plot's rows, over a sample of the columns from `left` to `right`.
  extentOf(what, left, right) {
    const frame = this.current();
    const extent = {top: Infinity, bottom: -Infinity};
    for (let i = 0; i < EXTENT_SAMPLES; ++i) {
      const x = left + (right - left) * i / (EXTENT_SAMPLES - 1);
      if (x < 0 || x >= this.width) continue;
      const found = frame.extentAt(Math.min(Math.floor(x * frame.scale), frame.width - 1), what);
      if (!found) continue;
      extent.top = Math.min(extent.top, Math.max(this.vertical.row(found.high, PLOT_HEIGHT), 0));
      extent.bottom = Math.max(extent.bottom, Math.min(this.vertical.row(found.low, PLOT_HEIGHT), PLOT_HEIGHT));
    }
    return extent;
  }

  // Marks an interval, or none.
  mark(interval) {
    this.marked = interval;
    if (!this.pending && this.frame) this.drawOverlay();
  }

  // Together with the next drawing, if one is scheduled.
  moveCursorLater(x) {
    this.cursor = x;
    if (!this.pending && this.frame) this.drawOverlay();
  }

  moveCursor(x) {
    this.cursor = x;
    this.current();
    this.drawOverlay();
  }
}
