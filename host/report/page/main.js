// SPDX-License-Identifier: Apache-2.0
// Builds the page: the summary and the tables first, then the timeline, once its columns are unpacked.

const run = readRun(document.getElementById('facts').textContent);
let chart = null;  // once its columns are read
let lanes = null;

async function readEvents() {
  const packed = document.getElementById('events').textContent;
  const sections = await readSections(packed, run.events.sections);
  return {events: new Events(run.events, sections), sections};
}

function startTimeline({events, sections}) {
  const container = document.getElementById('chart');
  chart = new Chart(container, run, events);
  const cursor = new Cursor(chart, new Moment(run, events), new Tooltip(container), d3.select('#spoken'));
  const panel = new DetailsPanel();
  const pinned = new Pinned(chart, cursor, panel);
  new Pointer(chart, cursor, (what) => pinned.pick(what));
  new Search(chart);
  new DetailSlider(chart);
  chart.shapeLabels = new ShapeLabels(chart, cursor, pinned);
  connectControls(chart, cursor, pinned);
  fillShapes(run, chart.shapeLabels);
  fillLegend(chart);
  new Overview(document.getElementById('overview'), chart);
  lanes = startLanes(chart, run, sections, panel);
  if (run.run.paced_by_host) document.getElementById('show-events').click();
  const opening = openingInterval(run);
  if (opening) chart.view.showInterval(opening, 0.04);
  chart.drawNow();
  performance.mark('timeline-drawn');
  new LargestTable(chart, (id) => pinned.pin(id));
  d3.select('#resolution').text(describeResolution(events));
  return 'drawn';
}

// The step of the peak. The last step ends where memory ran out: after that the program only shuts down.
function openingInterval({steps, peakStep, ran_out: ranOut}) {
  const [last] = steps.slice(-1);
  if (!ranOut || peakStep !== (last || null)) return peakStep;
  return {...(last || {begin: 0, beginState: 0}), ...ranOut};
}

function describeResolution({directory}) {
  const {phases} = run.left_out;
  const more = phases > 0 ? ` The phases around the peak are in the page, ${withThousands(phases)} more in the run store.` : '';
  if (directory.recorded === directory.count) return `Every event is in the page.${more}`;
  return `Of ${withThousands(directory.recorded)} events the ${withThousands(directory.exact_end - directory.exact_begin)} around the peak are in the page one by one; `
    + `elsewhere it holds the largest moment of each of many columns, and joins what was alive there alone.${more}`;
}

// Unpacking runs in the background; meanwhile fill the tables except the long one.
const events = readEvents();
fillSummary(run);
fillTables(run);
fillTrace(run);
const contents = new Contents(document.getElementById('contents'));
events.then(startTimeline).catch((error) => {
  d3.select('#chart').append('p').attr('class', 'notice')
    .text(`The timeline cannot be drawn: ${error.message}. The tables below are complete; \`strata report\` writes the page anew, and a browser of 2023 or later draws it.`);
  return 'failed';
}).then((outcome) => {
  fillSteps(run);
  document.body.dataset.ready = outcome;
});
