// SPDX-License-Identifier: Apache-2.0
// Finds the largest total of an interval without reading every state: the maxima of blocks of 64 states, and of groups
// of 64 blocks, are stored.

const STATES_IN_BLOCK = 64;

class LargestStates {
  constructor(total) {
    this.total = total;
    this.ofBlock = this.largestOf(total.length, null);
    this.ofGroup = this.largestOf(this.ofBlock.length, this.ofBlock);
  }

  // For each 64 states, or each 64 of `states`, the one with the largest total; the first of several.
  largestOf(count, states) {
    const {total} = this;
    const largest = new Uint32Array(Math.ceil(count / STATES_IN_BLOCK));
    for (let block = 0; block < largest.length; ++block) {
      const first = block * STATES_IN_BLOCK;
      let best = states ? states[first] : first;
      for (let i = first + 1; i < Math.min(count, first + STATES_IN_BLOCK); ++i) {
        const state = states ? states[i] : i;
        if (total[state] > total[best]) best = state;
      }
      largest[block] = best;
    }
    return largest;
  }

  // The state in [first, last] with the largest total; the first of several.
  within(first, last) {
    const {total} = this;
    const group = STATES_IN_BLOCK * STATES_IN_BLOCK;
    let best = first;
    for (let state = first; state <= last;) {
      let candidate = state;
      if (state % group === 0 && state + group - 1 <= last) {
        candidate = this.ofGroup[state / group];
        state += group;
      } else if (state % STATES_IN_BLOCK === 0 && state + STATES_IN_BLOCK - 1 <= last) {
        candidate = this.ofBlock[state / STATES_IN_BLOCK];
        state += STATES_IN_BLOCK;
      } else {
        ++state;
      }
      if (total[candidate] > total[best]) best = candidate;
    }
    return best;
  }
}
