// SPDX-License-Identifier: Apache-2.0
// The rows above the memory: the active window, steps, micro-batches, phases with nested phases below them, and on
// demand the running modules.

const DEEPEST_PHASE = 2;
const MOST_LAYER_EVENTS = 60000;  // largest number of events in a view whose modules are searched
// STRATA_PHASE_* in order: the tint of each kind.
const PHASE_TINTS = ['other', 'other', 'data', 'data', 'forward', 'loss', 'backward', 'sync', 'optimizer', 'optimizer',
  'zero', 'other', 'other'];

const intervalOf = ({begin, end, beginState, endState}) => ({begin, end, beginState, endState});

// Each row is {name, intervals: [{begin, end, beginState, endState, label, short, tint}...] by begin}.
function rowsOf(run) {
  const deepest = Math.min(DEEPEST_PHASE, d3.max(run.phases, (phase) => phase.depth) || 0);
  const rows = [];
  if (run.window) {
    const {first_step: first, last_step: last} = run.run;
    rows.push({name: 'window', intervals: [{...run.window, label: `window: steps ${first} to ${last}`, short: 'window', tint: 'window'}]});
  }
  rows.push({name: 'steps', intervals: run.steps.map((step) => ({
    ...intervalOf(step), label: `step ${step.index}${step.complete ? '' : ', cut short'}`, short: `${step.index}`,
    tint: step.index % 2 === 0 ? 'step-even' : 'step-odd',
  }))});
  rows.push({name: 'micro-batches', intervals: microBatches(run.phases)});
  for (let depth = 0; depth <= deepest; ++depth) {
    rows.push({name: 'phases', intervals: run.phases.filter((phase) => Math.min(phase.depth, deepest) === depth).map((phase) => ({
      ...intervalOf(phase), label: phase.name, short: '', tint: PHASE_TINTS[phase.kind] || 'other',
    }))});
  }
  return rows.filter((row) => row.intervals.length > 0);
}

// From the first phase of each micro-batch to its last; none in a run with one micro-batch per step.
function microBatches(phases) {
  const accumulating = new Set(phases.filter((phase) => phase.microBatch > 0).map((phase) => phase.step));
  const batches = [];
  for (const phase of phases) {
    // Forward, loss and backward: phases before and after belong to the whole step.
    if (!accumulating.has(phase.step) || phase.depth > 0 || !['forward', 'loss', 'backward'].includes(PHASE_TINTS[phase.kind])) continue;
    const last = batches[batches.length - 1];
    if (last && last.step === phase.step && last.number === phase.microBatch) {
      [last.end, last.endState] = [phase.end, phase.endState];
    } else {
      batches.push({...intervalOf(phase), step: phase.step, number: phase.microBatch,
        label: `micro-batch ${phase.microBatch}`, short: `${phase.microBatch}`, tint: phase.microBatch % 2 === 0 ? 'step-even' : 'step-odd'});
    }
  }
  return batches;
}

// The running modules in the visible interval, as its allocations record them; null if there are too many events.
function layerRow(view, events, modules) {
  const [first, last] = [view.stateAt(view.begin), view.stateAt(view.end)];
  if (last - first > MOST_LAYER_EVENTS) return null;
  const intervals = [];
  for (let i = Math.max(first - 1, 0); i < last; ++i) {
    const id = events.change[i];
    if (id < 0) continue;
    const site = events.site[id];
    const label = events.sites[site].layer ? modules.names[modules.of[site]] : '';
    const open = intervals[intervals.length - 1];
    if (open && open.label === label) continue;
    if (open) [open.end, open.endState] = [events.ns[i], i];
    const number = (label.match(/\d+$/) || [''])[0];
    intervals.push({begin: events.ns[i], beginState: i, end: view.durationNs, endState: events.count, label, short: number,
      tint: Number(number || intervals.length) % 2 === 0 ? 'step-even' : 'step-odd'});
  }
  return {name: 'layers', intervals: intervals.filter(({label}) => label)};
}
