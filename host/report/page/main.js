// Puts the page together: the timeline with its strip, cursor, legend, buttons and keys, and the tables.

const run = readRun(document.getElementById('facts').textContent);

function startTimeline() {
  const container = document.getElementById('chart');
  const spoken = d3.select('#spoken');
  const readout = new Readout(container, run);
  const chart = new Chart(container, run);
  const overview = new Overview(document.getElementById('overview'), run, ([begin, end]) => chart.show(begin, end));
  let cursorNs = null;

  chart.onView = (view) => {
    hideCursor();
    overview.mark(view);
  };
  overview.mark(chart.view());

  function hideCursor() {
    cursorNs = null;
    readout.hide();
    chart.moveCursor(null);
  }

  function placeCursor(column, y) {
    const moment = chart.stateAt(column);
    cursorNs = moment.ns;
    chart.moveCursor(moment.column);
    readout.show(moment, y === null ? -1 : chart.categoryAt(moment.state, y - chart.plotTop),
      CHART_MARGIN.left + moment.column, chart.plotTop + PLOT_HEIGHT - 10, container.clientWidth);
    return moment;
  }

  // A cursor by keys speaks; one by the pointer would not stop speaking.
  function stepCursor(columns) {
    const [begin, end] = chart.view();
    const from = cursorNs === null ? (begin + end) / 2 : cursorNs;
    spoken.text(readout.sentence(placeCursor(Math.round(chart.x(from)) + columns, null)));
  }

  const around = ({begin, end}, margin) => chart.show(begin - (end - begin) * margin, end + (end - begin) * margin);
  const actions = {
    'show-run': () => chart.show(0, run.durationNs),
    'show-window': () => run.window && around(run.window, 0.02),
    'show-step': () => run.peakStep && around(run.peakStep, 0.04),
    'show-peak': goToPeak,
    'zoom-in': () => chart.zoomBy(1.6, cursorNs),
    'zoom-out': () => chart.zoomBy(1 / 1.6, cursorNs),
  };

  function goToPeak() {
    if (run.isEmpty) return;
    const stretch = run.peakStep ? (run.peakStep.end - run.peakStep.begin) / 12 : run.durationNs / 50;
    chart.show(run.peak.ns - stretch / 2, run.peak.ns + stretch / 2);
    const moment = placeCursor(Math.floor(chart.x(run.peak.ns) + 1e-6), null);
    spoken.text(`Peak. ${readout.sentence(moment)}`);
  }

  for (const [id, action] of Object.entries(actions)) d3.select(`#${id}`).on('click', action);
  d3.select('#show-window').attr('disabled', run.window ? null : '');
  d3.select('#show-step').attr('disabled', run.peakStep ? null : '');
  d3.select('#show-peak').attr('disabled', run.isEmpty ? '' : null);

  const keys = {0: 'show-run', w: 'show-window', s: 'show-step', p: 'show-peak', '+': 'zoom-in', '=': 'zoom-in', '-': 'zoom-out'};
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in keys) actions[keys[event.key]]();
    else if (event.key === 'Escape') hideCursor();
    else return;
    event.preventDefault();
  });
  container.addEventListener('keydown', (event) => {
    const direction = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey) chart.panBy(direction * 0.2);
    else stepCursor(direction);
    event.preventDefault();
  });
  container.addEventListener('mousemove', (event) => {
    const {left, top} = container.getBoundingClientRect();
    const column = event.clientX - left - CHART_MARGIN.left;
    if (column < 0 || column >= chart.width || event.buttons) hideCursor();
    else placeCursor(Math.floor(column), event.clientY - top);
  });
  container.addEventListener('mouseleave', hideCursor);
  fillLegend(chart);
  return chart;
}

function fillLegend(chart) {
  const hidden = new Set();
  const buttons = d3.select('#legend').selectAll('button').data(run.categories).enter().append('button')
    .attr('type', 'button').attr('aria-pressed', 'true')
    .on('click', (_, category) => {
      if (!hidden.delete(category)) hidden.add(category);
      buttons.attr('aria-pressed', (__, other) => (hidden.has(other) ? 'false' : 'true'));
      chart.setHidden(hidden);
    });
  buttons.append('span').attr('class', ({slug}) => `swatch ${slug}`);
  buttons.append('span').text(({name}) => name);
}

function describeResolution() {
  const {phases} = run.left_out;
  const more = phases > 0 ? ` The phases around the peak are in the page, ${withThousands(phases)} more in the run store.` : '';
  return describeStates() + more;
}

function describeStates() {
  const {columnNs, exactBeginNs, exactEndNs} = run.timeline;
  if (columnNs === 0) return 'Every event is in the page.';
  const rest = `the rest in columns of ${duration(columnNs)}, each at its largest moment.`;
  return exactEndNs > exactBeginNs ? `The peak's step is in the page event by event, ${rest}` : `The page holds ${rest.slice(9)}`;
}

fillSummary(run);
const chart = startTimeline();
d3.select('#resolution').text(describeResolution());
fillTables(run);
