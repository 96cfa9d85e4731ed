// SPDX-License-Identifier: Apache-2.0
// The page's colours (page.css) as ImageData pixels: 0xAABBGGRR, because all current machines are little-endian.

function parseColour(text) {
  return [1, 3, 5].map((at) => parseInt(text.trim().slice(at, at + 2), 16));
}

const mixed = (one, other, part) => one.map((channel, i) => Math.round(channel + (other[i] - channel) * part));
const pixelOf = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;

const SHADES = [0, 0.1, 0.2, 0.3];  // between neighbours, towards the background colour
const REMAINDER_PART = 0.5;
const EDGE_PART = 0.45;

class Palette {
  constructor(slugs) {
    const style = getComputedStyle(document.documentElement);
    const variable = (name) => parseColour(style.getPropertyValue(`--${name}`));
    const ground = variable('card');
    const ink = variable('ink');
    this.ground = pixelOf(ground);
    this.known = new Map();
    this.style = style;
    this.categories = slugs.map((slug) => {
      const colour = variable(slug);
      return {
        colour,
        shades: SHADES.map((part) => pixelOf(mixed(colour, ground, part))),
        remainder: pixelOf(mixed(colour, ground, REMAINDER_PART)),
        edge: pixelOf(mixed(colour, [0, 0, 0], EDGE_PART)),
        // Unknown memory is always hatched.
        hatch: slug === 'unknown' ? pixelOf(variable('hatch')) : 0,
        labels: SHADES.map((part) => readableOn(mixed(colour, ground, part))),
      };
    });
    const grey = mixed(ground, ink, 0.16);
    this.unmatched = {shades: SHADES.map((part) => pixelOf(mixed(grey, ground, part))), remainder: pixelOf(mixed(ground, ink, 0.07)),
      edge: pixelOf(mixed(ground, ink, 0.26)), hatch: 0};
  }

  // Cached: asking the browser each time would cost more than drawing.
  css(name) {
    if (!this.known.has(name)) this.known.set(name, this.style.getPropertyValue(`--${name}`).trim());
    return this.known.get(name);
  }
}

// Black or white: one of them has a contrast of at least 4.58 with any colour.
function readableOn(colour) { return luminanceOf(colour) > 0.1791 ? '#000000' : '#ffffff'; }

function luminanceOf(colour) {
  const [r, g, b] = colour.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
