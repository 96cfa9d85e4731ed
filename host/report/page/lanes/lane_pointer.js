// SPDX-License-Identifier: Apache-2.0
// Wheel and pointer in the lanes, as in the memory picture above: zoom, pan, hover and click.

class LanePointer {
  constructor(lanes, pinned) {
    Object.assign(this, {lanes, pinned});
    const {canvas} = lanes;
    canvas.addEventListener('wheel', (event) => this.turn(event), {passive: false});
    canvas.addEventListener('pointerdown', (event) => this.press(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.release(event));
    canvas.addEventListener('pointercancel', () => { this.pressed = null; });
    canvas.addEventListener('pointerleave', () => this.leave());
    canvas.addEventListener('dblclick', (event) => {
      const what = this.what(event);
      if (what && what.id !== undefined) lanes.show(what.id);
    });
  }

  place({clientX, clientY}) {
    const {left, top} = this.lanes.canvas.getBoundingClientRect();
    return {x: clientX - left, y: clientY - top};
  }

  what(event) {
    const {x, y} = this.place(event);
    return this.lanes.at(x, y);
  }

  turn(event) {
    const {view} = this.lanes.chart;
    const {x} = this.place(event);
    const factor = Math.exp(-(event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 0.05 : 0.002));
    if (event.altKey) return;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.panBy((event.deltaX || event.deltaY) / view.width);
    else if (event.deltaY > 0 && view.isWhole) return;  // a wheel that would zoom out further scrolls the page
    else view.zoomBy(factor, view.position(x));
    event.preventDefault();
  }

  press(event) {
    if (event.button !== 0) return;
    const {view} = this.lanes.chart;
    this.pressed = {...this.place(event), begin: view.begin, end: view.end, hasMoved: false};
  }

  move(event) {
    const {lanes, pressed} = this;
    const {view} = lanes.chart;
    const {x, y} = this.place(event);
    if (!pressed || !(event.buttons & 1)) {
      this.hover(x, y);
      return;
    }
    if (!pressed.hasMoved && Math.abs(x - pressed.x) < CLICK_PIXELS) return;
    if (!pressed.hasMoved) lanes.canvas.setPointerCapture(event.pointerId);
    pressed.hasMoved = true;
    this.leave();
    const shift = (x - pressed.x) / view.width * (pressed.end - pressed.begin);
    view.show(pressed.begin - shift, pressed.end - shift);
  }

  hover(x, y) {
    const {lanes} = this;
    const what = lanes.at(x, y);
    lanes.chart.moveCursorLater(x);
    if (what) lanes.tell(what, x, y);
    else lanes.tooltip.hide();
    lanes.canvas.style.cursor = what ? 'pointer' : 'crosshair';
  }

  leave() {
    this.lanes.tooltip.hide();
    this.lanes.chart.moveCursorLater(null);
  }

  release(event) {
    const {pressed} = this;
    this.pressed = null;
    if (!pressed || pressed.hasMoved) return;
    this.lanes.canvas.focus();
    const what = this.what(event);
    if (!what) this.pinned.pin(-1);
    else if (what.id !== undefined) this.pinned.pin(what.id === this.pinned.id ? -1 : what.id);
    else this.lanes.chart.view.zoomBy(8, this.lanes.chart.view.position(pressed.x));
  }
}
