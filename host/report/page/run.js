// SPDX-License-Identifier: Apache-2.0
// The run's data as written into the page (docs/report.md), except allocations and frees (timeline/events.js).

const SCHEDULES = ['wait', 'warm-up', 'active'];

function readRun(text) {
  const data = JSON.parse(text);
  const run = {
    ...data,
    steps: data.steps.map(([index, schedule, begin, end, loss, tokens, allocated, reserved, complete, beginState, endState]) =>
      ({index, schedule, begin, end, loss, tokens, allocated, reserved, complete, beginState, endState})),
    phases: data.phases.list.map(([name, kind, step, microBatch, depth, begin, end, beginState, endState]) =>
      ({name: data.phases.names[name], kind, step, microBatch, depth, begin, end, beginState, endState})),
    durationNs: data.run.duration_ns,
    // One decimal, as in published tables; three if the whole run is small.
    decimals: data.total.max < 100 * MIB ? 3 : 1,
    isEmpty: data.run.events === 0,
  };
  run.categories.forEach((category) => { category.slug = category.name.toLowerCase().replace('_', '-'); });
  const {window_begin_ns: begin, window_end_ns: end, window_begin_state: beginState, window_end_state: endState} = data.run;
  run.window = data.run.steps > 0 && begin < end ? {begin, end, beginState, endState} : null;
  run.peakStep = run.steps.find((step) => step.index === run.peak.step) || null;
  return run;
}

// The interval of `list` (sorted by begin, not overlapping) that contains the moment, or undefined.
function at(list, ns) {
  const found = list[d3.bisector((entry) => entry.begin).right(list, ns) - 1];
  return found && ns < found.end ? found : undefined;
}
