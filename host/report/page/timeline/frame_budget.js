// SPDX-License-Identifier: Apache-2.0
// How much a frame may draw, adapted to the duration of recent frames, so that moving stays smooth on any
// machine.

const SLOW_FRAME_MS = 32;

class FrameBudget {
  constructor() { this.most = MOST_CANDIDATES; }

  spent(ms) {
    const wanted = ms > SLOW_FRAME_MS ? this.most / 2 : this.most * 1.25;
    this.most = Math.round(Math.min(Math.max(wanted, MOST_CANDIDATES / 32), MOST_CANDIDATES));
  }
}
