// SPDX-License-Identifier: Apache-2.0
// Places the labels of shapes beside their targets: no overlaps, nothing outside the picture, and little of the picture
// hidden. Few places are tried, because this runs in each frame.

const PLACE_STEP_Y = 24;
const PLACE_SHIFTS = [0, -0.6, 0.6, -1.2, 1.2, -1.8, 1.8, -2.6, 2.6, -3.6, 3.6];  // in label widths, starting above its tip
const LABEL_CLEARANCE = 3;
const TIP_CLEARANCE = 5;
// The cost of each fault, in pixels of arrow length.
const CROSSING_COST = 1000;
const HIDING_COST = 320;
const SHORTEST_ARROW = 12;
const TOO_SHORT_COST = 40;
const LONG_ARROW = 120;
const MISSING_COST = 5000;

const overlaps = (a, b, room) => a.left < b.left + b.width + room && b.left < a.left + a.width + room
  && a.top < b.top + b.height + room && b.top < a.top + a.height + room;
const holds = (box, {x, y}, room) => x > box.left - room && x < box.left + box.width + room
  && y > box.top - room && y < box.top + box.height + room;
const side = (from, to, at) => (to.x - from.x) * (at.y - from.y) - (to.y - from.y) * (at.x - from.x);
const crosses = (a, b) => side(a.from, a.tip, b.from) * side(a.from, a.tip, b.tip) < 0
  && side(b.from, b.tip, a.from) * side(b.from, b.tip, a.tip) < 0;

function hits(arrow, {left, top, width, height}) {
  const corners = [{x: left, y: top}, {x: left + width, y: top}, {x: left + width, y: top + height}, {x: left, y: top + height}];
  return corners.some((from, i) => crosses(arrow, {from, tip: corners[(i + 1) % 4]}));
}

// `wanted`: {tip: {x, y}, width, height} each, the most important first. `ground`: {width, height, coveredFrom(x): the
// y below which the picture is filled, taken: boxes to keep clear}. Returns {box, from, tip, cost} for each, or null if
// there is no place. If two labels compete for a place, the first in order gets it; three orders are tried.
function placeLabels(wanted, ground) {
  const given = wanted.map((_, i) => i);
  const byPlace = [...given].sort((a, b) => wanted[a].tip.x - wanted[b].tip.x);
  let best = null;
  for (const order of [given, byPlace, [...byPlace].reverse()]) {
    const places = wanted.map(() => null);
    for (const i of order) places[i] = bestPlace(wanted[i], wanted, places.filter(Boolean), ground);
    const cost = d3.sum(places, (place) => (place ? place.cost : MISSING_COST));
    if (!best || cost < best.cost) best = {places, cost};
  }
  return best.places;
}

function bestPlace(want, wanted, placed, ground) {
  const {tip, width, height} = want;
  let best = null;
  let least = Infinity;
  for (let top = 2; top + height <= ground.height - 2; top += PLACE_STEP_Y) {
    for (const shift of PLACE_SHIFTS) {
      const left = Math.min(Math.max(tip.x - width / 2 + shift * width, 2), ground.width - width - 2);
      const box = {left, top, width, height};
      const from = {x: Math.min(Math.max(tip.x, left), left + width), y: Math.min(Math.max(tip.y, top), top + height)};
      const length = Math.hypot(from.x - tip.x, from.y - tip.y);
      const plain = length + length * length / LONG_ARROW + (length < SHORTEST_ARROW ? TOO_SHORT_COST : 0);
      if (plain >= least || left < 0 || !isFree(box, {from, tip}, wanted, placed, ground)) continue;
      const cost = plain + HIDING_COST * hiddenShare(box, ground)
        + CROSSING_COST * placed.filter((other) => crosses({from, tip}, other)).length;
      if (cost < least) [least, best] = [cost, {box, from, tip, cost}];
    }
  }
  return best;
}

function isFree(box, arrow, wanted, placed, {taken}) {
  return !wanted.some(({tip}) => holds(box, tip, TIP_CLEARANCE)) && !taken.some((other) => overlaps(box, other, LABEL_CLEARANCE))
    && !placed.some((other) => overlaps(box, other.box, LABEL_CLEARANCE) || hits(arrow, other.box) || hits(other, box));
}

// The fraction of the box that covers the drawing.
function hiddenShare({left, top, width, height}, {coveredFrom}) {
  const samples = 8;
  let hidden = 0;
  for (let i = 0; i < samples; ++i) {
    hidden += Math.min(Math.max(top + height - coveredFrom(left + width * i / (samples - 1)), 0), height) / height;
  }
  return hidden / samples;
}
