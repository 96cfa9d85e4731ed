// SPDX-License-Identifier: Apache-2.0
// Tables of operators, scopes, totals, causes of warm-up and problems of the recording.

const inBytes = (text) => ({text, kind: 'number', csv: `${text} (bytes)`});
const inNanoseconds = (text) => ({text, kind: 'number', csv: `${text} (ns)`});
const countOf = (count) => (count === null || count === undefined ? {text: '–', value: null} : {text: withThousands(count), value: count});
const timeOf = (ns) => (ns === null || ns === undefined ? {text: '–', value: null} : {text: duration(ns), value: ns});
const named = (name) => ({text: name || '(none)', title: name});

function fillOps(run) {
  const isTimed = !run.run.paced_by_host && run.ops.some((op) => op.length > 3);
  const hasDevice = isTimed && run.ops.some((op) => op[6] > 0);
  const headings = [{text: 'Operator', kind: 'name'}, inBytes('At the peak MiB'), {text: 'Share', kind: 'number'}, {text: 'Blocks', kind: 'number'}];
  if (isTimed) headings.push({text: 'Calls', kind: 'number'}, inNanoseconds('Self'), inNanoseconds('Total'));
  if (hasDevice) headings.push(inNanoseconds('Device'));
  const rows = run.ops.map(([name, bytes, blocks, calls, selfNs, totalNs, deviceNs]) => {
    const cells = [calls > 0 ? leading(name) : named(name), amount(run, bytes), percentage(bytes, run.peak.allocated_bytes), countOf(blocks)];
    if (isTimed) cells.push(countOf(calls), timeOf(selfNs), timeOf(totalNs));
    if (hasDevice) cells.push(timeOf(deviceNs));
    return {cells};
  });
  fillTable(d3.select('#ops'), headings, rows);
  const untimed = run.run.paced_by_host ? '' : 'with the plugin cupti_timeline, their times too';
  d3.select('#ops-time').text(isTimed ? 'by memory and by time; times are sums over the steps of the window' : untimed);
}

function fillScopes(run) {
  const titles = ['Device used', 'Reserved', 'Allocated', 'Requested', 'Process RSS'];
  const {list, left_out: leftOut, reconciled} = run.scopes;
  const known = (row, i) => row[i + 1] !== null;
  const measures = titles.map((text, i) => ({text, i})).filter(({i}) => list.some((row) => known(row, i)));
  const cell = (bytes) => (bytes === null ? {text: '–', value: null} : amount(run, bytes));
  fillTable(d3.select('#scopes'), [{text: 'Peak of', kind: 'name'}, ...measures.map(({text}) => inBytes(text))],
    list.map((row) => ({cells: [row[0], ...measures.map(({i}) => cell(row[i + 1]))]})));
  d3.select('#scopes-left-out').text(leftOut > 0 ? `${withThousands(leftOut)} more steps: strata report --scopes` : '');
  fillTable(d3.select('#reconciled'), [{text: "At the run's peak", kind: 'name'}, inBytes('MiB'), {text: 'Part of'}],
    reconciled.map(([name, bytes, of]) => ({cells: [name, bytes < 0 ? {text: `-${mebibytes(-bytes, run.decimals)}`, value: bytes} : amount(run, bytes), of]})));
}

function fillWarmUp(run) {
  const {sentence, is_recorded: isRecorded, causes} = run.warm_up;
  d3.select('#warm-up-card').attr('hidden', !run.run.paced_by_host && (sentence || causes.length > 0) ? null : '');
  d3.select('#warm-up-sentence').text(sentence ? capitalized(`${sentence}.`) : '');
  d3.select('#warm-up-scroll').attr('hidden', causes.length > 0 ? null : '');
  d3.select('#warm-up-none').text(causes.length > 0 ? '' : isRecorded ? 'No step was slower than steady ones.' : 'With the plugin warmup_analyzer, what the slow steps spent their time on.');
  if (causes.length === 0) return;
  const certainty = {timed: 'timed', difference: 'a difference', estimated: 'estimated', at_most: 'at most'};
  fillTable(d3.select('#warm-up'), [{text: 'When'}, {text: 'Cause', kind: 'name'}, inNanoseconds('Time'), {text: 'How sure'},
    {text: 'Count', kind: 'number'}, {text: 'What was seen', kind: 'wrapped'}],
  causes.map(([where, title, sure, ns, count, proof]) => ({cells: [where, named(title), timeOf(ns), certainty[sure] || '', countOf(count), proof]})));
}

function fillFaults(run) {
  d3.select('#faults-none').text(run.faults.length === 0 ? 'No fault, and nothing was dropped.' : '');
  d3.select('#faults-scroll').attr('hidden', run.faults.length > 0 ? null : '');
  if (run.faults.length === 0) return;
  fillTable(d3.select('#faults'), [{text: 'Who', kind: 'name'}, {text: 'Fault or loss', kind: 'wrapped'}, {text: 'Count', kind: 'number'}],
    run.faults.map(([who, what, count]) => ({class: 'alarming', cells: [named(who), what, countOf(count)]})));
}

function fillMoreTables(run) {
  fillOps(run);
  fillTimes(run);
  fillScopes(run);
  fillWarmUp(run);
  fillFaults(run);
}
