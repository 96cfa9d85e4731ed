// SPDX-License-Identifier: Apache-2.0
// Numbers on a page, each with a line to its target. Browser.open defines `badges` from it.

const NAMESPACE = 'http://www.w3.org/2000/svg';
const RADIUS = 12;
const COLOUR = '#c2410c';
const FONT = '700 14px system-ui, "Noto Sans", "Liberation Sans", sans-serif';

const badges = {
  // The rectangle on the page of an element, by its selector, or a given one: {left, top, right, bottom}.
  boxOf(what) {
    if (typeof what !== 'string') return what;
    return badges.pageBox(document.querySelector(what));
  },

  pageBox(element) {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    return {left: left + scrollX, top: top + scrollY, right: right + scrollX, bottom: bottom + scrollY};
  },

  // Positions in the timeline's picture, in points on the page.
  plotAt(x, bytes) {
    const {left, top} = badges.boxOf('#chart');
    return {x: left + CHART_MARGIN.left + x, y: top + chart.plotTop + chart.overlay.row(bytes)};
  },

  // The visible part of an element: clipped by its scrolling ancestors.
  seen(element) {
    let {left, top, right, bottom} = element.getBoundingClientRect();
    for (let around = element.closest('.scroll'); around; around = around.parentElement.closest('.scroll')) {
      const box = around.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    return {left, top, right, bottom};
  },

  // The smallest rectangle on the page that contains all of these: [left, top, right, bottom].
  extent(selectors) {
    const boxes = selectors.flatMap((selector) => [...document.querySelectorAll(selector)]).map(badges.seen)
      .filter(({left, top, right, bottom}) => right > left && bottom > top);
    return [Math.min(...boxes.map(({left}) => left)) + scrollX, Math.min(...boxes.map(({top}) => top)) + scrollY,
      Math.max(...boxes.map(({right}) => right)) + scrollX, Math.max(...boxes.map(({bottom}) => bottom)) + scrollY];
  },

  // A number on the left edge of an element, or at a given distance to the right of it.
  beside(what, right = 0) {
    const box = badges.boxOf(what);
    return {at: {x: box.left + right, y: (box.top + box.bottom) / 2}};
  },

  // `marks`: {at: {x, y} of the number's centre, to: {x, y} or null} each; the first is 1.
  put(marks) {
    const layer = document.createElementNS(NAMESPACE, 'svg');
    Object.assign(layer.style, {position: 'absolute', left: '0', top: '0', width: '100%', height: `${document.documentElement.scrollHeight}px`,
      pointerEvents: 'none', zIndex: '1000', overflow: 'visible'});
    document.body.append(layer);
    marks.forEach(({at, to}, i) => {
      if (to) badges.line(layer, at, to);
      badges.shape(layer, 'circle', {cx: at.x, cy: at.y, r: RADIUS, fill: COLOUR, stroke: '#fff', 'stroke-width': 2, class: 'badge'});
      const number = badges.shape(layer, 'text', {x: at.x, y: at.y, fill: '#fff', 'text-anchor': 'middle', 'dominant-baseline': 'central'});
      number.style.font = FONT;
      number.textContent = String(i + 1);
    });
  },

  line(layer, at, to) {
    const ends = {x1: at.x, y1: at.y, x2: to.x, y2: to.y};
    badges.shape(layer, 'line', {...ends, stroke: '#fff', 'stroke-width': 5});
    badges.shape(layer, 'line', {...ends, stroke: COLOUR, 'stroke-width': 2});
    badges.shape(layer, 'circle', {cx: to.x, cy: to.y, r: 3.5, fill: COLOUR, stroke: '#fff', 'stroke-width': 1});
  },

  shape(layer, kind, attributes) {
    const element = document.createElementNS(NAMESPACE, kind);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    layer.append(element);
    return element;
  },
};
