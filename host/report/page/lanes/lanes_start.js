// SPDX-License-Identifier: Apache-2.0
// Controls around the lanes: the legend, notes on what the lanes leave out, the button that shows everything, and links
// from tables to spans.

function fillLanesLegend() {
  const legend = d3.select('#lanes-legend');
  legend.append('span').text('Coloured by the phase that it was in or asked for in:');
  const items = legend.selectAll('span.lane-colour').data(LANE_LEGEND).enter().append('span').attr('class', 'lane-colour');
  items.append('span').attr('class', ([tint]) => `swatch lane-${tint}`);
  items.append('span').text(([, text]) => text);
}

function fillTrace(run) {
  const {notes, trace_command: command} = run.lanes;
  d3.select('#lanes-notes').selectAll('li').data(notes).enter().append('li').text((note) => note);
  d3.select('#trace-command').text(command);
  const button = d3.select('#copy-trace-command');
  button.on('click', async () => {
    button.text(await copyText(command) ? 'Copied' : 'Could not copy');
    setTimeout(() => button.text('Copy'), 1500);
  });
}

// Shows the longest span of that name; returns whether there is one.
let showLongestNamed = () => false;

function startLanes(chart, run, sections, panel) {
  fillLanesLegend();
  const lanes = new Lanes(document.getElementById('lanes'), chart, run, sections);
  const pinned = new LanePinned(lanes, panel);
  new LanePointer(lanes, pinned);
  new LaneKeys(lanes, pinned);
  new LaneSearch(lanes);
  showLongestNamed = (name) => {
    const id = lanes.spans.longestNamed(name);
    if (id < 0) return false;
    pinned.pin(id);
    lanes.show(id);
    document.getElementById('chart').scrollIntoView({block: 'start'});
    lanes.canvas.focus({preventScroll: true});
    return true;
  };
  return lanes;
}
