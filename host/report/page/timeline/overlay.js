// SPDX-License-Identifier: Apache-2.0
// Lines and text over the picture: axes, the lines of allocated, reserved and total memory, names on bands, the peak,
// the pinned block and the cursor.

const CHART_MARGIN = {top: 4, right: 14, bottom: 42, left: 78};
const PLOT_HEIGHT = 420;
const ROOM_ABOVE = 18;  // for the peak's label
const OVERLAY_FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';

class Overlay {
  constructor(canvas, run) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.run = run;
  }

  resize(width, height, scale) {
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.scale = scale;
  }

  draw({view, vertical, palette, rows, frame, lines, pinned, cursor, marked}) {
    const {context} = this;
    Object.assign(this, {view, vertical, palette, said: []});
    this.plotTop = CHART_MARGIN.top + rowsHeight(rows) + ROOM_ABOVE;
    const at = (left, top) => context.setTransform(this.scale, 0, 0, this.scale, left * this.scale, top * this.scale);
    at(0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    at(CHART_MARGIN.left, CHART_MARGIN.top);
    drawRows(context, rows, view, palette);
    at(CHART_MARGIN.left, this.plotTop);
    context.font = OVERLAY_FONT;
    drawAxes(this, frame);
    context.save();
    context.beginPath();
    context.rect(0, -ROOM_ABOVE, view.width, PLOT_HEIGHT + ROOM_ABOVE);
    context.clip();
    drawVeils(this);
    if (marked) this.drawMarked(marked);
    this.drawLevels(frame, lines);
    this.drawLabels(frame);
    if (pinned) this.drawPinned(pinned, frame);
    this.drawPeak();
    if (lines.capacity !== null) this.nameCapacity(lines.capacity);
    if (cursor !== null) this.line(Math.floor(cursor) + 0.5, 0, Math.floor(cursor) + 0.5, PLOT_HEIGHT, palette.css('ink'));
    context.restore();
  }

  row(bytes) { return this.vertical.row(bytes, PLOT_HEIGHT); }

  line(x0, y0, x1, y1, colour, dash = []) {
    const {context} = this;
    context.setLineDash(dash);
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    context.setLineDash([]);
  }

  text(text, x, y, align, colour, halo) {
    const {context} = this;
    context.textAlign = align;
    context.textBaseline = 'middle';
    if (halo) {
      const {width} = context.measureText(text);
      this.said.push({left: align === 'right' ? x - width : x, top: y - 9, width, height: 18});
      context.strokeStyle = halo;
      context.lineWidth = 4;
      context.lineJoin = 'round';
      context.strokeText(text, x, y);
    }
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }

  steps(values, scale, colour, width, dash = []) {
    const {context} = this;
    context.beginPath();
    values.forEach((bytes, column) => {
      if (column > 0 && bytes === values[column - 1]) return;
      context.lineTo(column / scale, this.row(column > 0 ? values[column - 1] : bytes));
      context.lineTo(column / scale, this.row(bytes));
    });
    context.lineTo(values.length / scale, this.row(values[values.length - 1]));
    context.setLineDash(dash);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
    context.setLineDash([]);
  }

  drawLevels(frame, {reserved, capacity}) {
    const {palette} = this;
    this.steps(frame.totals, frame.scale, palette.css('ink'), 1.25);
    if (reserved) {
      this.steps(reserved, frame.scale, palette.css('reserved'), 1.75, [6, 3]);
      const row = this.row(reserved[0]);
      const label = row < 0 ? 'reserved, above' : 'reserved';
      this.text(label, 6, Math.max(8, row - 9), 'left', palette.css('reserved'), palette.css('card'));
    }
    if (capacity === null) return;
    const y = this.row(capacity);
    if (y >= 0) this.line(0, y, this.view.width, y, palette.css('alarm'), [2, 3]);
  }

  // At the right, or left of an earlier label: the peak may be directly below the line. Where the whole label does not
  // fit, it is omitted.
  nameCapacity(bytes) {
    const {context, palette} = this;
    const row = this.row(bytes);
    const label = `capacity ${mebibytes(bytes, 0)} MiB${row < 0 ? ', above' : ''}`;
    const {width} = context.measureText(label);
    const y = Math.max(row - 8, -9);
    let x = this.view.width - 6;
    const fromTheRight = [...this.said].sort((one, other) => other.left - one.left);
    for (const other of fromTheRight)
      if (overlaps({left: x - width, top: y - 9, width, height: 18}, other, LABEL_CLEARANCE)) x = other.left - LABEL_CLEARANCE;
    if (x >= width) this.text(label, x, y, 'right', palette.css('alarm'), palette.css('card'));
  }

  drawLabels({labels, layout, events, scale, palette}) {
    const {context} = this;
    context.font = OVERLAY_FONT.replace('12px', '11.5px');
    for (const {column, columns, row, id, band, category, shade, isMatch} of labels) {
      const {name} = this.run.categories[category];
      const text = band ? layout.label(band, name) : blockTitle(events, id, name);
      const width = columns / scale - 10;
      const withBytes = band ? text : `${text} ${mebibytes(events.bytes[id], 1)} MiB`;
      const fitting = fittingText(context, withBytes, width) === withBytes ? withBytes : fittingText(context, text, width);
      if (!fitting) continue;
      this.text(fitting, column / scale + 5, row / scale, 'left', isMatch ? palette.categories[category].labels[shade] : palette.css('muted'));
    }
    context.font = OVERLAY_FONT;
  }

  // The area outside it is faded.
  drawMarked({begin, end, beginState, endState}) {
    const {context, view, palette} = this;
    const [from, to] = [view.positionOf(begin, beginState), view.positionOf(end, endState)].map((position) => Math.min(view.width, Math.max(0, view.x(position))));
    context.fillStyle = palette.css('veil');
    context.fillRect(0, 0, from, PLOT_HEIGHT);
    context.fillRect(to, 0, view.width - to, PLOT_HEIGHT);
    for (const x of [from, to]) this.line(x, 0, x, PLOT_HEIGHT, palette.css('accent'));
  }

  drawPinned({from, to, below, bytes}, {scale}) {
    const {context} = this;
    context.beginPath();
    for (let column = from; column <= to; ++column) {
      for (const edge of [column, column + 1]) context.lineTo(edge / scale, this.row(below[column - from] + bytes));
    }
    for (let column = to; column >= from; --column) {
      for (const edge of [column + 1, column]) context.lineTo(edge / scale, this.row(below[column - from]));
    }
    context.closePath();
    context.lineJoin = 'round';
    for (const [colour, width] of [['card', 4.5], ['ink', 2]]) {
      context.strokeStyle = this.palette.css(colour);
      context.lineWidth = width;
      context.stroke();
    }
  }

  drawPeak() {
    const {context, view, palette, run} = this;
    const {peak} = run;
    if (run.isEmpty) return;
    const x = view.x(view.positionOf(peak.ns, peak.state - 0.5));
    if (x < 0 || x > view.width) return;
    const y = this.row(peak.allocated_bytes - d3.sum(this.hiddenCategories, (category) => run.categories[category].peak));
    this.line(x, y, x, PLOT_HEIGHT, palette.css('ink'), [3, 3]);
    context.beginPath();
    context.arc(x, y, 4, 0, 7);
    context.fillStyle = palette.css('card');
    context.fill();
    context.strokeStyle = palette.css('ink');
    context.lineWidth = 2;
    context.stroke();
    context.font = `650 ${OVERLAY_FONT}`;
    const label = `peak ${mebibytes(peak.allocated_bytes, run.decimals)} MiB`;
    const width = context.measureText(label).width;
    const left = x + 9 + width <= view.width ? x + 9 : Math.max(0, x - 9 - width);
    const row = Math.max(-8, y - 10);
    context.fillStyle = palette.css('card');
    context.fillRect(left - 2, row - 8, width + 4, 16);  // hides lines behind the label
    this.text(label, left, row, 'left', palette.css('ink'), palette.css('card'));
    context.font = OVERLAY_FONT;
  }
}
