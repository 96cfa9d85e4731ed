// SPDX-License-Identifier: Apache-2.0
// The page's head: the run's identity, warnings, and its main figures.

function fillHeader(run) {
  const {name, directory, device, first_step: first, last_step: last, end, events} = run.run;
  document.title = `${name || 'run'} · Strata`;
  d3.select('#run-name').text(name || '(unnamed run)');
  d3.select('#run-directory').text(directory);
  const chips = [{text: device}, {text: `steps ${first} to ${last}`}, {text: `${withThousands(events)} events`},
    end === 'open' ? {text: 'going on'} : {text: end === 'unknown' ? 'end unknown' : end, class: end === 'done' ? 'good' : 'alarming'},
    ...run.checks.map(([label, good, all, holds]) =>
      ({text: `${label}: ${withThousands(good)} of ${withThousands(all)}`, class: holds ? 'good' : 'alarming'}))];
  d3.select('#run-facts').selectAll('li').data(chips).enter().append('li')
    .attr('class', (chip) => chip.class || null).text((chip) => chip.text);
}

// Notes first, then warnings.
function noticesOf(run) {
  const detail = run.run.detail ? [{text: `Recorded: ${run.run.detail}.`, calm: true}] : [];
  const dry = run.run.dry === null ? [] : [{text: `Dry run. ${run.run.dry}.`, calm: true}];
  const snapshot = !run.run.snapshot ? [] : [{text: `From ${run.run.snapshot}.`, calm: true}];
  const plugins = run.plugins.filter(({status}) => status !== 'ok')
    .map(({id, status, reason}) => ({text: `Plugin ${id} is ${status}: ${reason || 'no reason given'}`}));
  const warnings = run.warnings.slice(0, 3).map((text) => ({text}));
  const more = run.warnings.length > 3 ? [{text: `${withThousands(run.warnings.length - 3)} more warnings below`}] : [];
  const isTraced = run.plugins.some(({id, status}) => id === 'allocator_tracer' && status === 'ok');
  const why = isTraced ? 'None was made, or what was is lost, as the warnings say.' : 'It needs the plugin allocator_tracer and a source of memory events.';
  const empty = run.isEmpty ? [{text: `No allocation was recorded: the memory of this run is not known. ${why}`}] : [];
  return [...snapshot, ...dry, ...detail, ...plugins, ...warnings, ...more, ...empty];
}

function fillNotices(run) {
  const notices = noticesOf(run);
  const items = d3.select('#notices').attr('hidden', notices.length > 0 ? null : '')
    .selectAll('div').data(notices).enter().append('div').attr('class', ({calm}) => (calm ? 'notice calm' : 'notice'));
  items.append('p').text(({text}) => text);
}

// The peaks of reserved and allocated memory may be at different moments.
function reservedNote(peak, decimals) {
  const {allocated_bytes: allocated, reserved_bytes: reserved, most_reserved_bytes: most} = peak;
  const at = most === reserved ? '' : `at the peak ${mebibytes(reserved, decimals)} MiB, `;
  if (reserved === allocated) return `${at}as allocated`;
  return `${at}${percentage(reserved - allocated, reserved)} of it not in use`;
}

function fillTiles(run) {
  const {peak, categories, decimals} = run;
  const {steps, complete_steps: completeSteps, median_step_ns: medianStepNs, tokens_per_second: tokensPerSecond, unit} = run.run;
  const largest = d3.scan(categories, (a, b) => b.peak - a.peak);
  const unknown = categories[categories.length - 1];
  const isWithoutSteps = run.run.snapshot && steps === 0;
  const where = isWithoutSteps ? '' : peak.step < 0 ? 'outside of steps' : `step ${peak.step}`;
  const outside = peak.outside_bytes === null ? '' : `, ${mebibytes(peak.outside_bytes, decimals)} MiB of the device outside of it`;
  const tiles = [
    {label: 'Peak allocated', value: mebibytes(peak.allocated_bytes, decimals), unit: 'MiB',
      note: [where, peak.phase, peak.outside_window].filter(Boolean).join(', ')},
    {label: 'Peak reserved', value: mebibytes(peak.most_reserved_bytes, decimals), unit: 'MiB',
      note: reservedNote(peak, decimals) + outside},
    {label: 'Most of the peak', value: run.run.has_categories === false ? '–' : percentage(categories[largest].peak, peak.allocated_bytes), unit: '',
      note: run.isEmpty ? '' : `${categories[largest].name}, ${mebibytes(categories[largest].peak, decimals)} MiB`},
    {label: 'Unknown at the peak', value: run.run.has_categories === false ? '–' : mebibytes(unknown.peak, decimals), unit: 'MiB',
      note: `${percentage(unknown.peak, peak.allocated_bytes)}, at most ${mebibytes(unknown.max, decimals)} MiB`},
    {label: 'Median step', value: medianStepNs === null || run.run.paced_by_host ? '–' : duration(medianStepNs), unit: '',
      note: `${run.run.dry === null ? '' : 'modelled, '}${withThousands(completeSteps)} of ${withThousands(steps)} steps in the window`},
    {label: `${capitalized(unit)} a second`, value: tokensPerSecond === null || run.run.dry !== null ? '–' : withThousands(tokensPerSecond), unit: '', note: 'over the window'},
  ];
  const told = tiles.filter(({value}) => value !== '–' || (run.isEmpty && run.run.dry === null));
  const items = d3.select('#tiles').classed('many', told.length > 4).selectAll('div').data(told).enter().append('div').attr('class', 'tile');
  items.append('p').attr('class', 'tile-label').text((tile) => tile.label);
  const values = items.append('p').attr('class', 'tile-value');
  values.append('span').text((tile) => tile.value);
  values.append('span').attr('class', 'tile-unit').text((tile) => tile.unit);
  items.append('p').attr('class', 'tile-note').text((tile) => tile.note);
}

function fillSummary(run) {
  fillHeader(run);
  fillNotices(run);
  fillFailures(run);
  fillTiles(run);
}
