// SPDX-License-Identifier: Apache-2.0
// Time intervals in lanes of rows, as host/report/lanes/lane_columns.cpp packs them (docs/report.md).

// IntervalKind of host/report/lanes/lane_sites.hpp, in order.
const SPAN_KINDS = ['operator', 'backward node', 'range', 'phase', 'module, forward', 'module, backward', 'module, again',
  'kernel', 'graph', 'copy', 'set'];
const [SPAN_RANGE, SPAN_PHASE, SPAN_KERNEL, SPAN_GRAPH, SPAN_COPY, SPAN_SET] = [2, 3, 7, 8, 9, 10];
const SITE_NUMBERS = 7;

class Spans {
  // `lanes`: run.lanes; `events` maps times to positions among the allocations.
  constructor(lanes, sections, events) {
    this.events = events;
    this.products = lanes.products.map(([products, batch, m, n, k, elementBytes, bytes]) => ({products, batch, m, n, k, elementBytes, bytes}));
    this.hostComputes = lanes.host_computes;
    this.count = d3.sum(lanes.list, ({count}) => count);
    this.readSites(sections);
    this.length = readNumbers(sections.span_lengths, this.count);
    this.row = new Uint16Array(readNumbers(sections.span_rows, this.count));
    this.site = new Uint32Array(readNumbers(sections.span_site_of, this.count));
    this.called = readNumbers(sections.span_called, this.count);  // nanoseconds in nested spans
    this.bytes = readNumbers(sections.span_amounts, this.count);
    this.device = readNumbers(sections.span_device, this.count);  // nanoseconds of device work it launched
    this.product = new Uint32Array(readNumbers(sections.span_products, this.count));
    this.begin = readNumbers(sections.span_begins, this.count);
    this.end = new Float64Array(this.count);
    this.readAskers(readNumbers(sections.span_askers, this.count));
    this.lane = new Uint8Array(this.count);
    let first = 0;
    this.lanes = lanes.list.map((lane, index) => {
      const last = first + lane.count;
      this.lane.fill(index, first, last);
      return {...lane, index, ...this.readLane(lane, first, first = last)};
    });
  }

  readSites(sections) {
    const numbers = readAllNumbers(sections.span_sites);
    const texts = JSON.parse(new TextDecoder().decode(sections.span_texts));
    this.sites = [];
    for (let i = 0; i < numbers.length; i += SITE_NUMBERS) {
      const [name, fullName, layer, phase, asker] = Array.from(numbers.subarray(i + 2, i + SITE_NUMBERS), (text) => texts[text]);
      this.sites.push({kind: numbers[i], phaseKind: numbers[i + 1], name, fullName, layer, phase, asker});
    }
  }

  // The span that launched device work, or -1.
  readAskers(changes) {
    this.asker = new Int32Array(this.count);
    let number = 0;
    for (let id = 0; id < this.count; ++id) this.asker[id] = (number += signed(changes[id])) - 1;
  }

  // The lane's rows, each a list of non-overlapping spans in order of begin.
  readLane({rows}, first, last) {
    const ids = Array.from({length: rows}, () => []);
    let ns = 0;
    for (let id = first; id < last; ++id) {
      this.begin[id] = ns += this.begin[id];
      this.end[id] = ns + this.length[id];
      ids[this.row[id]].push(id);
    }
    return {first, last, rows: ids.map((list) => new SpanRow(this, Uint32Array.from(list)))};
  }

  siteOf(id) { return this.sites[this.site[id]]; }
  laneOf(id) { return this.lanes[this.lane[id]]; }
  self(id) { return this.length[id] - this.called[id]; }
  // Extent in the axis's unit; events exactly at the edges count as inside.
  intervalOf(id) {
    const tick = this.events.directory.tick_ns;
    const [begin, end] = [this.begin[id], this.end[id]];
    return {begin, end, beginState: this.events.countBefore(Math.floor(begin / tick) * tick), endState: this.events.countBefore(Math.floor(end / tick) * tick + tick)};
  }

  // Floating-point operations of the matrix product and their duration; null for other spans.
  productOf(id) {
    if (this.product[id] === 0) return null;
    const product = this.products[this.product[id] - 1];
    const flop = 2 * product.products * product.batch * product.m * product.n * product.k;
    const ns = this.device[id] > 0 ? this.device[id] : this.hostComputes ? this.length[id] : 0;
    return {...product, flop, ns, isOnDevice: this.device[id] > 0};
  }

  // The longest operator, range, phase or kernel of that name; -1 if there is none.
  longestNamed(name) {
    const wanted = new Set();
    this.sites.forEach((site, index) => { if (site.name === name) wanted.add(index); });
    let best = -1;
    for (let id = 0; id < this.count; ++id) {
      if (wanted.has(this.site[id]) && (best < 0 || this.length[id] > this.length[best])) best = id;
    }
    return best;
  }

  // The device work it launched, or the span that launched it.
  relativesOf(id) {
    if (this.asker[id] >= 0) return [this.asker[id]];
    if (this.laneOf(id).kind !== 'operators') return [];
    const found = [];
    for (let other = 0; other < this.count; ++other) {
      const asker = this.asker[other];
      if (asker >= 0 && this.lane[asker] === this.lane[id] && this.begin[id] <= this.begin[asker] && this.end[asker] <= this.end[id]) found.push(other);
    }
    return found;
  }
}
