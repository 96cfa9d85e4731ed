// What the cursor stands on: a box beside it with every category's bytes, and a sentence for those who listen.

class Readout {
  constructor(container, run) {
    this.run = run;
    this.box = d3.select(container).append('div').attr('class', 'readout').attr('hidden', '');
    this.when = this.box.append('p').attr('class', 'readout-when');
    this.where = this.box.append('p').attr('class', 'readout-where');
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

  // Shows a state beside a line of the container, low, where the memory that never moves is: the tops stay in sight.
  // `highlighted` is the category below the pointer, or -1.
  show({state, ns}, highlighted, left, bottom, containerWidth) {
    const {timeline, decimals} = this.run;
    // A state that began inside the column is named by its own time, which is the exact one.
    const moment = Math.max(ns, timeline.ns[state]);
    this.when.text(`${withThousands(moment / 1e6, 3)} ms`);
    this.where.text(this.describe(moment));
    const amounts = [...timeline.bytes.map((bytes) => bytes[state]), timeline.total[state]];
    this.rows.forEach(({row, mib, exact}, i) => {
      row.classed('highlighted', i === highlighted).classed('nothing', amounts[i] === 0);
      mib.text(`${mebibytes(amounts[i], decimals)} MiB`);
      exact.text(exactBytes(amounts[i]));
    });
    this.box.attr('hidden', null);
    const {offsetWidth: width, offsetHeight: height} = this.box.node();
    const beside = left + 18 + width > containerWidth ? left - 18 - width : left + 18;
    this.box.style('left', `${Math.max(0, beside)}px`).style('top', `${bottom - height}px`);
  }

  hide() { this.box.attr('hidden', ''); }

  sentence({state, ns}) {
    const {timeline, categories, decimals} = this.run;
    const parts = categories.map(({name}, i) => ({name, bytes: timeline.bytes[i][state]}))
      .filter(({bytes}) => bytes > 0).map(({name, bytes}) => `${name} ${mebibytes(bytes, decimals)}`);
    return `${duration(ns)}, ${this.describe(ns)}: ${mebibytes(timeline.total[state], decimals)} MiB allocated. ${parts.join(', ')}`;
  }
}
