// SPDX-License-Identifier: Apache-2.0
// Which blocks are visible in the columns: the largest that are alive in at least one column, in order of
// allocation, each with its range of columns.

const MOST_CANDIDATES = 24000;

class Candidates {
  constructor(events) {
    this.events = events;
    const lists = () => ({ids: new Uint32Array(MOST_CANDIDATES + 1), from: new Int32Array(MOST_CANDIDATES + 1),
      to: new Int32Array(MOST_CANDIDATES + 1)});
    Object.assign(this, lists());
    this.sorted = lists();
    this.keys = new Float64Array(MOST_CANDIDATES + 1);
  }

  // At most `most` blocks of at least `leastBytes` each, plus `pinned` (or -1) whatever its size.
  collect(columns, {leastBytes, most, pinned, hidden}) {
    const {bySize, birthBySize, deathBySize, categoryOfSite, site} = this.events;
    const {first, last} = columns;
    this.count = 0;
    this.isCut = false;
    if (pinned >= 0) this.add(columns, pinned, this.events.birth[pinned], this.events.death[pinned]);
    const end = this.events.countOfAtLeast(leastBytes);
    for (let i = 0; i < end; ++i) {
      const death = deathBySize[i];
      if (death < first || birthBySize[i] >= last) continue;
      const id = bySize[i];
      if (id === pinned || hidden.has(categoryOfSite[site[id]])) continue;
      if (this.count >= most) {
        this.isCut = true;
        break;
      }
      this.add(columns, id, birthBySize[i], death);
    }
    this.sortByBirth();
    return this;
  }

  add(columns, id, birth, death) {
    const from = columns.firstFrom(birth + 1);
    const to = (death === NEVER ? columns.count : columns.firstFrom(death + 1)) - 1;
    if (from > to) return;
    this.ids[this.count] = id;
    this.from[this.count] = from;
    this.to[this.count] = to;
    ++this.count;
  }

  // Ids are assigned in order of allocation.
  sortByBirth() {
    const {count} = this;
    const keys = this.keys.subarray(0, count);
    for (let i = 0; i < count; ++i) keys[i] = this.ids[i] * 32768 + i;
    keys.sort();
    for (let i = 0; i < count; ++i) {
      const slot = keys[i] % 32768;
      this.sorted.ids[i] = this.ids[slot];
      this.sorted.from[i] = this.from[slot];
      this.sorted.to[i] = this.to[slot];
    }
    const unsorted = {ids: this.ids, from: this.from, to: this.to};
    Object.assign(this, this.sorted);
    this.sorted = unsorted;
  }
}
