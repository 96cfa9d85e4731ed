// SPDX-License-Identifier: Apache-2.0
// The tables. Names are inserted as text, never as markup.

function fillTable(table, headings, rows) { return new DataTable(table, headings, rows); }

function amount(run, bytes) { return {text: mebibytes(bytes, run.decimals), title: exactBytes(bytes), value: bytes}; }

function fillCategories(run) {
  const isTimed = !run.run.paced_by_host;
  const statistics = ['mean_over_events', isTimed && 'mean_over_time', 'min', 'median', 'max'].filter(Boolean);
  const headings = [{text: 'Category'}, ...['Event mean', isTimed && 'Time mean', 'Min', 'Median', 'Max', 'At the peak'].filter(Boolean).map(inBytes),
    {text: 'Share', kind: 'number'}];
  const rows = [...run.categories, {...run.total, slug: 'total'}].map((category) => ({
    class: category.slug === 'total' ? 'total' : null,
    cells: [{text: category.name, swatch: category.slug}, ...statistics.map((key) => amount(run, category[key])),
      amount(run, category.peak), percentage(category.peak, run.peak.allocated_bytes)],
  }));
  fillTable(d3.select('#categories'), headings, rows);
  d3.select('#categories-note').text(`Median and event mean are over the allocations and frees of the window${isTimed ? ', the time mean is over its time' : ''}; min and max also count what the window begins with. 1 MiB is 1,048,576 bytes; exact bytes are shown on hover.`);
  d3.select('#categories-window').text(`steps ${run.run.first_step} to ${run.run.last_step}`);
}

function fillShares(run, id, shares) {
  const list = d3.select(id);
  if (shares.length === 0) list.append('li').attr('class', 'quiet').text('Nothing was recorded.');
  const items = list.selectAll('li.share').data(shares).enter().append('li').attr('class', 'share')
    .attr('title', (share) => `${share.label}: ${exactBytes(share.bytes)} in ${withThousands(share.blocks)} blocks`);
  items.append('span').attr('class', 'share-label').text((share) => share.label || '(none)');
  items.append('span').attr('class', 'share-bytes').text((share) => mebibytes(share.bytes, run.decimals));
  items.append('span').attr('class', 'share-percent').text((share) => percentage(share.bytes, run.peak.allocated_bytes));
  items.append('span').attr('class', 'share-bar').append('span')
    .style('width', (share) => `${100 * share.bytes / shares[0].bytes}%`);
}

// With only one there is nothing to distinguish.
function fillPlaces(run) {
  const {list, free_elsewhere: free} = run.peak.places;
  if (list.length < 2) return;
  d3.select('#places-card').attr('hidden', null);
  const known = (bytes) => bytes === null ? {text: 'unknown', value: null} : amount(run, bytes);
  const headings = [{text: 'Stream, pool', kind: 'name'}, ...['Reserved MiB', 'Allocated MiB', 'Free MiB'].map(inBytes),
    {text: 'Blocks', kind: 'number'}];
  fillTable(d3.select('#places'), headings, list.map(({name, reserved, allocated, blocks}) => ({cells: [
    {text: name, title: name}, known(reserved), amount(run, allocated),
    known(reserved === null ? null : Math.max(reserved - allocated, 0)), withThousands(blocks)]})));
  if (free) d3.select('#places-free').text(`${mebibytes(free, run.decimals)} MiB are reserved and free in others than the first: what a stream or a pool has free, no other can use.`);
}

// Columns that are empty in every row are omitted: some runs have no owners or layers.
function fillBlocks(run) {
  const columns = [
    {...inBytes('MiB'), cell: (block) => amount(run, block.bytes)},
    {text: 'What', cell: ({category, kind, reason}) => ({
      text: `${run.categories[category].name}/${kind}`, title: reason, swatch: run.categories[category].slug})},
    {text: 'Owner', kind: 'name', cell: ({name}) => ({text: name, title: name})},
    {text: 'Shape', cell: ({shape, dtype}) => ({text: [shapeText(shape), dtype].filter(Boolean).join(', ')})},
    {text: 'Op', kind: 'name', cell: ({op}) => ({text: op, title: op})},
    {text: 'Layer', kind: 'name', cell: ({layer}) => ({text: layer, title: layer})},
    {text: 'Kept for', kind: 'name', cell: ({saver}) => ({text: saver, title: saver})},
    {text: 'Born in', kind: 'name', cell: ({step, phase}) => ({
      text: [step < 0 ? '' : `step ${step}`, phase].filter(Boolean).join(', ')})},
    ...run.run.paced_by_host ? [] : [{...inNanoseconds('Lived'), cell: ({birth_ns: birth, death_ns: death}) => ({
      text: death === null ? 'to the end' : duration(death - birth), value: death === null ? Infinity : death - birth})}],
  ];
  const blocks = run.peak.largest_blocks;
  const filled = columns.filter(({cell}) => blocks.some((block) => cell(block).text !== ''));
  fillTable(d3.select('#blocks'), filled, blocks.map((block) => ({cells: filled.map(({cell}) => cell(block))})));
}

// With thousands of steps, the slowest table to fill.
function fillSteps(run) {
  const columns = [
    {text: 'Step', kind: 'number', cell: ({index}) => `${index}`},
    {text: 'Schedule', cell: ({schedule, complete}) => `${SCHEDULES[schedule] || ''}${complete || !run.run.paced_by_host ? '' : ', cut short'}`},
    ...run.run.paced_by_host ? [] : [
      {...inNanoseconds('Time'), cell: (step) => (step.complete ? timeOf(step.end - step.begin) : {text: 'cut short', value: null})},
      {text: 'Loss', kind: 'number', cell: ({loss}) => (loss === null ? '–' : loss.toFixed(4))},
      {text: `${capitalized(run.run.unit)}/s`, kind: 'number', cell: (step) => (step.complete && step.tokens > 0 && step.end > step.begin
        ? withThousands(step.tokens / (step.end - step.begin) * 1e9) : '–')}],
    {...inBytes('Allocated MiB'), cell: ({allocated}) => amount(run, allocated)},
    {...inBytes('Reserved MiB'), cell: ({reserved}) => amount(run, reserved)},
  ];
  fillTable(d3.select('#steps'), columns, run.steps.map((step) => ({
    class: step.index === run.peak.step ? 'peak-step' : null, cells: columns.map(({cell}) => cell(step))})));
  if (run.left_out.steps > 0) d3.select('#steps-left-out').text(`around the peak; ${withThousands(run.left_out.steps)} more in the run store`);
}

function fillPlugins(run) {
  fillTable(d3.select('#plugins'), [{text: 'Plugin', kind: 'name'}, {text: 'Status'}, {text: 'Faults', kind: 'number'}, {text: 'Reason', kind: 'wrapped'}],
    run.plugins.map(({id, status, faults, reason}) => ({class: status === 'ok' ? null : 'alarming', cells: [id, status, countOf(faults), reason]})));
  d3.select('#warnings').selectAll('li').data(run.warnings).enter().append('li').text((warning) => warning);
  if (run.left_out.warnings > 0) d3.select('#warnings').append('li').text(`${withThousands(run.left_out.warnings)} more in the run store`);
}

// All tables except the steps.
function fillTables(run) {
  fillLayers(run);
  fillCategories(run);
  fillShares(run, '#by-kind', run.peak.by_kind);
  fillPlaces(run);
  fillBlocks(run);
  fillPlugins(run);
  fillMoreTables(run);
}
