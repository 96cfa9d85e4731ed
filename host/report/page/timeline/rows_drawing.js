// SPDX-License-Identifier: Apache-2.0
// Draws the rows above the memory, and finds the interval under the pointer.

const ROW_HEIGHT = 20;
const ROW_GAP = 3;
const NARROWEST_STRETCH = 1.5;

function rowsHeight(rows) { return rows.length * (ROW_HEIGHT + ROW_GAP); }

// What fits: the label, its short form, the start of the label, or nothing.
function intervalText(context, interval, width) {
  const label = fittingText(context, interval.label, width - 8);
  return label !== interval.label && interval.short && fittingText(context, interval.short, width - 8) === interval.short ? interval.short : label;
}

// The visible intervals, from left to right. Many are narrower than a pixel: all within one pixel are skipped by
// searching for the first that ends beyond it.
function* visibleIntervals(intervals, view) {
  const left = (interval) => Math.max(0, view.x(view.positionOf(interval.begin, interval.beginState)));
  const right = (interval) => Math.min(view.width, view.x(view.positionOf(interval.end, interval.endState)));
  let at = d3.bisector(right).right(intervals, 0);
  while (at < intervals.length) {
    const [from, to] = [left(intervals[at]), right(intervals[at])];
    if (from >= view.width) return;
    if (to - from >= NARROWEST_STRETCH) {
      yield {interval: intervals[at], left: from, width: to - from};
      ++at;
    } else {
      const next = d3.bisector(right).right(intervals, from + 1, at + 1);
      yield {crowd: next - at, left: from, width: 1};
      at = next;
    }
  }
}

function drawRows(context, rows, view, palette) {
  context.font = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  rows.forEach(({intervals}, row) => {
    const top = row * (ROW_HEIGHT + ROW_GAP);
    for (const {interval, crowd, left, width} of visibleIntervals(intervals, view)) {
      const tint = crowd ? 'band-crowd' : interval.tint === 'window' ? 'accent' : `band-${interval.tint}`;
      context.fillStyle = palette.css(tint);
      context.fillRect(left, top, Math.max(crowd ? 0.6 : 1, width - 1), ROW_HEIGHT);
      const text = crowd ? '' : intervalText(context, interval, width);
      if (!text) continue;
      context.fillStyle = palette.css(interval.tint === 'window' ? 'accent-ink' : 'band-ink');
      context.fillText(text, left + 5, top + ROW_HEIGHT / 2 + 0.5);
    }
  });
}

// The interval at a position in the rows, or undefined.
function intervalAt(rows, view, x, y) {
  const row = rows[Math.floor(y / (ROW_HEIGHT + ROW_GAP))];
  if (!row || x < 0 || x > view.width) return undefined;
  for (const {interval, left, width} of visibleIntervals(row.intervals, view)) {
    if (interval && left <= x && x < left + width) return interval;
  }
  return undefined;
}
