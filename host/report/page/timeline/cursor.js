// SPDX-License-Identifier: Apache-2.0
// The moment the reader points at: a line, its description, and text for screen readers.

class Cursor {
  constructor(chart, moment, tooltip, spoken) {
    Object.assign(this, {chart, moment, tooltip, spoken});
    this.position = null;
    chart.view.onChange(() => this.hide());
  }

  // `y` is the pointer's position, or null.
  place(x, y) {
    const {chart} = this;
    const found = chart.stateAt(x);
    this.position = chart.view.position(Math.floor(x));
    chart.moveCursor(x);
    const what = y === null ? null : chart.bandAt(x, y);
    this.moment.show(found, this.point(what, x, y));
    return found;
  }

  // Describes what is under the pointer; returns its category, or -1.
  point(what, x, y) {
    const {chart, tooltip} = this;
    const text = tooltipText(chart.run, chart.events, chart.layout, what);
    if (!text) {
      tooltip.hide();
      return -1;
    }
    tooltip.fill(text.lines, text.slug);
    const [left, top] = [CHART_MARGIN.left, chart.plotTop];
    tooltip.place(left + x, top + y, (from, to) => {
      const rows = chart.extentOf(what, from - left, to - left);
      return {top: top + rows.top, bottom: top + rows.bottom};
    });
    return text.category;
  }

  // A screen reader reads the cursor only if it moves by keys; with the pointer it would never
  // stop.
  step(columns) {
    const {view} = this.chart;
    const from = this.position === null ? (view.begin + view.end) / 2 : this.position;
    const x = Math.min(view.width - 1, Math.max(0, Math.round(view.x(from)) + columns));
    this.say(this.moment.sentence(this.place(x, null)));
  }

  say(sentence) { this.spoken.text(sentence); }

  hide() {
    if (this.position === null) return;
    this.position = null;
    this.tooltip.hide();
    this.moment.rest();
    this.chart.moveCursorLater(null);
  }
}
