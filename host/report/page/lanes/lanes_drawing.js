// SPDX-License-Identifier: Apache-2.0
// Draws the open lanes: rectangles directly as pixels, then names where they fit, then outlines.

const LANE_FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const LANE_LABEL_WIDTH = 30;
const MOST_LANE_LABELS = 120;

class LanesDrawing {
  constructor(canvas, spans) {
    Object.assign(this, {canvas, spans});
    this.context = canvas.getContext('2d');
  }

  // `settings`: {matches, pinned, relatives, selected}. Returns the number of rectangles drawn.
  draw({view, layout, palette, settings, scale}) {
    const width = Math.max(1, Math.round(view.width * scale));
    const height = Math.max(1, Math.round(layout.height * scale));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      [this.canvas.width, this.canvas.height] = [width, height];
      Object.assign(this.canvas.style, {width: `${view.width}px`, height: `${layout.height}px`});
      this.image = null;
    }
    if (!this.image) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    Object.assign(this, {width, height, scale, palette, settings});
    this.pixels.fill(palette.ground);
    this.labels = [];
    this.drawn = 0;
    for (const {row, top} of layout.rows) this.drawRow(row, top, view);
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.putImageData(this.image, 0, 0);
    this.drawLabels();
    return this.drawn;
  }

  isMatch(id) { return !this.settings.matches || this.settings.matches[this.spans.site[id]] === 1; }

  drawRow(row, top, view) {
    const {scale, palette, spans} = this;
    const [first, last] = [Math.round(top * scale), Math.round((top + LANE_ROW) * scale)];
    row.rectangles(view, (left, right, from, until) => {
      ++this.drawn;
      const isOne = until === from + 1;
      const ids = row.ids;
      // Of several spans in one rectangle, the middle one sets the colour; a search match always shows.
      let id = ids[(from + until) >> 1];
      let isMatch = this.isMatch(id);
      for (let i = from; !isMatch && i < until; ++i) {
        if (this.isMatch(ids[i])) [id, isMatch] = [ids[i], true];
      }
      const colours = isMatch ? palette.ofSite[spans.site[id]] : palette.unmatched;
      const shade = isOne ? from & 1 : 0;
      const x0 = Math.floor(left * scale);
      const x1 = Math.max(x0 + 1, Math.round(right * scale) - (isOne && right - left >= 3 ? 1 : 0));
      this.fill(x0, Math.min(x1, this.width), first, last, colours.shades[shade], isMatch && !isOne ? palette.ground : 0);
      if (isOne && right - left >= LANE_LABEL_WIDTH) this.labels.push({id, left, right, top, ink: colours.labels[shade]});
    });
  }

  // `dots`: the colour of every other pixel in the lowest rows of a joined rectangle, which distinguishes it from one
  // wide span.
  fill(x0, x1, y0, y1, colour, dots) {
    const {pixels, width} = this;
    for (let y = y0; y < y1; ++y) pixels.fill(colour, y * width + x0, y * width + x1);
    if (dots === 0) return;
    for (let x = x0 + (x0 & 1); x < x1; x += 2) pixels[(y1 - 2) * width + x] = dots;
  }

  drawLabels() {
    const {context, scale, spans} = this;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = LANE_FONT;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    this.labels.sort((a, b) => (b.right - b.left) - (a.right - a.left)).splice(MOST_LANE_LABELS);
    for (const {id, left, right, top, ink} of this.labels) {
      const fits = Math.floor((right - left - 7) / 6);
      context.fillStyle = ink;
      context.fillText(spanLabel(spans.siteOf(id), fits), left + 4, top + LANE_ROW / 2 + 0.5);
    }
  }

  // An outline around a span, wide enough to be visible on a thin one.
  outline(view, layout, id, width) {
    const {context, palette, spans, scale} = this;
    const place = layout.rowOf(spans, id);
    if (!place) return;
    const interval = spans.intervalOf(id);
    const [left, right] = [view.x(view.positionOf(interval.begin, interval.beginState)), view.x(view.positionOf(interval.end, interval.endState))];
    if (right < 0 || left > view.width) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    for (const [colour, line] of [[palette.halo, width + 2], [palette.outline, width]]) {
      context.strokeStyle = colour;
      context.lineWidth = line;
      context.strokeRect(Math.max(left, -4) - 0.5, place.top + 0.5, Math.max(Math.min(right, view.width + 4) - Math.max(left, -4), 2), LANE_ROW - 1);
    }
  }
}
