// SPDX-License-Identifier: Apache-2.0
// The vertical axis: from which amount to which the picture reaches. By itself it fits what is visible; the reader may
// zoom and move it, or begin it at what is allocated all the time.

const PEAK_LABEL_ROOM = 1.08;  // the peak's label stands above it
const FLOOR_ROOM = 0.05;

class Vertical {
  constructor() {
    this.hidesFloor = false;
    this.chosen = null;  // {low, high}, by the reader
  }

  // Fits it to what each column holds in all, and at least to `most`.
  fit(totals, most = 0) {
    let least = Infinity;
    for (const total of totals) {
      least = Math.min(least, total);
      most = Math.max(most, total);
    }
    const low = this.hidesFloor ? Math.max(0, least - (most - least) * FLOOR_ROOM) : 0;
    this.fitted = {low, high: low + Math.max((most - low) * PEAK_LABEL_ROOM, 1)};
    const {low: base, high} = this.chosen || this.fitted;
    [this.low, this.high] = [base, high];
  }

  get span() { return this.high - this.low; }
  row(bytes, height) { return height - (bytes - this.low) / this.span * height; }
  bytesAt(row, height) { return this.low + (height - row) / height * this.span; }

  // What lies at `centre` bytes stays where it is.
  zoomBy(factor, centre = (this.low + this.high) / 2) {
    const span = Math.max(this.span / factor, 4096);
    const low = Math.max(0, centre - (centre - this.low) * span / this.span);
    this.chosen = {low, high: low + span};
  }

  panBy(part) {
    const low = Math.max(0, this.low + this.span * part);
    this.chosen = {low, high: low + this.span};
  }

  hideFloor(hides) {
    this.hidesFloor = hides;
    this.chosen = null;
  }
}
