// SPDX-License-Identifier: Apache-2.0
// Search by name: what does not match is grey.

class Search {
  constructor(chart) {
    this.chart = chart;
    const {sites} = chart.events;
    const {categories} = chart.run;
    this.texts = sites.map(({category, kind, name, op, layer, saver, dtype, shape}) =>
      [categories[category].name, kind, name, op, layer, saver, dtype, shape].join('\n').toLowerCase());
    this.input = document.getElementById('search');
    this.input.addEventListener('input', () => this.find(this.input.value));
  }

  // All words must occur, in any order.
  find(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const {events} = this.chart;
    if (words.length === 0) {
      this.chart.set({matches: null});
      d3.select('#search-found').text('');
      return;
    }
    const matches = Uint8Array.from(this.texts, (one) => (words.every((word) => one.includes(word)) ? 1 : 0));
    let found = 0;
    for (const site of events.site) found += matches[site];
    d3.select('#search-found').text(`${withThousands(found)} of ${withThousands(events.site.length)} allocations`);
    this.chart.set({matches, shows: 'allocations'});
  }
}
