// SPDX-License-Identifier: Apache-2.0
// The largest allocations of the visible interval as a table with equal ones joined: a text version of the picture.

const LISTED = 12;
const LOOKED_AT = 4000;

// Blocks alive in the interval, the largest first: [{ids, bytes}...], one row for each size and origin.
function largestVisible(events, first, last, {leastBytes, hidden, matches}) {
  const {bySize, birthBySize, deathBySize, bytes, site, sites, categoryOfSite} = events;
  const rows = new Map();
  const end = events.countOfAtLeast(Math.max(leastBytes, 1));
  for (let i = 0, seen = 0; i < end && seen < LOOKED_AT; ++i) {
    if (deathBySize[i] < first || birthBySize[i] >= last) continue;
    const id = bySize[i];
    if (hidden.has(categoryOfSite[site[id]]) || (matches && !matches[site[id]])) continue;
    ++seen;
    const {category, kind, op, name} = sites[site[id]];
    const key = `${bytes[id]} ${category} ${kind} ${op} ${name ? moduleless(name) : ''}`;
    const row = rows.get(key);
    if (row) row.ids.push(id);
    else if (rows.size < LISTED) rows.set(key, {ids: [id], bytes: bytes[id]});
  }
  return [...rows.values()];
}

const moduleless = (name) => name.replace(/\.\d+\./g, '.*.');

const LARGEST_HEADINGS = ['MiB', 'Blocks', 'What', 'Tensor or operator', 'Layer', 'Lived']
  .map((text, i) => ({text, kind: i < 2 || i === 5 ? 'number' : i > 2 ? 'name' : null}));

class LargestTable {
  constructor(chart, onPick) {
    Object.assign(this, {chart, onPick});
    chart.listeners.push(() => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.fill(), 200);
    });
    this.fill();
  }

  fill() {
    const {chart, onPick} = this;
    const {events, run, view, settings} = chart;
    const rows = largestVisible(events, Math.max(view.stateAt(view.begin), 1), view.stateAt(view.end), settings);
    const shown = rows.map(({ids, bytes}) => {
      const [first, last] = [ids[0], ids[ids.length - 1]].map((id) => events.sites[events.site[id]]);
      const {category, kind, reason, name, op} = first;
      const layers = [first, last].map(({layer}) => layer);
      return {cells: [{...amount(run, bytes), title: `${mebibytes(bytes, run.decimals)} MiB: pin it in the timeline`, pick: () => onPick(ids[0])}, withThousands(ids.length),
        {text: `${run.categories[category].name}${kind ? `/${kind}` : ''}`, title: reason, swatch: run.categories[category].slug},
        {text: name || shortOp(op), title: name || op},
        {text: layers[0] === layers[1] ? layers[0] : layers.join(' … '), title: layers.join(' … ')},
        lifetime(run, events, ids[0])]};
    });
    if (this.table) this.table.show(shown);
    else this.table = fillTable(d3.select('#largest'), LARGEST_HEADINGS, shown);
    d3.select('#largest-none').text(rows.length === 0 ? 'Nothing of it is visible.' : '');
  }
}
