// SPDX-License-Identifier: Apache-2.0
// Labels of shapes with arrows on the timeline (docs/shapes.md). Hover or focus opens a card that says what the shape
// is and what would remove it; its interval is marked in the picture.

const MOST_SHAPE_LABELS = 12;     // labels at a time
const FEWEST_SHAPE_LABELS = 3;    // labels even in a narrow picture
const SHAPE_LABEL_PIXELS = 75;    // of the picture's width for each label

// The state a shape's arrow points to: of events at one time, the one that ends its level, if there is one.
function stateOfMoment(events, ns, level) {
  const tickNs = events.directory.tick_ns;
  const first = events.countBefore(Math.floor(ns / tickNs) * tickNs);
  for (let i = first; i < events.count && events.ns[i] <= ns; ++i) if (events.total[i + 1] === level) return i + 1;
  return Math.min(first + 1, events.count);
}

// The shapes the page received, and their positions among its events.
function shapesOf(run, events) {
  const tickNs = events.directory.tick_ns;
  const before = (ns) => events.countBefore(Math.floor(ns / tickNs) * tickNs);
  return run.shapes.map((shape) => ({...shape, state: stateOfMoment(events, shape.at, shape.level),
    beginState: before(shape.begin), endState: Math.max(before(shape.end), before(shape.begin) + 1)}));
}

class ShapeLabels {
  constructor(chart, cursor, pinned) {
    Object.assign(this, {chart, cursor, pinned});
    this.shapes = shapesOf(chart.run, chart.events);
    this.isOn = this.shapes.length > 0;
    this.visited = null;  // placed first
    this.told = null;     // its card is open
    this.layer = d3.select(chart.container).append('div').attr('class', 'shape-layer').attr('role', 'group').attr('aria-label', 'Shapes of the timeline');
    const arrows = this.layer.append('svg').attr('class', 'shape-arrows').attr('aria-hidden', 'true');
    this.halos = arrows.append('path').attr('class', 'shape-halo');
    this.arrows = arrows.append('path').attr('class', 'shape-arrow');
    this.heads = arrows.append('path').attr('class', 'shape-head');
    this.buttons = this.shapes.map((shape) => this.button(shape));
    this.card = d3.select(chart.container).append('div').attr('class', 'shape-card').attr('hidden', '');
    this.listen();
    chart.listeners.push(() => this.place());
  }

  button(shape) {
    const {run} = this.chart;
    const bytes = `${mebibytes(shape.bytes, run.decimals)} MiB`;
    const button = this.layer.append('button').attr('type', 'button').attr('class', 'shape-label')
      .attr('aria-label', `${shape.title}, ${bytes}. ${shape.sentence} To change it: ${shape.remedy}.`);
    button.append('span').attr('class', 'shape-name').text(shape.title);
    button.append('span').text(` ${bytes}`);
    button.on('mouseenter', () => this.tell(shape)).on('mouseleave', () => this.untell(shape))
      .on('focus', () => this.tell(shape)).on('blur', () => this.untell(shape)).on('click', () => this.pick(shape));
    return button.node();
  }

  // Events on a label do not reach the picture, except the wheel.
  listen() {
    for (const kind of ['pointerdown', 'pointermove', 'pointerup']) {
      this.layer.node().addEventListener(kind, (event) => event.buttons & 1 && kind === 'pointermove' || event.stopPropagation());
    }
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.told) this.untell(this.told, true);
    });
  }

  turnOn(isOn) {
    this.isOn = isOn;
    if (!isOn && this.told) this.untell(this.told, true);
    this.place();
  }

  // The picture's height covers its shapes: those of reserved memory are above the allocated memory.
  highest() {
    const {view, settings} = this.chart;
    if (!this.isOn || settings.hidden.size > 0) return 0;
    const isInside = (x) => x >= 0 && x <= view.width;
    return d3.max(this.shapes, (shape) => (isInside(view.x(view.positionOf(shape.at, shape.state - 0.5))) ? shape.level : 0)) || 0;
  }

  // The largest shapes whose moment is in the picture.
  inView() {
    const {view, overlay, settings, events, run} = this.chart;
    const bytes = new Float64Array(CATEGORY_COUNT);
    const wanted = this.shapes.map((shape, i) => {
      const x = view.x(view.positionOf(shape.at, shape.state - 0.5));
      const hidden = settings.hidden.size > 0 ? d3.sum([...settings.hidden], (category) => events.categoriesAt(shape.state, bytes)[category]) : 0;
      return {shape, i, tip: {x, y: overlay.row(Math.max(shape.level - hidden, 0))}};
    }).filter(({tip}) => tip.x >= 0 && tip.x <= view.width && tip.y >= 0 && tip.y <= PLOT_HEIGHT);
    const rank = ({shape}) => (shape === this.visited ? Infinity : shape.bytes);
    wanted.sort((a, b) => (rank(a) === rank(b) ? a.i - b.i : rank(b) > rank(a) ? 1 : -1));
    const most = Math.min(MOST_SHAPE_LABELS, Math.max(FEWEST_SHAPE_LABELS, Math.floor(view.width / SHAPE_LABEL_PIXELS)));
    return run.isEmpty ? [] : wanted.slice(0, most);
  }

  // Placed for the picture that was just drawn.
  place() {
    const {chart} = this;
    const {frame, overlay, plotTop} = chart;
    if (!frame || this.shapes.length === 0) return;
    if (!this.sizes) this.sizes = this.buttons.map(({offsetWidth: width, offsetHeight: height}) => ({width, height}));
    const wanted = this.isOn ? this.inView().map((one) => ({...one, ...this.sizes[one.i]})) : [];
    const coveredFrom = (x) => overlay.row(frame.totals[Math.min(Math.max(Math.floor(x * frame.scale), 0), frame.width - 1)]);
    const places = placeLabels(wanted, {width: chart.width, height: PLOT_HEIGHT, coveredFrom, taken: overlay.said});
    this.placed = new Map(wanted.map(({i}, at) => [i, places[at]]).filter(([, place]) => place));
    this.buttons.forEach((button, i) => {
      const place = this.placed.get(i);
      button.classList.toggle('is-away', !place);
      if (place) button.style.transform = `translate(${CHART_MARGIN.left + place.box.left}px, ${plotTop + place.box.top}px)`;
    });
    this.drawArrows([...this.placed.values()]);
    if (this.told) this.placeCard();
  }

  drawArrows(places) {
    const [left, top] = [CHART_MARGIN.left, this.chart.plotTop];
    const at = ({x, y}) => `${(left + x).toFixed(1)} ${(top + y).toFixed(1)}`;
    const lines = places.map(({from, tip}) => `M${at(from)}L${at(tip)}`).join('');
    this.halos.attr('d', lines);
    this.arrows.attr('d', lines);
    this.heads.attr('d', places.map(({from, tip}) => {
      const length = Math.hypot(tip.x - from.x, tip.y - from.y) || 1;
      const [x, y] = [(tip.x - from.x) / length, (tip.y - from.y) / length];
      const corner = (turn) => at({x: tip.x - 8 * x + turn * 3.2 * y, y: tip.y - 8 * y - turn * 3.2 * x});
      return `M${at(tip)}L${corner(1)}L${corner(-1)}Z`;
    }).join(''));
  }

  tell(shape) {
    const {chart, card, cursor} = this;
    cursor.hide();
    this.told = shape;
    card.selectAll('*').remove();
    card.append('p').attr('class', 'shape-title').text(shape.title);
    fillFacts(card.append('dl').attr('class', 'facts'), shapeRows(chart.run, shape));
    card.append('p').text(shape.sentence);
    card.append('p').attr('class', 'quiet').text(`To change it: ${shape.remedy}.`);
    card.attr('hidden', null);
    this.placeCard();
    chart.mark(shape);
  }

  // Beside its label, without covering what the label points to.
  placeCard() {
    const {chart, card} = this;
    const place = this.placed.get(this.shapes.indexOf(this.told));
    const {offsetWidth: width, offsetHeight: height} = card.node();
    const [left, top] = [CHART_MARGIN.left, chart.plotTop];
    const room = chart.container.clientWidth - width;
    let at = {left, top: top + 4};
    if (place) {
      const {box, tip} = place;
      const across = Math.min(Math.max(left + box.left, 0), room);
      const beside = [{left: across, top: top + box.top + box.height + 6}, {left: left + box.left + box.width + 8, top: top + box.top},
        {left: left + box.left - width - 8, top: top + box.top}, {left: across, top: top + box.top - height - 6}];
      const isGood = (spot) => spot.left >= 0 && spot.left <= room && !holds({...spot, width, height}, {x: left + tip.x, y: top + tip.y}, TIP_CLEARANCE);
      at = beside.find(isGood) || beside[0];
    }
    card.style('left', `${at.left}px`).style('top', `${at.top}px`);
  }

  // The card of a focused label stays open.
  untell(shape, always = false) {
    if (this.told !== shape || (!always && this.buttons[this.shapes.indexOf(shape)] === document.activeElement)) return;
    this.told = null;
    this.card.attr('hidden', '');
    this.chart.mark(null);
  }

  // Pins the shape's block; for a shape of many blocks, shows their interval.
  pick(shape) {
    if (shape.block !== null) this.pinned.pin(shape.block === this.pinned.id ? -1 : shape.block);
    else this.chart.view.showInterval(shape, 0.25);
  }

  // Moves the view there and opens the card.
  visit(shape) {
    const {chart} = this;
    this.visited = shape;
    if (!this.isOn) document.getElementById('show-shapes').click();
    chart.view.showInterval(shape, 0.6);
    chart.drawNow();
    chart.container.scrollIntoView({block: 'nearest'});
    const i = this.shapes.indexOf(shape);
    if (this.placed.has(i)) this.buttons[i].focus({preventScroll: true});
    else this.tell(shape);
  }
}

// [label, text] of a shape, without its sentences.
function shapeRows(run, {bytes, step, steps, layer}) {
  return [['Size', `${mebibytes(bytes, run.decimals)} MiB, ${exactBytes(bytes)}`], ['Where', shapeWhere({step, steps})], ['Module', layer]]
    .filter(([, text]) => text);
}

function shapeWhere({step, steps}) {
  if (step < 0) return 'before the first step';
  return steps > 1 ? `step ${step}, one of ${withThousands(steps)} that have it` : `step ${step}`;
}
