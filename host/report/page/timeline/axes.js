// SPDX-License-Identifier: Apache-2.0
// Axes and grid, the shade outside the active window, and step boundaries.

function drawAxes(overlay, frame) {
  const {view, vertical, palette} = overlay;
  for (const {bytes, label} of byteTicks(vertical.low, vertical.high, 6)) {
    const y = Math.round(overlay.row(bytes)) + 0.5;
    gridLine(overlay, bytes, y, frame);
    overlay.text(label, -8, y, 'right', palette.css('muted'));
  }
  if (vertical.low > 0) overlay.text(`from ${mebibytes(vertical.low, 0)}`, -8, PLOT_HEIGHT + 13, 'right', palette.css('muted'));
  const ticks = d3.ticks(view.begin, view.end, Math.max(3, Math.floor(view.width / 130)));
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : view.extent();
  const label = view.mode === 'time' ? timeLabels(step, view.durationNs) : (event) => withThousands(event, step < 1 ? 1 : 0);
  overlay.line(0, PLOT_HEIGHT + 0.5, view.width, PLOT_HEIGHT + 0.5, palette.css('muted'));
  for (const tick of ticks) {
    const x = Math.round(view.x(tick)) + 0.5;
    overlay.line(x, PLOT_HEIGHT, x, PLOT_HEIGHT + 6, palette.css('muted'));
    overlay.text(label(tick), Math.min(x, view.width - 20), PLOT_HEIGHT + 15, 'center', palette.css('muted'));
  }
  const title = view.mode === 'time' ? 'time' : 'allocations and frees, each equally wide';
  overlay.text(title, view.width / 2, PLOT_HEIGHT + 32, 'center', palette.css('muted'));
}

// Behind the memory: in front, the grid would divide bands.
function gridLine({context, palette}, bytes, y, {totals, scale}) {
  context.strokeStyle = palette.css('line');
  context.lineWidth = 1;
  context.beginPath();
  for (let column = 0, from = -1; column <= totals.length; ++column) {
    const isFree = column < totals.length && totals[column] < bytes;
    if (isFree && from < 0) from = column;
    if (isFree || from < 0) continue;
    context.moveTo(from / scale, y);
    context.lineTo(column / scale, y);
    from = -1;
  }
  context.stroke();
}

// The area outside the active window is shaded; lines separate steps that are wide enough.
function drawVeils(overlay) {
  const {context, view, palette, run} = overlay;
  const {window, steps} = run;
  const xOf = (ns, state) => Math.min(view.width, Math.max(0, view.x(view.positionOf(ns, state))));
  if (window) {
    const [from, to] = [xOf(window.begin, window.beginState), xOf(window.end, window.endState)];
    context.fillStyle = palette.css('veil');
    context.fillRect(0, 0, from, PLOT_HEIGHT);
    context.fillRect(to, 0, view.width - to, PLOT_HEIGHT);
  }
  const visible = [];
  for (const {interval, left, crowd} of visibleIntervals(steps, view)) {
    if (crowd) return;
    if (interval && left > 0) visible.push(left);
  }
  if (visible.length * 12 < view.width) for (const x of visible) overlay.line(x, 0, x, PLOT_HEIGHT, palette.css('boundary'));
}
