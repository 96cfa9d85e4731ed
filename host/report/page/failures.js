// SPDX-License-Identifier: Apache-2.0
// Out-of-memory failures: the requested size, what filled the device, what the recording shows of it, and the command
// for advice.

// The device's memory at the failure, the largest part first, as [label, bytes, swatch]. The known parts add up to the
// capacity.
function filledRows(run, failure) {
  const {categories, allocated_bytes: allocated, reserved_bytes: reserved, device_free_bytes: free} = failure;
  const rows = categories.map((bytes, i) => ({text: run.categories[i].name, swatch: run.categories[i].slug, bytes}))
    .filter(({bytes}) => bytes > 0).sort((a, b) => b.bytes - a.bytes);
  if (reserved > allocated) rows.push({text: 'Reserved, not in use', bytes: reserved - allocated});
  const capacity = run.run.capacity_bytes;
  if (free === null) return {rows, capacity};
  if (capacity !== null && capacity > reserved + free) rows.push({text: 'Outside the allocator', bytes: capacity - reserved - free});
  rows.push({text: 'Free', bytes: free});
  return {rows, capacity};
}

function fillFilled(run, table, failure) {
  const {rows, capacity} = filledRows(run, failure);
  const whole = capacity === null ? d3.sum(rows, ({bytes}) => bytes) : capacity;
  const row = ({text, swatch, bytes, kind}) => ({class: kind, cells: [{text, swatch}, amount(run, bytes), percentage(bytes, whole)]});
  fillTable(table, [{text: 'What'}, inBytes('MiB'), {text: 'Share', kind: 'number'}],
    [...rows, {text: capacity === null ? 'Together' : 'The device', bytes: whole, kind: 'held'}, {text: 'Asked for', bytes: failure.requested_bytes, kind: 'asked'}].map(row));
}

function fillFindings(run, table, findings) {
  fillTable(table, [inBytes('MiB'), {text: 'What', kind: 'wrapped'}], findings.map(({bytes, text}) => ({class: null, cells: [amount(run, bytes), text]})));
}

function fillFailures(run) {
  const {failures} = run;
  const cards = d3.select('#ran-outs').attr('hidden', failures.length > 0 ? null : '')
    .selectAll('div').data(failures).enter().append('div').attr('class', 'card ran-out');
  cards.append('h2').text('Out of memory');
  cards.append('p').text(({asked}) => `${capitalized(asked)}.`);
  const parts = cards.append('div').attr('class', 'ran-out-parts');
  const filled = parts.append('div');
  filled.append('h3').text('What filled the device');
  filled.append('div').attr('class', 'scroll').append('table').attr('id', (_, i) => `filled-${i + 1}`)
    .each(function fill(failure) { fillFilled(run, d3.select(this), failure); });
  const found = parts.filter(({findings}) => findings.length > 0).append('div');
  found.append('h3').text('What the recording shows');
  found.append('div').attr('class', 'scroll').append('table').attr('id', (_, i) => `findings-${i + 1}`)
    .each(function fill({findings}) { fillFindings(run, d3.select(this), findings); });
  cards.filter(({note}) => note).append('p').attr('class', 'hint').text(({note}) => `${capitalized(note)}.`);
  const advice = cards.append('p').attr('class', 'advice').text(({advise_label: label}) => `${label} `);
  advice.append('code').text(({advise}) => advise);
}
