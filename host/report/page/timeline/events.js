// SPDX-License-Identifier: Apache-2.0
// The exact stream of allocations and frees, indexed. State 0 precedes the first event; state n follows event n.

const CATEGORY_COUNT = 8;
const CHECKPOINT = 64;  // states between remembered sums
const NEVER = 0xffffffff;

class Events {
  constructor(directory, sections) {
    this.count = directory.count;
    this.directory = directory;
    this.readSites(sections);
    this.readTimes(sections.times, directory.tick_ns);
    this.readAllocations(sections);
    this.replay(readNumbers(sections.references, this.count));
    this.largest = new LargestStates(this.total);
    this.readReserved(sections.reserved);
    this.stacks = JSON.parse(new TextDecoder().decode(sections.stacks));
    this.stack = readAllNumbers(sections.stack_of);
  }

  readSites(sections) {
    const numbers = readAllNumbers(sections.sites);
    this.texts = JSON.parse(new TextDecoder().decode(sections.texts));
    this.sites = [];
    for (let i = 0; i < numbers.length; i += 9) {
      const [kind, reason, name, op, layer, saver, dtype, shape] = Array.from(numbers.subarray(i + 1, i + 9), (text) => this.texts[text]);
      this.sites.push({category: numbers[i], kind, reason, name, op, layer, saver, dtype, shape});
    }
    this.categoryOfSite = Uint8Array.from(this.sites, (site) => site.category);
  }

  readTimes(bytes, tickNs) {
    const ns = readNumbers(bytes, this.count);
    let tick = 0;
    for (let i = 0; i < this.count; ++i) ns[i] = (tick += ns[i]) * tickNs;
    this.ns = ns;
  }

  readAllocations(sections) {
    const {allocations} = this.directory;
    this.site = new Uint32Array(readNumbers(sections.site_of, allocations));
    const sizes = readAllNumbers(sections.sizes);
    for (let i = 1; i < sizes.length; ++i) sizes[i] += sizes[i - 1];
    const sizeOf = new Uint32Array(readNumbers(sections.size_of, allocations));
    this.bytes = new Float64Array(allocations);
    for (let id = 0; id < allocations; ++id) this.bytes[id] = sizes[sizeOf[id]];
    this.bySize = largestFirst(sizeOf, sizes.length);
  }

  // For each event, the block allocated or freed and the total afterwards.
  replay(references) {
    const {count, bytes, site, categoryOfSite} = this;
    const birth = new Uint32Array(bytes.length);
    const death = new Uint32Array(bytes.length).fill(NEVER);
    const change = new Int32Array(count);  // the allocation, or its complement (~) if it is freed
    const total = new Float64Array(count + 1);
    const checkpoints = new Float64Array((Math.floor(count / CHECKPOINT) + 1) * CATEGORY_COUNT);
    const now = new Float64Array(CATEGORY_COUNT);
    let sum = 0;
    let made = 0;
    for (let i = 0; i < count; ++i) {
      let id = made;
      if (references[i] === 0) {
        ++made;
        birth[id] = i;
        change[i] = id;
        sum += bytes[id];
        now[categoryOfSite[site[id]]] += bytes[id];
      } else {
        id = made - references[i];
        death[id] = i;
        change[i] = ~id;
        sum -= bytes[id];
        now[categoryOfSite[site[id]]] -= bytes[id];
      }
      total[i + 1] = sum;
      if ((i + 1) % CHECKPOINT === 0) checkpoints.set(now, (i + 1) / CHECKPOINT * CATEGORY_COUNT);
    }
    Object.assign(this, {birth, death, change, total, checkpoints});
    // In order of size, so that they are read sequentially.
    this.birthBySize = new Uint32Array(bytes.length);
    this.deathBySize = new Uint32Array(bytes.length);
    for (let i = 0; i < bytes.length; ++i) {
      this.birthBySize[i] = birth[this.bySize[i]];
      this.deathBySize[i] = death[this.bySize[i]];
    }
  }

  // Writes each category's bytes in that state.
  categoriesAt(state, into) {
    const first = Math.floor(state / CHECKPOINT);
    for (let i = 0; i < CATEGORY_COUNT; ++i) into[i] = this.checkpoints[first * CATEGORY_COUNT + i];
    for (let i = first * CHECKPOINT; i < state; ++i) {
      const id = this.change[i];
      if (id >= 0) into[this.categoryOfSite[this.site[id]]] += this.bytes[id];
      else into[this.categoryOfSite[this.site[~id]]] -= this.bytes[~id];
    }
    return into;
  }

  // The state in [first, last] with the largest total; the first of several.
  largestState(first, last) { return this.largest.within(first, last); }

  // The number of allocations of at least that many bytes.
  countOfAtLeast(least) {
    let first = 0;
    for (let last = this.bySize.length; first < last;) {
      const middle = (first + last) >> 1;
      if (this.bytes[this.bySize[middle]] >= least) first = middle + 1;
      else last = middle;
    }
    return first;
  }

  // The reserved bytes and the states from which they hold.
  readReserved(bytes) {
    const numbers = readAllNumbers(bytes);
    this.reserved = {states: new Uint32Array(numbers.length / 2), bytes: new Float64Array(numbers.length / 2)};
    let state = 0;
    let amount = 0;
    for (let i = 0; i < numbers.length; i += 2) {
      this.reserved.states[i / 2] = state += numbers[i];
      this.reserved.bytes[i / 2] = amount += signed(numbers[i + 1]);
    }
  }

  // One line per frame, the innermost first; empty if no stack was recorded or it is not in the page.
  stackOf(id) { return this.stack[id] > 0 ? this.stacks[this.stack[id] - 1] : ''; }

  isAliveAt(id, state) { return this.birth[id] < state && state <= this.death[id]; }

  // The number of events before that time; the caller knows that it is at least `least`.
  countBefore(ns, least = 0) {
    let last = this.count;
    for (let first = least; ;) {
      if (first >= last) return first;
      const middle = (first + last) >> 1;
      if (this.ns[middle] < ns) first = middle + 1;
      else last = middle;
    }
  }
}
