// SPDX-License-Identifier: Apache-2.0
// Colours of the lanes: the phase that launched the work; copies and memsets have their own. They are the categories'
// colours, which are safe for colour-blind readers. Neighbouring spans differ in shade.

// STRATA_PHASE_* in order.
const LANE_TINTS = ['other', 'other', 'data', 'data', 'forward', 'loss', 'backward', 'sync', 'optimizer', 'optimizer', 'other', 'other', 'other'];
const LANE_LEGEND = [['data', 'data'], ['forward', 'forward'], ['loss', 'loss'], ['backward', 'backward'], ['sync', 'gradient sync'],
  ['optimizer', 'optimizer'], ['other', 'other phases and none'], ['copy', 'copies and sets, whatever the phase']];
const MODULE_TINTS = new Map([[4, 'forward'], [5, 'backward'], [6, 'forward']]);
const LANE_SHADE = 0.16;

function laneTint({kind, phaseKind}) {
  if (kind === SPAN_COPY || kind === SPAN_SET) return 'copy';
  if (MODULE_TINTS.has(kind)) return MODULE_TINTS.get(kind);
  return LANE_TINTS[phaseKind] || 'other';
}

class LanePalette {
  constructor(spans) {
    const style = getComputedStyle(document.documentElement);
    const variable = (name) => parseColour(style.getPropertyValue(`--${name}`));
    const ground = variable('card');
    const ink = variable('ink');
    this.ground = pixelOf(ground);
    this.tints = new Map(LANE_LEGEND.map(([tint]) => {
      const shades = [variable(`lane-${tint}`), mixed(variable(`lane-${tint}`), ground, LANE_SHADE)];
      return [tint, {shades: shades.map(pixelOf), labels: shades.map(readableOn)}];
    }));
    const grey = mixed(ground, ink, 0.16);
    this.unmatched = {shades: [pixelOf(grey), pixelOf(mixed(grey, ground, 0.3))], labels: [readableOn(grey), readableOn(grey)]};
    this.ofSite = spans.sites.map((site) => this.tints.get(laneTint(site)));
    this.outline = style.getPropertyValue('--ink').trim();
    this.halo = style.getPropertyValue('--card').trim();
  }
}
