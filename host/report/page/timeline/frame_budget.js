// SPDX-License-Identifier: Apache-2.0
// How much a frame may draw, learnt from how long the last ones took: moving must stay smooth on any machine.

const SLOW_FRAME_MS = 32;

class FrameBudget {
  constructor() { this.most = MOST_CANDIDATES; }

  spent(ms) {
    const wanted = ms > SLOW_FRAME_MS ? this.most / 2 : this.most * 1.25;
    this.most = Math.round(Math.min(Math.max(wanted, MOST_CANDIDATES / 32), MOST_CANDIDATES));
  }
}
