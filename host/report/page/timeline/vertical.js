// SPDX-License-Identifier: Apache-2.0
// The vertical axis: the range of bytes the picture shows. By default it fits the visible memory; the reader may zoom
// and pan it, or start it at the bytes that are always allocated.

const PEAK_LABEL_ROOM = 1.08;  // the peak's label is above it
const FLOOR_ROOM = 0.05;

class Vertical {
  constructor() {
    this.hidesFloor = false;
    this.chosen = null;  // {low, high}, set by the reader
  }

  // Fits the axis to the columns' totals, and to at least `most`.
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

  // The position of `centre` bytes does not change.
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
