// SPDX-License-Identifier: Apache-2.0
// The horizontal axis shared by the memory and everything below it: the visible interval of the run, and the position
// of each moment. The unit is time, in nanoseconds, or events, where event n is at n and every event has the same
// width. `position` below is in the axis's unit.

const NARROWEST_NS = 2000;
const NARROWEST_EVENTS = 4;

class View {
  constructor(events, durationNs) {
    this.events = events;
    this.durationNs = durationNs;
    this.mode = 'time';
    this.width = 1;
    this.listeners = [];
    this.begin = 0;
    this.end = this.extent();
  }

  // `listener` is called whenever the visible interval changes.
  onChange(listener) { this.listeners.push(listener); }

  extent() { return Math.max(this.mode === 'time' ? this.durationNs : this.events.count, 1); }
  narrowest() { return Math.min(this.extent(), this.mode === 'time' ? NARROWEST_NS : NARROWEST_EVENTS); }
  get span() { return this.end - this.begin; }
  get isWhole() { return this.begin <= 0 && this.end >= this.extent(); }

  // Pixels from the left edge, out of `width`.
  x(position) { return (position - this.begin) / this.span * this.width; }
  position(x) { return this.begin + x / this.width * this.span; }

  // The position of a moment given by its time and by the `count` of events before it.
  positionOf(ns, count) { return this.mode === 'time' ? ns : count; }
  positionOfNs(ns) { return this.mode === 'time' ? ns : this.events.countBefore(ns); }
  // The moment at which a state begins.
  positionOfState(state) { return state === 0 ? 0 : this.positionOf(this.events.ns[state - 1], state - 1); }
  // The state at that position.
  stateAt(position) {
    if (this.mode === 'time') return d3.bisectRight(this.events.ns, position);
    return Math.min(Math.floor(Math.max(position, -1)) + 1, this.events.count);
  }
  nsAt(position) {
    if (this.mode === 'time') return position;
    const {ns, count} = this.events;
    if (count === 0 || position >= count) return this.durationNs;
    return ns[Math.max(Math.floor(position), 0)];
  }

  setWidth(width) {
    this.width = width;
    this.tell();
  }

  // Shows an interval, limited to the run and to a minimum width.
  show(begin, end) {
    const extent = this.extent();
    const span = Math.min(extent, Math.max(end - begin, this.narrowest()));
    const middle = (begin + end) / 2;
    this.begin = Math.min(Math.max(0, middle - span / 2), extent - span);
    this.end = this.begin + span;
    this.tell();
  }

  // Shows an interval given by times and by the events before its ends, with a margin as a multiple of its length.
  showInterval({begin, end, beginState, endState}, margin = 0) {
    const [first, last] = [this.positionOf(begin, beginState), this.positionOf(end, endState)];
    this.show(first - (last - first) * margin, last + (last - first) * margin);
  }

  showWhole() { this.show(0, this.extent()); }

  // The position of `centre` does not change.
  zoomBy(factor, centre = (this.begin + this.end) / 2) {
    const span = Math.min(this.extent(), Math.max(this.span / factor, this.narrowest()));
    const begin = centre - (centre - this.begin) * span / this.span;
    this.show(begin, begin + span);
  }

  panBy(part) { this.show(this.begin + this.span * part, this.end + this.span * part); }

  // The same events stay visible.
  setMode(mode) {
    if (mode === this.mode) return;
    const ends = mode === 'event' ? [this.begin, this.end].map((ns) => this.events.countBefore(ns))
      : [this.nsAt(this.begin), this.nsAt(this.end)];
    this.mode = mode;
    this.show(...ends);
  }

  tell() { for (const listener of this.listeners) listener(); }
}
