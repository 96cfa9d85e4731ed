// SPDX-License-Identifier: Apache-2.0
// The pinned span: outlined together with the device work it launched or the span that launched it, and described in
// text.

const MOST_RELATIVES = 300;

class LanePinned {
  constructor(lanes, panel) {
    Object.assign(this, {lanes, panel});
    panel.letGo.push(() => this.pin(-1));
    this.box = d3.select('#span-pinned');
    d3.select('#unpin-span').on('click', () => this.pin(-1));
    d3.select('#show-span').on('click', () => lanes.show(this.id));
    d3.select('#show-span-asker').on('click', () => {
      this.pin(this.relatives[0]);
      lanes.show(this.id);
    });
  }

  get id() { return this.lanes.settings.pinned; }

  // -1: none.
  pin(id) {
    const {lanes, box, panel} = this;
    const {spans, run} = lanes;
    if (id < 0 && this.id < 0) return;
    this.relatives = id < 0 ? [] : spans.relativesOf(id);
    lanes.set({pinned: id, relatives: this.relatives.slice(0, MOST_RELATIVES)});
    box.attr('hidden', id < 0 ? '' : null);
    if (id < 0) {
      panel.update();
      return;
    }
    const isAsked = spans.asker[id] >= 0;
    d3.select('#show-span-asker').attr('hidden', isAsked ? null : '');
    const title = spanTitle(spans, id);
    const rows = spanRows(run, spans, id);
    if (!isAsked && this.relatives.length > 0) {
      rows.push(['Asked for', `${withThousands(this.relatives.length)} on devices, ${exactDuration(d3.sum(this.relatives, (other) => spans.length[other]))}`]);
    }
    d3.select('#span-pinned-title').text(title);
    const facts = d3.select('#span-pinned-facts');
    facts.selectAll('*').remove();
    fillFacts(facts, rows);
    panel.update();
    d3.select('#spoken').text(`Pinned ${title}. ${rows.map(([what, text]) => `${what}: ${text}`).join('. ')}`);
  }
}
