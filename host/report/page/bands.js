// The bands above the memory: the active window, steps, and phases, the nested ones below those that hold them.

const BAND_HEIGHT = 20;
const BAND_GAP = 3;
const DEEPEST_PHASE = 2;
const NARROWEST_BAND = 1.5;
// STRATA_PHASE_* in order: how each kind is tinted.
const PHASE_TINTS = ['other', 'other', 'data', 'data', 'forward', 'loss', 'backward', 'sync', 'optimizer', 'optimizer',
  'zero', 'other', 'other'];

function bandRows(run) {
  const deepest = Math.min(DEEPEST_PHASE, d3.max(run.phases, (phase) => phase.depth) || 0);
  const rows = [];
  if (run.window) {
    const {first_step: first, last_step: last} = run.run;
    rows.push([{...run.window, label: `window: steps ${first} to ${last}`, short: 'window', tint: 'window'}]);
  }
  rows.push(run.steps.map((step) => ({
    begin: step.begin, end: step.end, label: `step ${step.index}${step.complete ? '' : ', cut short'}`, short: `${step.index}`,
    tint: step.index % 2 === 0 ? 'step-even' : 'step-odd',
  })));
  for (let depth = 0; depth <= deepest; ++depth) {
    rows.push(run.phases.filter((phase) => Math.min(phase.depth, deepest) === depth).map((phase) => ({
      begin: phase.begin, end: phase.end, label: phase.name, short: '', tint: PHASE_TINTS[phase.kind] || 'other',
    })));
  }
  return rows.filter((row) => row.length > 0);
}

function bandsHeight(rows) { return rows.length * (BAND_HEIGHT + BAND_GAP); }

// What fits: the label, its short form, the label's beginning, or nothing.
function bandText(band, width) {
  const fits = Math.floor((width - 8) / 6.6);
  if (band.label.length <= fits) return band.label;
  if (band.short && band.short.length <= fits) return band.short;
  return fits >= 4 ? `${band.label.slice(0, fits - 1)}…` : '';
}

// Draws the rows into `group` for the time that `x` (a scale of nanoseconds to pixels) shows. Bands too narrow to
// be seen are left out: a run has more phases than a screen has columns.
function drawBands(group, rows, x, width) {
  const visible = [];
  const [first, last] = x.domain();
  rows.forEach((row, index) => {
    for (const band of row) {
      if (band.end < first || band.begin > last) continue;
      const left = Math.max(0, x(band.begin));
      const bandWidth = Math.min(width, x(band.end)) - left;
      if (bandWidth < NARROWEST_BAND) continue;
      visible.push({band, left, width: bandWidth, top: index * (BAND_HEIGHT + BAND_GAP)});
    }
  });
  const groups = group.selectAll('g.band').data(visible);
  groups.exit().remove();
  const entered = groups.enter().append('g');
  entered.append('rect').attr('height', BAND_HEIGHT).attr('rx', 2);
  entered.append('text').attr('x', 5).attr('y', BAND_HEIGHT / 2).attr('dy', '0.35em');
  entered.append('title');
  const all = entered.merge(groups)
    .attr('class', ({band}) => `band ${band.tint}`)
    .attr('transform', ({left, top}) => `translate(${left},${top})`);
  all.select('rect').attr('width', (item) => Math.max(1, item.width - 1));
  all.select('text').text(({band, width: bandWidth}) => bandText(band, bandWidth));
  all.select('title').text(({band}) => `${band.label}, ${duration(band.end - band.begin)}`);
}
