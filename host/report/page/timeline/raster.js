// SPDX-License-Identifier: Apache-2.0
// Draws bands directly into an ImageData: each column stores the bytes stacked so far, and the next band is filled
// above them. No pixel is written twice.

const EDGE_ROWS = 5;        // a band at least this high gets a dark line on top
const STEEPEST_EDGE = 2;    // where bands change by more rows per column, lines would look like noise
const LABEL_HEIGHT = 13;    // in points: the space a name needs
const LABEL_WIDTH = 46;

class Raster {
  // Size in pixels, `scale` of them per point.
  constructor(width, height, scale) {
    this.width = width;
    this.height = height;
    this.scale = scale;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.stacked = new Float64Array(width);
  }

  // The lower edge is at `base` bytes; a row is `bytesPerRow` high.
  begin(ground, base, bytesPerRow) {
    this.base = base;
    this.rowsPerByte = 1 / bytesPerRow;
    this.pixels.fill(ground);
    this.stacked.fill(0);
  }

  // A band of constant bytes, or of heights[column - from]. Returns where its name fits: {column, columns, row} in
  // pixels, or null.
  stack(from, to, bytes, heights, fill, edge, hatch) {
    const {pixels, width, height, stacked, base, rowsPerByte} = this;
    const [labelRows, labelColumns] = [LABEL_HEIGHT * this.scale, LABEL_WIDTH * this.scale];
    const wantsLabel = heights !== null || bytes * rowsPerByte >= labelRows;
    let best = null;
    let [runFrom, runLow, runHigh] = [from, height, 0];
    let lastTop = -1;
    for (let column = from; column <= to; ++column) {
      const low = stacked[column];
      const high = low + (heights === null ? bytes : heights[column - from]);
      stacked[column] = high;
      const bottom = Math.min(height, height - Math.round((low - base) * rowsPerByte));
      const top = Math.max(0, height - Math.round((high - base) * rowsPerByte));
      if (bottom > top) {
        const end = bottom * width + column;
        for (let at = top * width + column; at < end; at += width) pixels[at] = fill;
        if (hatch !== 0) this.hatch(column, top, bottom, hatch);
        if (bottom - top >= EDGE_ROWS && lastTop >= 0 && Math.abs(top - lastTop) <= STEEPEST_EDGE) pixels[top * width + column] = edge;
      }
      lastTop = top;
      if (!wantsLabel) continue;
      runLow = Math.min(runLow, bottom);
      runHigh = Math.max(runHigh, top);
      if (runLow - runHigh < labelRows) [runFrom, runLow, runHigh] = [column, bottom, top];
      const columns = column - runFrom + 1;
      if (runLow - runHigh >= labelRows && columns >= labelColumns && (best === null || columns > best.columns)) {
        best = {column: runFrom, columns, row: (runLow + runHigh) / 2};
      }
    }
    return best;
  }

  hatch(column, top, bottom, colour) {
    for (let row = top; row < bottom; ++row) {
      if (((column + row) & 7) < 2) this.pixels[row * this.width + column] = colour;
    }
  }
}
