// SPDX-License-Identifier: Apache-2.0
// What each pixel column shows: of all states that hold at some time in the column, the one with the largest total. So
// a peak is visible at any zoom, and a column shows the blocks of one real moment.

class PixelColumns {
  constructor(events, view, count) {
    this.events = events;
    this.count = count;
    this.findStates(view);
    this.indexStates();
  }

  // Ends of columns as numbers of events. The state at a column's start counts, unless an event is exactly at its
  // edge.
  findStates(view) {
    const {events, count} = this;
    const isTime = view.mode === 'time';
    const edge = (column) => view.begin + view.span * column / count;
    const before = (position, least) => (isTime ? events.countBefore(position, least)
      : Math.min(Math.max(Math.ceil(position), 0), events.count));
    this.states = new Int32Array(count);
    let first = before(edge(0), 0);
    this.entered = first;  // number of events before the first column
    for (let column = 0; column < count; ++column) {
      const last = before(edge(column + 1), first);
      const next = first === events.count ? Infinity : isTime ? events.ns[first] : first;
      const isEnteredStateHeld = next > edge(column) || first === last;
      this.states[column] = events.largestState(isEnteredStateHeld ? first : first + 1, last);
      first = last;
    }
    this.left = first;  // number of events before the end of the last column
  }

  // Constant-time lookup of states: for each interval of 2^shift states, the first column that shows one of them or a
  // later one.
  indexStates() {
    const {states, count} = this;
    [this.first, this.last] = [states[0], states[count - 1]];
    this.shift = 0;
    while ((this.last - this.first) >> this.shift > 1 << 16) ++this.shift;
    const intervals = ((this.last - this.first) >> this.shift) + 1;
    this.columnOf = new Int32Array(intervals);
    for (let interval = 0, column = 0; interval < intervals; ++interval) {
      while (states[column] < this.first + interval * 2 ** this.shift) ++column;
      this.columnOf[interval] = column;
    }
  }

  // The first column that shows that state or a later one; `count` if none does.
  firstFrom(state) {
    if (state <= this.first) return 0;
    if (state > this.last) return this.count;
    let column = this.columnOf[(state - this.first) >> this.shift];
    while (this.states[column] < state) ++column;
    return column;
  }

  // A column of bytes for each category: [category * count + column]. Those in `hidden` count as zero.
  categoryBytes(hidden) {
    const {events, states, count} = this;
    const bytes = new Float64Array(CATEGORY_COUNT * count);
    const now = new Float64Array(CATEGORY_COUNT);
    for (let column = 0; column < count; ++column) {
      if (column === 0 || states[column] !== states[column - 1]) {
        events.categoriesAt(states[column], now);
        for (const category of hidden) now[category] = 0;
      }
      for (let i = 0; i < CATEGORY_COUNT; ++i) bytes[i * count + column] = now[i];
    }
    return bytes;
  }

  // The largest reserved bytes in each column, or null in a run that reserved nothing.
  reservedBytes(view) {
    const {states, bytes} = this.events.reserved;
    if (states.length === 0) return null;
    const most = new Float64Array(this.count);
    let at = d3.bisectRight(states, this.entered) - 1;
    for (let column = 0; column < this.count; ++column) {
      const last = view.stateAt(view.begin + view.span * (column + 1) / this.count);
      most[column] = at >= 0 ? bytes[at] : 0;
      while (at + 1 < states.length && states[at + 1] <= last) most[column] = Math.max(most[column], bytes[++at]);
    }
    return most;
  }
}
