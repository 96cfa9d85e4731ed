// The tables. Every name goes in as text, never as markup.

function fillTable(table, headings, rows) {
  table.append('thead').append('tr').selectAll('th').data(headings).enter().append('th')
    .attr('scope', 'col').attr('class', (heading) => heading.kind || null).text((heading) => heading.text);
  const cells = table.append('tbody').selectAll('tr').data(rows).enter().append('tr')
    .attr('class', (row) => row.class || null)
    .selectAll('td').data((row) => row.cells.map((cell, i) => ({heading: headings[i], cell}))).enter();
  cells.append('td').each(function fill({heading, cell}) {
    const element = d3.select(this).attr('class', heading.kind || null);
    const {text, title, swatch} = typeof cell === 'object' ? cell : {text: cell};
    if (swatch) element.append('span').attr('class', `swatch ${swatch}`);
    element.append('span').text(text);
    if (title) element.attr('title', title);
  });
}

function amount(run, bytes) { return {text: mebibytes(bytes, run.decimals), title: exactBytes(bytes)}; }

function fillCategories(run) {
  const statistics = ['mean_over_events', 'mean_over_time', 'min', 'median', 'max'];
  const headings = [{text: 'Category'}, ...['Event mean', 'Time mean', 'Min', 'Median', 'Max', 'At the peak', 'Share']
    .map((text) => ({text, kind: 'number'}))];
  const rows = [...run.categories, {...run.total, slug: 'total'}].map((category) => ({
    class: category.slug === 'total' ? 'total' : null,
    cells: [{text: category.name, swatch: category.slug}, ...statistics.map((key) => amount(run, category[key])),
      amount(run, category.peak), percentage(category.peak, run.peak.allocated_bytes)],
  }));
  fillTable(d3.select('#categories'), headings, rows);
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

// A column that is empty in every row is left out: not every run has owners or layers.
function fillBlocks(run) {
  const columns = [
    {text: 'MiB', kind: 'number', cell: (block) => amount(run, block.bytes)},
    {text: 'What', cell: ({category, kind, reason}) => ({
      text: `${run.categories[category].name}/${kind}`, title: reason, swatch: run.categories[category].slug})},
    {text: 'Owner', kind: 'name', cell: ({name}) => ({text: name, title: name})},
    {text: 'Op', kind: 'name', cell: ({op}) => ({text: op, title: op})},
    {text: 'Layer', kind: 'name', cell: ({layer}) => ({text: layer, title: layer})},
    {text: 'Kept for', kind: 'name', cell: ({saver}) => ({text: saver, title: saver})},
    {text: 'Born in', kind: 'name', cell: ({step, phase}) => ({
      text: [step < 0 ? '' : `step ${step}`, phase].filter(Boolean).join(', ')})},
    {text: 'Lived', kind: 'number', cell: ({birth_ns: birth, death_ns: death}) => ({
      text: death === null ? 'to the end' : duration(death - birth)})},
  ];
  const blocks = run.peak.largest_blocks;
  const filled = columns.filter(({cell}) => blocks.some((block) => cell(block).text !== ''));
  fillTable(d3.select('#blocks'), filled, blocks.map((block) => ({cells: filled.map(({cell}) => cell(block))})));
}

function fillSteps(run) {
  const headings = [{text: 'Step', kind: 'number'}, {text: 'Schedule'}, ...['Time', 'Loss', `${capitalized(run.run.unit)}/s`, 'Allocated MiB', 'Reserved MiB']
    .map((text) => ({text, kind: 'number'}))];
  const rows = run.steps.map((step) => ({
    class: step.index === run.peak.step ? 'peak-step' : null,
    cells: [`${step.index}`, SCHEDULES[step.schedule] || '', step.complete ? duration(step.end - step.begin) : 'cut short',
      step.loss === null ? '–' : step.loss.toFixed(4),
      step.complete && step.tokens > 0 && step.end > step.begin ? withThousands(step.tokens / (step.end - step.begin) * 1e9) : '–',
      amount(run, step.allocated), amount(run, step.reserved)],
  }));
  fillTable(d3.select('#steps'), headings, rows);
  if (run.left_out.steps > 0) d3.select('#steps-left-out').text(`around the peak; ${withThousands(run.left_out.steps)} more in the run store`);
}

function fillPlugins(run) {
  fillTable(d3.select('#plugins'), [{text: 'Plugin', kind: 'name'}, {text: 'Status'}, {text: 'Reason', kind: 'wrapped'}],
    run.plugins.map(({id, status, reason}) => ({class: status === 'ok' ? null : 'alarming', cells: [id, status, reason]})));
  d3.select('#warnings').selectAll('li').data(run.warnings).enter().append('li').text((warning) => warning);
  if (run.left_out.warnings > 0) d3.select('#warnings').append('li').text(`${withThousands(run.left_out.warnings)} more in the run store`);
}

function fillTables(run) {
  fillCategories(run);
  fillShares(run, '#by-kind', run.peak.by_kind);
  fillShares(run, '#by-layer', run.peak.by_layer);
  fillShares(run, '#by-op', run.peak.by_op);
  fillBlocks(run);
  fillSteps(run);
  fillPlugins(run);
}
