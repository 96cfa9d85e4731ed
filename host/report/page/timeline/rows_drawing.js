// SPDX-License-Identifier: Apache-2.0
// Draws the rows above the memory, and finds what the pointer is on.

const ROW_HEIGHT = 20;
const ROW_GAP = 3;
const NARROWEST_STRETCH = 1.5;

function rowsHeight(rows) { return rows.length * (ROW_HEIGHT + ROW_GAP); }

// What fits: the label, its short form, the label's beginning, or nothing.
function stretchText(context, stretch, width) {
  const label = fittingText(context, stretch.label, width - 8);
  return label !== stretch.label && stretch.short && fittingText(context, stretch.short, width - 8) === stretch.short ? stretch.short : label;
}

// The stretches that can be seen, from left to right. Many are narrower than a pixel: all within one are passed over by
// looking for the first that ends beyond it.
function* visibleStretches(stretches, view) {
  const left = (stretch) => Math.max(0, view.x(view.positionOf(stretch.begin, stretch.beginState)));
  const right = (stretch) => Math.min(view.width, view.x(view.positionOf(stretch.end, stretch.endState)));
  let at = d3.bisector(right).right(stretches, 0);
  while (at < stretches.length) {
    const [from, to] = [left(stretches[at]), right(stretches[at])];
    if (from >= view.width) return;
    if (to - from >= NARROWEST_STRETCH) {
      yield {stretch: stretches[at], left: from, width: to - from};
      ++at;
    } else {
      const next = d3.bisector(right).right(stretches, from + 1, at + 1);
      yield {crowd: next - at, left: from, width: 1};
      at = next;
    }
  }
}

function drawRows(context, rows, view, palette) {
  context.font = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  rows.forEach(({stretches}, row) => {
    const top = row * (ROW_HEIGHT + ROW_GAP);
    for (const {stretch, crowd, left, width} of visibleStretches(stretches, view)) {
      const tint = crowd ? 'band-crowd' : stretch.tint === 'window' ? 'accent' : `band-${stretch.tint}`;
      context.fillStyle = palette.css(tint);
      context.fillRect(left, top, Math.max(crowd ? 0.6 : 1, width - 1), ROW_HEIGHT);
      const text = crowd ? '' : stretchText(context, stretch, width);
      if (!text) continue;
      context.fillStyle = palette.css(stretch.tint === 'window' ? 'accent-ink' : 'band-ink');
      context.fillText(text, left + 5, top + ROW_HEIGHT / 2 + 0.5);
    }
  });
}

// The stretch at a place of the rows' drawing, or undefined.
function stretchAt(rows, view, x, y) {
  const row = rows[Math.floor(y / (ROW_HEIGHT + ROW_GAP))];
  if (!row || x < 0 || x > view.width) return undefined;
  for (const {stretch, left, width} of visibleStretches(row.stretches, view)) {
    if (stretch && left <= x && x < left + width) return stretch;
  }
  return undefined;
}
