// SPDX-License-Identifier: Apache-2.0
// Non-overlapping spans, from left to right, and their rectangles. Spans wider than a pixel are drawn one by one;
// thinner neighbours become one rectangle that knows how many spans it holds.

const NARROWEST_SPAN = 1.5;  // pixels
const CROWD_GAP = 1;         // largest gap, in pixels, over which thin spans are joined

class SpanRow {
  constructor(spans, ids) {
    Object.assign(this, {spans, ids});
    this.begin = Float64Array.from(ids, (id) => spans.begin[id]);
    this.end = Float64Array.from(ids, (id) => spans.end[id]);
    this.states = null;
  }

  // Position on the axis: nanoseconds, or events.
  edges(view) {
    if (view.mode === 'time') return this;
    if (!this.states) {
      const intervals = Array.from(this.ids, (id) => this.spans.intervalOf(id));
      this.states = {begin: Float64Array.from(intervals, ({beginState}) => beginState), end: Float64Array.from(intervals, ({endState}) => endState)};
      // An event at the boundary of two spans belongs to the first.
      for (let i = 1; i < this.ids.length; ++i) {
        this.states.begin[i] = Math.max(this.states.begin[i], this.states.end[i - 1]);
        this.states.end[i] = Math.max(this.states.end[i], this.states.begin[i]);
      }
    }
    return this.states;
  }

  // The first span from index `first` on that ends after `position`.
  firstEndingAfter(end, position, first = 0) {
    let last = end.length;
    while (first < last) {
      const middle = (first + last) >> 1;
      if (end[middle] > position) last = middle;
      else first = middle + 1;
    }
    return first;
  }

  // Calls draw(left, right, first, last) for each rectangle, in pixels, of the row's spans [first, last).
  rectangles(view, draw) {
    const {begin, end} = this.edges(view);
    const scale = view.width / view.span;
    const x = (position) => (position - view.begin) * scale;
    let at = this.firstEndingAfter(end, view.begin);
    while (at < end.length) {
      const left = x(begin[at]);
      if (left >= view.width) return;
      let right = x(end[at]);
      if (right - left >= NARROWEST_SPAN) {
        draw(Math.max(left, 0), Math.min(right, view.width), at, at + 1);
        ++at;
        continue;
      }
      const first = at;
      // Thin neighbours, one pixel at a time, so the cost does not grow with their number.
      for (;;) {
        const next = this.firstEndingAfter(end, Math.max(begin[at], view.begin) + 1 / scale, at + 1);
        right = x(end[next - 1]);
        at = next;
        if (at >= end.length || x(end[at]) - x(begin[at]) >= NARROWEST_SPAN || x(begin[at]) - right > CROWD_GAP) break;
      }
      draw(Math.max(left, 0), Math.min(Math.max(right, left + 1), view.width), first, at);
    }
  }

  // The spans drawn there: {id} or {ids}, or null.
  at(view, x) {
    let found = null;
    this.rectangles(view, (left, right, first, last) => {
      if (x < left - 0.5 || x > right + 0.5 || (found && x >= found.right)) return;
      found = {right, ids: this.ids.subarray(first, last)};
    });
    if (!found) return null;
    return found.ids.length === 1 ? {id: found.ids[0]} : {ids: found.ids};
  }

  // The index of the span at the position, or of the next one; -1 if the row is empty.
  nearest(view, position) {
    const {end} = this.edges(view);
    return Math.min(this.firstEndingAfter(end, position), end.length - 1);
  }
}
