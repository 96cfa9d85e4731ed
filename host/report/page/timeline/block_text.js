// SPDX-License-Identifier: Apache-2.0
// Describes a block in text.

// "4 × 512" for "4x512", the form in which shapes are recorded.
const shapeText = (shape) => shape.replace(/(?<=\d)x(?=\d)/g, ' × ');

const shortOp = (op) => op.replace(/^aten::/, '');

// The block's name: its owner's name, otherwise where and by what it was allocated.
function blockTitle(events, id, categoryName) {
  const {name, layer, op, kind} = events.sites[events.site[id]];
  return name || [layer, shortOp(op)].filter(Boolean).join(' ') || kind || categoryName;
}

// The innermost open phase at that event.
function phaseAtEvent(run, event) {
  let found;
  for (const phase of run.phases) {
    if (phase.beginState > event) break;
    if (event < phase.endState && (!found || phase.depth >= found.depth)) found = phase;
  }
  return found;
}

function bornIn(run, event) {
  const phase = phaseAtEvent(run, event);
  const step = run.steps.find(({beginState, endState}) => beginState <= event && event < endState);
  return [step ? `step ${step.index}` : '', phase ? phase.name : ''].filter(Boolean).join(', ');
}

// Its lifetime; in events if the run's times are only those of the host.
function lifetime(run, events, id) {
  const [birth, death] = [events.birth[id], events.death[id]];
  if (death === NEVER) return 'to the end';
  const between = `${withThousands(death - birth)} events`;
  return run.run.paced_by_host ? between : `${duration(events.ns[death] - events.ns[birth])}, ${between}`;
}

function eventText(run, events, event) {
  const text = `event ${withThousands(event)}`;
  return run.run.paced_by_host ? text : `${withThousands(events.ns[event] / 1e6, 3)} ms, ${text}`;
}

// [label, text] of all known properties of a block.
function blockRows(run, events, id) {
  const site = events.sites[events.site[id]];
  const [birth, death] = [events.birth[id], events.death[id]];
  return [
    ['Size', `${mebibytes(events.bytes[id], run.decimals)} MiB, ${exactBytes(events.bytes[id])}`],
    ['Category', `${run.categories[site.category].name}${site.kind ? ` / ${site.kind}` : ''}`],
    ['Rule', site.reason],
    ['Tensor', site.name],
    ['Shape', [shapeText(site.shape), site.dtype].filter(Boolean).join(', ')],
    ['Operator', site.op],
    ['Layer', site.layer],
    ['Kept for', site.saver === site.layer ? '' : site.saver],
    ['Born in', bornIn(run, birth)],
    ['Born', eventText(run, events, birth)],
    ['Freed', death === NEVER ? '' : eventText(run, events, death)],
    ['Lived', lifetime(run, events, id)],
    ['Stack', events.stackOf(id)],
  ].filter(([, text]) => text);
}
