// SPDX-License-Identifier: Apache-2.0
// Memory by module at the peak: a tree whose rows open and close, each with a stacked bar of its categories.

// Numbered modules are in numerical order, whatever they hold; all others in order of bytes.
function inOrderOfNumbers(nodes) {
  const isNumbered = ({name}) => /^\d+$/.test(name);
  const numbered = nodes.filter(isNumbered).sort((a, b) => a.name - b.name);
  if (numbered.length < 2) return;
  const first = nodes.findIndex(isNumbered);
  const others = nodes.filter((node) => !isNumbered(node));
  nodes.splice(0, nodes.length, ...others.slice(0, first), ...numbered, ...others.slice(first));
}

class LayerTree {
  constructor(run) {
    this.run = run;
    this.nodes = run.layers.map(([name, parent, blocks, most, mean, parts], index) => {
      const bytes = new Array(run.categories.length).fill(0);
      for (let i = 0; i < parts.length; i += 2) bytes[parts[i]] = parts[i + 1];
      return {index, name, parent, blocks, most, mean, bytes, total: d3.sum(bytes), children: [], isOpen: false};
    });
    for (const node of this.nodes.slice(1)) this.nodes[node.parent].children.push(node);
    for (const node of this.nodes) this.addItself(node);
    for (const node of this.nodes) inOrderOfNumbers(node.children);
    const [root] = this.nodes;
    this.top = root ? root.children : [];
    this.whole = root ? root.total : 0;
    for (const node of this.top) node.isOpen = node.total > 0.3 * this.whole && node.children.length > 0;
    this.current = this.top[0];
    this.list = d3.select('#layers');
    this.list.node().addEventListener('keydown', (event) => this.press(event));
    this.draw();
  }

  // A node's own memory, outside its children, gets a row too, so that rows add up.
  addItself(node) {
    if (node.children.length === 0 || node.index === 0) return;
    const bytes = node.bytes.map((amount, category) => amount - d3.sum(node.children, (child) => child.bytes[category]));
    const total = d3.sum(bytes);
    if (total === 0) return;
    const name = this.run.left_out.layers > 0 ? '(itself and smaller modules)' : '(itself)';
    node.children.push({name, parent: node.index, bytes, total, children: []});
    node.children.sort((a, b) => b.total - a.total);
  }

  visible() {
    const rows = [];
    const add = (node, level, position, count) => {
      rows.push({node, level, position, count});
      if (node.isOpen) node.children.forEach((child, i) => add(child, level + 1, i + 1, node.children.length));
    };
    this.top.forEach((node, i) => add(node, 1, i + 1, this.top.length));
    return rows;
  }

  draw() {
    const {run, whole} = this;
    this.list.selectAll('*').remove();
    if (this.top.length === 0) this.list.append('p').attr('class', 'quiet').text('Nothing was recorded.');
    const rows = this.list.selectAll('div').data(this.visible()).enter().append('div')
      .attr('class', 'layer').attr('role', 'treeitem')
      .attr('aria-level', ({level}) => level).attr('aria-posinset', ({position}) => position)
      .attr('aria-setsize', ({count}) => count)
      .attr('aria-expanded', ({node}) => (node.children.length > 0 ? String(Boolean(node.isOpen)) : null))
      .attr('aria-label', ({node}) => this.sentence(node))
      .attr('tabindex', ({node}) => (node === this.current ? 0 : -1))
      .on('click', ({node}) => this.choose(node, true));
    const names = rows.append('span').attr('class', 'layer-name').style('padding-left', ({level}) => `${16 * (level - 1)}px`)
      .attr('title', ({node}) => node.name);
    names.append('span').attr('class', 'layer-mark').attr('aria-hidden', 'true')
      .text(({node}) => (node.children.length === 0 ? '' : node.isOpen ? '▾' : '▸'));
    names.append('span').text(({node}) => node.name || '(unnamed)');
    rows.append('span').attr('class', 'layer-bar').selectAll('span')
      .data(({node}) => node.bytes.map((bytes, category) => ({bytes, category})).filter(({bytes}) => bytes > 0))
      .enter().append('span').attr('class', ({category}) => `part ${run.categories[category].slug}`)
      .style('width', ({bytes}) => `${100 * bytes / whole}%`)
      .attr('title', ({bytes, category}) => `${run.categories[category].name}: ${exactBytes(bytes)}`);
    const number = (text) => rows.append('span').attr('class', 'layer-number').text(({node}) => text(node));
    number((node) => mebibytes(node.total, run.decimals)).attr('title', ({node}) => exactBytes(node.total));
    number((node) => percentage(node.total, whole));
    number((node) => (node.most === undefined ? '' : mebibytes(node.most, run.decimals)));
    number((node) => (node.mean === undefined ? '' : mebibytes(node.mean, run.decimals)));
  }

  sentence({name, total, bytes}) {
    const parts = bytes.map((amount, category) => ({amount, name: this.run.categories[category].name}))
      .filter(({amount}) => amount > 0).map((part) => `${part.name} ${mebibytes(part.amount, this.run.decimals)}`);
    return `${name || '(unnamed)'}: ${mebibytes(total, this.run.decimals)} MiB, ${percentage(total, this.whole)}. ${parts.join(', ')}`;
  }

  choose(node, toggles) {
    this.current = node;
    if (toggles && node.children.length > 0) node.isOpen = !node.isOpen;
    this.draw();
    this.list.select('[tabindex="0"]').node().focus();
  }

  // Keyboard navigation of a tree (WAI-ARIA Authoring Practices).
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const rows = this.visible();
    const at = rows.findIndex(({node}) => node === this.current);
    if (at < 0) return;
    const {node} = rows[at];
    const go = (index) => this.choose(rows[Math.min(Math.max(index, 0), rows.length - 1)].node, false);
    const actions = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (node.isOpen ? go(at + 1) : this.choose(node, true)),
      ArrowLeft: () => (node.isOpen || node.parent === 0 ? this.choose(node, Boolean(node.isOpen)) : this.choose(this.nodes[node.parent], false)),
      Enter: () => this.choose(node, true),
      ' ': () => this.choose(node, true),
    };
    if (!(event.key in actions)) return;
    actions[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }
}

function fillLayers(run) {
  const {peak} = run;
  d3.select('#layers-when').text(run.isEmpty ? '' : peak.step < 0 ? 'most and mean over the window' : `most and mean over step ${peak.step}`);
  d3.select('#peak-story').selectAll('li').data(run.peak.story).enter().append('li').text((sentence) => capitalized(`${sentence}.`));
  d3.select('#layers-left-out').text(run.left_out.layers > 0 ? ` ${withThousands(run.left_out.layers)} smaller modules are not in the page; strata report --layers has them.` : '');
  return new LayerTree(run);
}
