// SPDX-License-Identifier: Apache-2.0
// Where the time of the window's steps went: phases, modules, kernels and copies, devices, matrix products. Operators
// are listed with their memory.

// A name that links to the longest of its spans in the timeline, if there is one.
const leading = (name, text = name) => ({text, title: name, pick: () => showLongestNamed(name)});

function fillPhaseTimes({phases, window_ns: whole}, hasDevice) {
  const headings = [{text: 'Phase', kind: 'name'}, {text: 'Times', kind: 'number'}, inNanoseconds('Time'), {text: 'Share', kind: 'number'},
    inNanoseconds('In operators'), inNanoseconds('Operators themselves')];
  if (hasDevice) headings.push(inNanoseconds('Device'), inNanoseconds('Device idle'));
  fillTable(d3.select('#time-phases'), headings, phases.map(([path, count, wall, inOperators, operators, device, idle]) => {
    const cells = [leading(path.split('/').pop(), path), countOf(count), timeOf(wall), percentage(wall, whole), timeOf(inOperators), timeOf(operators)];
    return {cells: hasDevice ? [...cells, timeOf(device), timeOf(idle)] : cells};
  }));
}

function fillModuleTimes({layers}, hasDevice) {
  const headings = [{text: 'Module', kind: 'name'}, ...['Forward', 'Backward', 'Itself'].map(inNanoseconds), {text: 'Operators', kind: 'number'}];
  if (hasDevice) headings.push(inNanoseconds('Device'));
  fillTable(d3.select('#time-modules'), headings, layers.map(([path, forward, backward, device, self, operators]) => {
    const cells = [leading(path), timeOf(forward), timeOf(backward), timeOf(self), countOf(operators)];
    return {cells: hasDevice ? [...cells, timeOf(device)] : cells};
  }));
}

function fillKernelTimes({kernels}) {
  const all = d3.sum(kernels, (kernel) => kernel[3]);
  d3.select('#time-kernels-part').attr('hidden', kernels.length > 0 ? null : '');
  if (kernels.length === 0) return;
  fillTable(d3.select('#time-kernels'), [{text: 'Kernel or copy', kind: 'name'}, {text: 'Kind'}, {text: 'Count', kind: 'number'}, inNanoseconds('Time'),
    {text: 'Share', kind: 'number'}, inNanoseconds('Mean'), inNanoseconds('Longest'), {text: 'Most by', kind: 'name'}],
  kernels.map(([name, kind, count, total, longest, , op, fullName]) => ({cells: [{...leading(name), title: fullName || name}, kind, countOf(count), timeOf(total),
    percentage(total, all), timeOf(total / count), timeOf(longest), {text: op, title: op}]})));
}

function fillDeviceTimes({devices}) {
  d3.select('#time-devices-part').attr('hidden', devices.length > 0 ? null : '');
  if (devices.length === 0) return;
  fillTable(d3.select('#time-devices'), [{text: 'Device'}, {text: 'What it did, and why it did nothing', kind: 'wrapped'}, inNanoseconds('Time'),
    {text: 'Share', kind: 'number'}, {text: 'Part of'}],
  devices.flatMap(({device, modelled, window_ns: whole, rows}) => rows.map(([what, ns, of]) => ({
    cells: [`${device}${modelled ? ', modelled' : ''}`, what, timeOf(ns), percentage(ns, whole), of]}))));
}

function fillCallTimes({calls}) {
  d3.select('#time-calls-part').attr('hidden', calls.length > 0 ? null : '');
  if (calls.length === 0) return;
  fillTable(d3.select('#time-calls'), [{text: 'Call of CUDA', kind: 'name'}, {text: 'Count', kind: 'number'}, inNanoseconds('Time')],
    calls.map(([name, count, total]) => ({cells: [named(name), countOf(count), timeOf(total)]})));
}

function fillProductTimes({products}) {
  d3.select('#time-products-part').attr('hidden', products.length > 0 ? null : '');
  if (products.length === 0) return;
  fillTable(d3.select('#time-products'), [{text: 'Matrix products', kind: 'name'}, {text: 'm x n x k'}, {text: 'Count', kind: 'number'}, inNanoseconds('Time'),
    {text: 'GFLOP', kind: 'number'}, {text: 'FLOP/byte', kind: 'number'}, {text: 'GFLOP/s', kind: 'number'}],
  products.map(([name, shape, count, ns, flop, intensity, rate]) => {
    const number = (value, decimals) => (value === null ? {text: '–', value: null} : {text: withThousands(value, decimals), value});
    return {cells: [leading(name), shape, countOf(count), ns > 0 ? timeOf(ns) : timeOf(null), number(flop / 1e9, 2), number(intensity, 1),
      number(rate === null ? null : rate / 1e9, 1)]};
  }));
}

function fillTimes(run) {
  const {time} = run;
  // In a dry run the times would be those of the host, not of a GPU.
  const isReported = time && !run.run.paced_by_host;
  d3.select('#time-card').attr('hidden', isReported ? null : '');
  if (!isReported) return;
  const {first_step: first, last_step: last, left_out: leftOut, without_warm_up: steady} = time;
  d3.select('#time-when').text(`steps ${first} to ${last}, ${duration(time.window_ns / time.steps)} a step${steady ? `, ${steady}` : ''}; times are sums over them`);
  const hasDevice = time.devices.length > 0;
  fillPhaseTimes(time, hasDevice);
  fillModuleTimes(time, hasDevice);
  fillKernelTimes(time);
  fillDeviceTimes(time);
  fillCallTimes(time);
  fillProductTimes(time);
  const more = d3.sum(Object.values(leftOut));
  d3.select('#time-left-out').text(more > 0 ? `${withThousands(more)} more rows: strata report with --time --top 0` : '');
}
