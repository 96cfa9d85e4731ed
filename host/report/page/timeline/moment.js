// SPDX-License-Identifier: Apache-2.0
// The moment at the cursor, or else the peak: every category's bytes, beside the plot, and a sentence for screen
// readers.

class Moment {
  constructor(run, events) {
    Object.assign(this, {run, events});
    this.box = d3.select('#moment');
    const title = this.box.append('p').attr('class', 'moment-title').attr('id', 'moment-title');
    this.title = title.append('span');
    this.when = title.append('span').attr('class', 'moment-when');
    this.where = this.box.append('p').attr('class', 'moment-where');
    const table = this.box.append('table');
    table.append('thead').append('tr').selectAll('th').data(['Category', 'MiB', 'bytes']).enter().append('th').attr('scope', 'col')
      .append('span').attr('class', (_, i) => (i === 0 ? 'visually-hidden' : null)).text((text) => text);
    const body = table.append('tbody');
    this.rows = [...run.categories, {name: 'Allocated', slug: 'total'}].map((category) => {
      const row = body.append('tr').attr('class', category.slug);
      row.append('th').attr('scope', 'row').call((cell) => {
        cell.append('span').attr('class', `swatch ${category.slug}`);
        cell.append('span').text(category.name);
      });
      return {row, mib: row.append('td'), exact: row.append('td').attr('class', 'exact')};
    });
    this.rest();
  }

  // The innermost phase at that moment.
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

  // `category`: the row under the pointer, or -1.
  show({state, ns}, category = -1, title = 'At the cursor') {
    const {events, run} = this;
    // A state that began inside the column is shown with its own, exact time.
    const moment = state > 0 ? Math.max(ns, events.ns[state - 1]) : ns;
    const event = `event ${withThousands(state)}`;
    this.title.text(title);
    this.when.text(run.run.paced_by_host ? event : `${withThousands(moment / 1e6, 3)} ms, ${event}`);
    this.where.text(this.describe(moment));
    const amounts = [...events.categoriesAt(state, new Float64Array(CATEGORY_COUNT)), events.total[state]];
    this.rows.forEach(({row, mib, exact}, i) => {
      row.classed('highlighted', i === category).classed('nothing', amounts[i] === 0);
      mib.text(mebibytes(amounts[i], run.decimals));
      exact.text(withThousands(amounts[i]));
    });
  }

  // Without a cursor.
  rest() {
    const {run} = this;
    this.box.attr('hidden', run.isEmpty ? '' : null);
    if (!run.isEmpty) this.show(run.peak, -1, 'At the peak');
  }

  sentence({state, ns}) {
    const {events, run} = this;
    const parts = [...events.categoriesAt(state, new Float64Array(CATEGORY_COUNT))]
      .map((bytes, i) => ({name: run.categories[i].name, bytes})).filter(({bytes}) => bytes > 0)
      .map(({name, bytes}) => `${name} ${mebibytes(bytes, run.decimals)}`);
    const when = run.run.paced_by_host ? `Event ${withThousands(state)}` : duration(ns);
    return `${when}, ${this.describe(ns)}: ${mebibytes(events.total[state], run.decimals)} MiB allocated. ${parts.join(', ')}`;
  }
}

function fillFacts(list, rows) {
  for (const [what, text] of rows) {
    list.append('dt').text(what);
    list.append('dd').text(text);
  }
}
