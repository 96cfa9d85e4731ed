// SPDX-License-Identifier: Apache-2.0
// The pinned block: always a band of its own, outlined, with its known properties beside the plot.

class Pinned {
  constructor(chart, cursor, panel) {
    Object.assign(this, {chart, cursor, panel});
    panel.letGo.push(() => this.pin(-1));
    this.box = d3.select('#pinned');
    d3.select('#unpin').on('click', () => this.pin(-1));
    d3.select('#show-pinned').on('click', () => this.show());
  }

  get id() { return this.chart.settings.pinned; }

  // -1: none.
  pin(id) {
    const {chart, box, panel} = this;
    const {events, run} = chart;
    if (id < 0 && this.id < 0) return;
    chart.set({pinned: id});
    box.attr('hidden', id < 0 ? '' : null);
    if (id < 0) {
      panel.update();
      return;
    }
    const title = blockTitle(events, id, '');
    const rows = blockRows(run, events, id);
    d3.select('#pinned-title').text(title);
    const facts = d3.select('#pinned-facts');
    facts.selectAll('*').remove();
    fillFacts(facts, rows);
    panel.update();
    this.cursor.say(`Pinned ${title}. ${rows.map(([what, text]) => `${what}: ${text}`).join('. ')}`);
  }

  // Pins what is drawn where the reader clicked: a block, or the largest of a joined band. Anything else unpins.
  pick(what) {
    const {events} = this.chart;
    if (what && what.id !== undefined) this.pin(what.id === this.id ? -1 : what.id);
    else if (what && what.ids) this.pin(what.ids[d3.scan(what.ids, (a, b) => events.bytes[b] - events.bytes[a])]);
    else this.pin(-1);
  }

  // Zooms to the block's lifetime.
  show() {
    const {view, events} = this.chart;
    const {id} = this;
    const death = events.death[id];
    view.showInterval({begin: events.ns[events.birth[id]], beginState: events.birth[id],
      end: death === NEVER ? view.durationNs : events.ns[death], endState: death === NEVER ? events.count : death}, 0.15);
  }

  // Pins the next of the largest visible blocks.
  next(direction) {
    const {view, events, settings} = this.chart;
    const rows = largestVisible(events, Math.max(view.stateAt(view.begin), 1), view.stateAt(view.end), settings);
    const at = rows.findIndex(({ids}) => ids.includes(this.id));
    const row = rows[at < 0 ? 0 : (at + direction + rows.length) % rows.length];
    if (row) this.pin(row.ids[0]);
  }
}
