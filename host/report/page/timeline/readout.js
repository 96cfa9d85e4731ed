// SPDX-License-Identifier: Apache-2.0
// What the cursor stands on: a box beside it with the block and every category's bytes, and a sentence for those who
// listen.

class Readout {
  constructor(container, run, events) {
    Object.assign(this, {run, events});
    this.box = d3.select(container).append('div').attr('class', 'readout').attr('hidden', '');
    this.when = this.box.append('p').attr('class', 'readout-when');
    this.where = this.box.append('p').attr('class', 'readout-where');
    this.block = this.box.append('div').attr('class', 'readout-block');
    const body = this.box.append('table').append('tbody');
    this.rows = [...run.categories, {name: 'Allocated', slug: 'total'}].map((category) => {
      const row = body.append('tr').attr('class', category.slug);
      row.append('th').attr('scope', 'row').call((cell) => {
        cell.append('span').attr('class', `swatch ${category.slug}`);
        cell.append('span').text(category.name);
      });
      return {row, mib: row.append('td'), exact: row.append('td').attr('class', 'exact')};
    });
  }

  // The innermost phase, by the moment.
  phaseAt(ns) {
    let found;
    for (const phase of this.run.phases) {
      if (phase.begin > ns) break;
      if (ns < phase.end && (!found || phase.depth >= found.depth)) found = phase;
    }
    return found;
  }

  describe(ns) {
    const {steps, kept} = this.run;
    const isKept = ([begin, end]) => begin <= ns && ns < end;
    const step = at(steps, ns);
    const phase = this.phaseAt(ns);
    const noStep = isKept(kept.steps) ? 'outside of steps' : 'steps are not in the page here';
    const noPhase = isKept(kept.phases) ? 'no phase' : 'phases are not in the page here';
    return [step ? `step ${step.index} (${SCHEDULES[step.schedule] || 'unscheduled'})` : noStep,
      phase ? phase.name : noPhase].join(' · ');
  }

  // [title, rows] of what is below the pointer; rows of [what, text].
  found(what, layout) {
    const {run, events} = this;
    if (!what || what.category !== undefined) return ['', []];
    if (what.id !== undefined) return [blockTitle(events, what.id, ''), blockRows(run, events, what.id)];
    if (what.remainder !== undefined) return [`smaller blocks of ${run.categories[what.remainder].name}`, []];
    const bytes = d3.sum(what.ids, (id) => events.bytes[id]);
    return [layout.label(what.band, run.categories[what.band.category].name),
      [['Together', `${mebibytes(bytes, run.decimals)} MiB in ${withThousands(what.ids.length)} blocks`],
        ['Largest', blockTitle(events, what.ids[d3.scan(what.ids, (a, b) => events.bytes[b] - events.bytes[a])], '')]]];
  }

  // Shows a moment beside a line of the container, low, where the memory that never moves is: the tops stay in sight.
  show({state, ns}, what, layout, left, bottom, containerWidth) {
    const {events, run} = this;
    // A state that began inside the column is named by its own time, which is the exact one.
    const moment = state > 0 ? Math.max(ns, events.ns[state - 1]) : ns;
    this.when.text(`${withThousands(moment / 1e6, 3)} ms, after event ${withThousands(state)}`);
    this.where.text(this.describe(moment));
    const [title, rows] = this.found(what, layout);
    this.block.attr('hidden', title ? null : '').selectAll('*').remove();
    this.block.append('p').attr('class', 'readout-title').text(title);
    fillFacts(this.block.append('dl').attr('class', 'facts'), rows);
    const category = !what ? -1 : what.category !== undefined ? what.category : what.remainder !== undefined ? what.remainder
      : what.band ? what.band.category : events.sites[events.site[what.id]].category;
    const amounts = [...events.categoriesAt(state, new Float64Array(CATEGORY_COUNT)), events.total[state]];
    this.rows.forEach(({row, mib, exact}, i) => {
      row.classed('highlighted', i === category).classed('nothing', amounts[i] === 0);
      mib.text(`${mebibytes(amounts[i], run.decimals)} MiB`);
      exact.text(exactBytes(amounts[i]));
    });
    this.box.attr('hidden', null);
    const {offsetWidth: width, offsetHeight: height} = this.box.node();
    const beside = left + 18 + width > containerWidth ? left - 18 - width : left + 18;
    this.box.style('left', `${Math.max(0, beside)}px`).style('top', `${bottom - height}px`);
  }

  hide() { this.box.attr('hidden', ''); }

  sentence({state, ns}) {
    const {events, run} = this;
    const parts = [...events.categoriesAt(state, new Float64Array(CATEGORY_COUNT))]
      .map((bytes, i) => ({name: run.categories[i].name, bytes})).filter(({bytes}) => bytes > 0)
      .map(({name, bytes}) => `${name} ${mebibytes(bytes, run.decimals)}`);
    return `${duration(ns)}, ${this.describe(ns)}: ${mebibytes(events.total[state], run.decimals)} MiB allocated. ${parts.join(', ')}`;
  }
}

function fillFacts(list, rows) {
  for (const [what, text] of rows) {
    list.append('dt').text(what);
    list.append('dd').text(text);
  }
}
