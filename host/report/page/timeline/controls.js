// SPDX-License-Identifier: Apache-2.0
// The timeline's buttons and keys: each action is listed once, by name, with its key.

const PEAK_STRETCHES_IN_STEP = 12;  // the view of the peak covers 1/12 of its step

// The reader's actions: {key: {keys, text, button, act}}. A button's id is the name of the action.
function timelineActions(chart, cursor, pinned) {
  const {run, view, vertical} = chart;
  const again = (act) => (isOn) => {
    act(isOn);
    chart.request();
  };
  function goToPeak() {
    if (run.isEmpty) return;
    const {peak, peakStep} = run;
    const position = view.positionOf(peak.ns, Math.max(peak.state - 1, 0));
    const interval = peakStep
      ? (view.positionOf(peakStep.end, peakStep.endState) - view.positionOf(peakStep.begin, peakStep.beginState)) / PEAK_STRETCHES_IN_STEP
      : view.extent() / 50;
    view.show(position - interval / 2, position + interval / 2);
    const moment = cursor.place(Math.floor(view.x(position) + 1e-6), null);
    cursor.say(`Peak. ${cursor.moment.sentence(moment)}`);
  }
  const toggle = (id, act) => () => {
    const button = d3.select(`#${id}`);
    const isOn = button.attr('aria-pressed') !== 'true';
    button.attr('aria-pressed', String(isOn));
    act(isOn);
  };
  return {
    'show-peak': {keys: ['p'], text: 'go to the peak', act: goToPeak},
    'show-step': {keys: ['s'], text: 'the peak’s step', act: () => run.peakStep && view.showInterval(run.peakStep, 0.04)},
    'show-window': {keys: ['w'], text: 'the active window', act: () => run.window && view.showInterval(run.window, 0.02)},
    'show-run': {keys: ['0'], text: 'the whole run', act: () => view.showWhole()},
    'zoom-in': {keys: ['+', '='], text: 'zoom in', act: () => view.zoomBy(1.6, cursor.position ?? undefined)},
    'zoom-out': {keys: ['-'], text: 'zoom out', act: () => view.zoomBy(1 / 1.6, cursor.position ?? undefined)},
    'show-categories': {keys: ['v'], text: 'categories or allocations',
      act: () => chart.set({shows: chart.settings.shows === 'categories' ? 'allocations' : 'categories'})},
    'show-events': {keys: ['x'], text: 'over time or over events', act: toggle('show-events', (isOn) => view.setMode(isOn ? 'event' : 'time'))},
    'hide-floor': {keys: ['f'], text: 'hide the static floor', act: toggle('hide-floor', again((isOn) => vertical.hideFloor(isOn)))},
    'show-layers': {keys: ['l'], text: 'modules above the memory', act: toggle('show-layers', (isOn) => {
      chart.showsLayers = isOn;
      chart.resize();
    })},
    'show-shapes': {keys: ['h'], text: 'what shapes are called', act: toggle('show-shapes', (isOn) => chart.shapeLabels.turnOn(isOn))},
    'next-block': {keys: ['n'], text: 'pin the next largest block', act: () => pinned.next(1)},
    'previous-block': {keys: ['N'], text: 'pin the one before', act: () => pinned.next(-1)},
    'reset-vertical': {keys: ['y'], text: 'fit the height again', act: again(() => { vertical.chosen = null; })},
    'find': {keys: ['/'], text: 'search', act: () => document.getElementById('search').focus()},
    'show-keys': {keys: ['?'], text: 'these keys', act: () => document.getElementById('keys').showModal()},
  };
}

// Keys that work while the timeline has the focus.
function timelineKeys(chart, cursor) {
  const {view, vertical} = chart;
  const move = (event, direction) => (event.shiftKey ? view.panBy(direction * 0.2) : cursor.step(direction));
  const lift = (event, direction) => {
    if (event.shiftKey) vertical.panBy(direction * 0.1);
    else vertical.zoomBy(direction > 0 ? 1.3 : 1 / 1.3);
    chart.request();
  };
  return {
    ArrowLeft: (event) => move(event, -1), ArrowRight: (event) => move(event, 1),
    ArrowUp: (event) => lift(event, 1), ArrowDown: (event) => lift(event, -1),
    Home: () => view.show(0, view.span), End: () => view.show(view.extent() - view.span, view.extent()),
  };
}

function connectControls(chart, cursor, pinned) {
  const {run, shapeLabels} = chart;
  const actions = timelineActions(chart, cursor, pinned);
  const byKey = new Map(Object.values(actions).flatMap(({keys, act}) => keys.map((key) => [key, act])));
  for (const [id, {act}] of Object.entries(actions)) d3.select(`button#${id}`).on('click', () => act());
  d3.select('#show-window').attr('disabled', run.window ? null : '');
  d3.select('#show-step').attr('disabled', run.peakStep ? null : '');
  d3.select('#show-shapes').attr('disabled', shapeLabels.shapes.length > 0 ? null : '').attr('aria-pressed', String(shapeLabels.isOn));
  d3.select('#show-peak').attr('disabled', run.isEmpty ? '' : null);

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input[type=search], dialog *')) return;
    if (byKey.has(event.key)) byKey.get(event.key)(event);
    else if (event.key === 'Escape' && pinned.panel.isOpen) pinned.panel.close();
    else if (event.key === 'Escape') cursor.hide();
    else return;
    event.preventDefault();
  });
  const own = timelineKeys(chart, cursor);
  chart.focusable.addEventListener('keydown', (event) => {
    if (!(event.key in own) || event.ctrlKey || event.metaKey || event.altKey) return;
    own[event.key](event);
    event.preventDefault();
  });
  chart.listeners.push(() => d3.select('#show-categories').attr('aria-pressed', String(chart.settings.shows === 'categories')));
  listKeys(actions);
}

function listKeys(actions) {
  const list = d3.select('#keys-list');
  const rows = [...Object.values(actions).map(({keys, text}) => [keys, text]),
    [['←', '→'], 'move the cursor, with Shift the picture'], [['↑', '↓'], 'interval the height, with Shift move it'],
    [['Home', 'End'], 'the run’s beginning, its end'], [['Esc'], 'let go of what is pinned, then hide the cursor']];
  for (const [keys, text] of rows) {
    const term = list.append('dt');
    for (const key of keys) term.append('kbd').text(key);
    list.append('dd').text(text);
  }
  d3.select('#close-keys').on('click', () => document.getElementById('keys').close());
}
