// SPDX-License-Identifier: Apache-2.0
// A small box at the pointer: name, bytes, category. It is beside its target, never over it, and inside the window.

const TOOLTIP_GAP = 12;     // pixels from the pointer
const TOOLTIP_CLEARANCE = 6;  // and from the block

class Tooltip {
  constructor(container) {
    this.container = container;
    this.box = d3.select(container).append('div').attr('class', 'tooltip').attr('hidden', '');
  }

  // `lines`: the first in bold, after a swatch of `slug` if it has one.
  fill(lines, slug) {
    const {box} = this;
    box.selectAll('*').remove();
    lines.filter(Boolean).forEach((text, i) => {
      const line = box.append('p').attr('class', i === 0 ? 'tooltip-title' : 'quiet');
      if (i === 0 && slug) line.append('span').attr('class', `swatch ${slug}`);
      line.append('span').text(text);
    });
    box.attr('hidden', null);
  }

  // In the container's coordinates: the pointer at x, y. extent(left, right): {top, bottom} of the target between two
  // columns.
  place(x, y, extent) {
    const {box, container} = this;
    const [width, height] = [box.node().offsetWidth + 1, box.node().offsetHeight];  // rounded, possibly down
    const {left: containerLeft, top: containerTop} = container.getBoundingClientRect();
    const room = {left: -containerLeft, right: document.documentElement.clientWidth - containerLeft - width,
      top: document.getElementById('contents').offsetHeight - containerTop, bottom: window.innerHeight - containerTop - height};
    const spots = [x + TOOLTIP_GAP, x - TOOLTIP_GAP - width].flatMap((wanted) => {
      const left = Math.min(Math.max(wanted, room.left), room.right);
      const {top, bottom} = extent(left, left + width);
      return [{left, top: Math.min(y - TOOLTIP_GAP, top - TOOLTIP_CLEARANCE) - height}, {left, top: Math.max(y + TOOLTIP_GAP, bottom + TOOLTIP_CLEARANCE)}];
    });
    const fits = spots.filter(({top}) => room.top <= top && top <= room.bottom);
    const distance = (spot) => Math.abs(spot.top + height / 2 - y) + Math.abs(spot.left + width / 2 - x);
    // The target fills the window: only the window's edge is left.
    const {left, top} = fits.sort((a, b) => distance(a) - distance(b))[0] || {left: spots[0].left, top: y > room.bottom / 2 ? room.top : room.bottom};
    box.style('transform', `translate(${left}px, ${top}px)`);
  }

  hide() { this.box.attr('hidden', ''); }
}

// The text for a place in the plot: {lines, slug, category}, or null if there is none.
function tooltipText(run, events, layout, what) {
  if (!what) return null;
  const size = (bytes) => `${mebibytes(bytes, run.decimals)} MiB`;
  const of = (category, lines) => ({lines, category, slug: run.categories[category].slug});
  if (what.id !== undefined) {
    const {category, kind} = events.sites[events.site[what.id]];
    const {name} = run.categories[category];
    return of(category, [blockTitle(events, what.id, name), `${size(events.bytes[what.id])} · ${name}${kind ? ` / ${kind}` : ''}`]);
  }
  if (what.ids) {
    const {category} = what.band;
    return of(category, [layout.label(what.band, run.categories[category].name),
      `${size(d3.sum(what.ids, (id) => events.bytes[id]))} · ${run.categories[category].name}`,
      what.ids.length > 1 ? `${withThousands(what.ids.length)} blocks; a click shows the largest` : '']);
  }
  const category = what.category !== undefined ? what.category : what.remainder;
  const {name} = run.categories[category];
  return of(category, what.category !== undefined ? [name, size(what.high - what.low)] : [`Smaller blocks of ${name}`, size(what.high - what.low)]);
}
