// SPDX-License-Identifier: Apache-2.0
// The moment that the reader looks at: a line, the readout beside it, and words for those who listen.

class Cursor {
  constructor(chart, readout, spoken) {
    Object.assign(this, {chart, readout, spoken});
    this.position = null;
    chart.view.onChange(() => this.hide());
  }

  // `y` is the pointer's, or null.
  place(x, y) {
    const {chart, readout} = this;
    const moment = chart.stateAt(x);
    this.position = chart.view.position(Math.floor(x));
    chart.moveCursor(x);
    readout.show(moment, y === null ? null : chart.bandAt(x, y), chart.layout, CHART_MARGIN.left + Math.floor(x),
      chart.plotTop + PLOT_HEIGHT - 10, chart.container.clientWidth);
    return moment;
  }

  // A cursor by keys speaks; one by the pointer would not stop speaking.
  step(columns) {
    const {view} = this.chart;
    const from = this.position === null ? (view.begin + view.end) / 2 : this.position;
    const x = Math.min(view.width - 1, Math.max(0, Math.round(view.x(from)) + columns));
    this.say(this.readout.sentence(this.place(x, null)));
  }

  say(sentence) { this.spoken.text(sentence); }

  hide() {
    if (this.position === null) return;
    this.position = null;
    this.readout.hide();
    this.chart.moveCursorLater(null);
  }
}
