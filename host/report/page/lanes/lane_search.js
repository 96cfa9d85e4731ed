// SPDX-License-Identifier: Apache-2.0
// The timeline's search also covers spans: spans that do not match are grey.

class LaneSearch {
  constructor(lanes) {
    this.lanes = lanes;
    this.texts = lanes.spans.sites.map(({kind, name, fullName, layer, phase, asker}) =>
      [SPAN_KINDS[kind], name, fullName, layer, phase, asker].join('\n').toLowerCase());
    const input = document.getElementById('search');
    input.addEventListener('input', () => this.find(input.value));
  }

  // All words must occur, in any order.
  find(text) {
    const {lanes, texts} = this;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = d3.select('#search-spans');
    if (words.length === 0 || lanes.spans.count === 0) {
      found.text('');
      lanes.settings.matches = null;
      return;
    }
    const matches = Uint8Array.from(texts, (one) => (words.every((word) => one.includes(word)) ? 1 : 0));
    let count = 0;
    for (const site of lanes.spans.site) count += matches[site];
    found.text(`${withThousands(count)} of ${withThousands(lanes.spans.count)} operators, modules and kernels`);
    lanes.set({matches});
  }
}
