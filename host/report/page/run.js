// The run, as the writer put it into the page (docs/report.md), with its differences summed up again.

const SCHEDULES = ['wait', 'warm-up', 'active'];

// Columns of differences become running sums. Float64: bytes and nanoseconds exceed 32 bits.
function runningSums(differences) {
  const sums = new Float64Array(differences.length);
  let sum = 0;
  for (let i = 0; i < sums.length; ++i) sums[i] = sum += differences[i];
  return sums;
}

function readTimeline(data) {
  const timeline = {
    ns: runningSums(data.ns),
    bytes: data.bytes.map(runningSums),
    columnNs: data.column_ns,
    exactBeginNs: data.exact_begin_ns,
    exactEndNs: data.exact_end_ns,
  };
  timeline.total = new Float64Array(timeline.ns.length);
  for (const bytes of timeline.bytes) bytes.forEach((amount, i) => { timeline.total[i] += amount; });
  return timeline;
}

function readRun(text) {
  const data = JSON.parse(text);
  const run = {
    ...data,
    timeline: readTimeline(data.timeline),
    steps: data.steps.map(([index, schedule, begin, end, loss, tokens, allocated, reserved, complete]) =>
      ({index, schedule, begin, end, loss, tokens, allocated, reserved, complete})),
    phases: data.phases.list.map(([name, kind, step, microBatch, depth, begin, end]) =>
      ({name: data.phases.names[name], kind, step, microBatch, depth, begin, end})),
    durationNs: data.run.duration_ns,
    // One decimal, as published tables have; three where the whole run is small.
    decimals: data.total.max < 100 * MIB ? 3 : 1,
    isEmpty: data.run.events === 0,
  };
  run.categories.forEach((category) => { category.slug = category.name.toLowerCase().replace('_', '-'); });
  const {window_begin_ns: begin, window_end_ns: end} = data.run;
  run.window = data.run.steps > 0 && begin < end ? {begin, end} : null;
  run.peakStep = run.steps.find((step) => step.index === run.peak.step) || null;
  return run;
}

// The one of `list` (by begin, not overlapping) that holds the moment, or undefined.
function at(list, ns) {
  const found = list[d3.bisector((entry) => entry.begin).right(list, ns) - 1];
  return found && ns < found.end ? found : undefined;
}
