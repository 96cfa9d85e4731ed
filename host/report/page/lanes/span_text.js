// SPDX-License-Identifier: Apache-2.0
// Describes a span in text.

const spanShortName = ({name}) => name.replace(/^aten::/, '').replace(/^autograd::engine::evaluate_function: /, '');

// A name of at most that many letters: a module's path is cut to its last part if it does not fit.
function spanLabel(site, letters) {
  const name = spanShortName(site);
  if (name.length <= letters) return name;
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (SPAN_KINDS[site.kind].startsWith('module') && last.length <= letters) return last;
  return `${name.slice(0, letters - 1)}…`;
}

function spanTitle(spans, id) {
  const {kind, name} = spans.siteOf(id);
  return `${name || '(no name)'} (${SPAN_KINDS[kind]})`;
}

// "12.3 µs, 12,345 ns"
const exactDuration = (ns) => (ns < 1000 ? duration(ns) : `${duration(ns)}, ${withThousands(ns)} ns`);

function productShape({products, batch, m, n, k}) {
  return `${products > 1 ? `${products}*` : ''}${batch > 1 ? `${batch}*` : ''}${m}x${n}x${k}`;
}

function flopRate(flop, ns) {
  const perSecond = flop / ns * 1e9;
  return perSecond >= 1e12 ? `${withThousands(perSecond / 1e12, 1)} TFLOP/s` : `${withThousands(perSecond / 1e9, 2)} GFLOP/s`;
}

function productRows(spans, id) {
  const product = spans.productOf(id);
  if (!product) return [];
  const {flop, ns, isOnDevice, bytes} = product;
  return [
    ['Product', `${productShape(product)}, ${withThousands(flop / 1e6, 1)} MFLOP`],
    ['FLOP/s', ns > 0 ? `${flopRate(flop, ns)}${isOnDevice ? ' on the device' : ''}` : 'not known: no kernel was recorded'],
    ['FLOP/byte', bytes > 0 ? withThousands(flop / bytes, 1) : ''],
  ];
}

function stepAndPhase(run, spans, id) {
  const step = at(run.steps, spans.begin[id]);
  return [step ? `step ${step.index}` : '', spans.siteOf(id).phase].filter(Boolean).join(', ');
}

// [label, text] of all known properties of a span.
function spanRows(run, spans, id) {
  const {kind, fullName, layer, asker} = spans.siteOf(id);
  const lane = spans.laneOf(id);
  const moved = [SPAN_COPY, SPAN_SET].includes(kind);
  const bytes = spans.bytes[id] > 0 ? `${mebibytes(spans.bytes[id], run.decimals)} MiB, ${exactBytes(spans.bytes[id])}` : '';
  return [
    ['Took', exactDuration(spans.length[id])],
    ['Itself', lane.kind === 'operators' && spans.called[id] > 0 ? exactDuration(spans.self(id)) : ''],
    ['On the device', spans.device[id] > 0 ? exactDuration(spans.device[id]) : ''],
    ['Layer', layer],
    ['Phase', stepAndPhase(run, spans, id)],
    [moved ? 'Moved' : 'Allocated in it', bytes],
    ...productRows(spans, id),
    ['Asked by', asker],
    ['Whole name', fullName],
    ['Began', `${withThousands(spans.begin[id] / 1e6, 3)} ms`],
    ['On', lane.title],
  ].filter(([, text]) => text);
}

// Three lines of text for one span, or for several drawn as one.
function spanTooltip(run, spans, {id, ids}) {
  if (!ids) return [spanTitle(spans, id), duration(spans.length[id]), [spans.siteOf(id).layer, stepAndPhase(run, spans, id)].filter(Boolean).join(' · ')];
  const byName = d3.nest().key((one) => spans.siteOf(one).name).rollup((list) => ({count: list.length, ns: d3.sum(list, (one) => spans.length[one])}))
    .entries(Array.from(ids)).sort((a, b) => b.value.ns - a.value.ns);
  const [{key, value}] = byName;
  return [`${withThousands(ids.length)} beside one another`, `together ${duration(d3.sum(ids, (one) => spans.length[one]))}; a click zooms in`,
    `most: ${withThousands(value.count)} times ${key}, ${duration(value.ns)}`];
}
