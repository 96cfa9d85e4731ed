// SPDX-License-Identifier: Apache-2.0
// Wheel and pointer in the timeline: zoom, pan, hover and click.

const CLICK_PIXELS = 4;

class Pointer {
  // `cursor`: {place(x, y), hide()}; `onPick` is called with what is drawn at the click.
  constructor(chart, cursor, onPick) {
    Object.assign(this, {chart, cursor, onPick});
    const {container} = chart;
    container.addEventListener('wheel', (event) => this.turn(event), {passive: false});
    container.addEventListener('pointerdown', (event) => this.press(event));
    container.addEventListener('pointermove', (event) => this.move(event));
    container.addEventListener('pointerup', (event) => this.release(event));
    container.addEventListener('pointercancel', () => { this.pressed = null; });
    container.addEventListener('pointerleave', () => cursor.hide());
  }

  // Relative to the plot's upper left corner.
  place(event) {
    const {left, top} = this.chart.container.getBoundingClientRect();
    return {x: event.clientX - left - CHART_MARGIN.left, y: event.clientY - top - this.chart.plotTop};
  }

  turn(event) {
    const {view, vertical} = this.chart;
    const {x, y} = this.place(event);
    const factor = Math.exp(-(event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 0.05 : 0.002));
    if (event.altKey || x < 0) {
      vertical.zoomBy(factor, vertical.bytesAt(Math.min(Math.max(y, 0), PLOT_HEIGHT), PLOT_HEIGHT));
      this.chart.request();
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      view.panBy((event.deltaX || event.deltaY) / view.width);
    } else if (event.deltaY > 0 && view.isWhole) {
      return;  // a wheel that would zoom out further scrolls the page
    } else {
      view.zoomBy(factor, view.position(Math.min(Math.max(x, 0), view.width)));
    }
    event.preventDefault();
  }

  press(event) {
    if (event.button !== 0) return;
    const {view, vertical} = this.chart;
    this.pressed = {...this.place(event), begin: view.begin, end: view.end, low: vertical.low, hasMoved: false};
  }

  move(event) {
    const {x, y} = this.place(event);
    if (this.pressed && event.buttons & 1) this.drag(event, x, y);
    else if (x < 0 || x >= this.chart.width) this.cursor.hide();
    else this.cursor.place(x, y);
  }

  drag(event, x, y) {
    const {pressed, chart} = this;
    const {view, vertical} = chart;
    if (!pressed.hasMoved && Math.hypot(x - pressed.x, y - pressed.y) < CLICK_PIXELS) return;
    if (!pressed.hasMoved) chart.container.setPointerCapture(event.pointerId);
    pressed.hasMoved = true;
    this.cursor.hide();
    const shift = (x - pressed.x) / view.width * view.span;
    if (vertical.chosen) vertical.panBy((pressed.low - vertical.low) / vertical.span + (y - pressed.y) / PLOT_HEIGHT);
    view.show(pressed.begin - shift, pressed.end - shift);
  }

  release(event) {
    const {pressed} = this;
    this.pressed = null;
    if (!pressed || pressed.hasMoved) return;
    const {x, y} = this.place(event);
    this.chart.focusable.focus();
    const {baseRows, view} = this.chart;
    const interval = y < 0 ? intervalAt(baseRows, view, x, event.clientY - this.chart.container.getBoundingClientRect().top - CHART_MARGIN.top) : undefined;
    if (interval) view.showInterval(interval, 0.02);
    else if (x >= 0 && x < view.width) this.onPick(this.chart.bandAt(x, y));
  }
}
