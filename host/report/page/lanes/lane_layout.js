// SPDX-License-Identifier: Apache-2.0
// Which lanes are open, and the vertical position of their rows.

const LANE_ROW = 15;
const LANE_ROW_GAP = 1;
const LANE_HEAD = 20;
const LANE_GAP = 5;

class LaneLayout {
  constructor(lanes) {
    this.lanes = lanes;
    this.folded = new Set();
    this.arrange();
  }

  arrange() {
    this.rows = [];  // {lane, row, top}
    this.heads = []; // top of each lane
    let top = 0;
    for (const lane of this.lanes) {
      this.heads.push(top);
      top += LANE_HEAD;
      if (!this.folded.has(lane.index)) {
        for (const row of lane.rows) {
          this.rows.push({lane, row, top});
          top += LANE_ROW + LANE_ROW_GAP;
        }
      }
      top += LANE_GAP;
    }
    this.height = Math.max(top, 1);
  }

  fold(index, isFolded) {
    if (isFolded) this.folded.add(index);
    else this.folded.delete(index);
    this.arrange();
  }

  rowAt(y) { return this.rows.find(({top}) => top <= y && y < top + LANE_ROW + LANE_ROW_GAP); }
  rowOf(spans, id) { return this.rows.find(({lane, row}) => lane.index === spans.lane[id] && lane.rows[spans.row[id]] === row); }
}
