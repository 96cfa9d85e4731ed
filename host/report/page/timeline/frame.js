// SPDX-License-Identifier: Apache-2.0
// One picture of the visible interval: each column drawn as stacked categories or as a band for each block.

// Remainders of blocks that live for the whole run are at the bottom, the others at the top.
const STATIC_CATEGORIES = [0, 1];
const PASSING_CATEGORIES = [2, 3, 4, 5, 6, 7];
const LEAST_ROWS = 1 / 16;  // of the smallest block considered
const MOST_LABELS = 200;

class Frame {
  // `scale` is the number of its pixels per CSS pixel.
  constructor(events, view, layout, settings, scale, height) {
    Object.assign(this, {events, view, layout, settings, scale});
    this.width = Math.max(1, Math.round(view.width * scale));
    this.height = Math.max(1, Math.round(height * scale));
    this.columns = new PixelColumns(events, view, this.width);
    this.categoryBytes = this.columns.categoryBytes(settings.hidden);
    this.totals = new Float64Array(this.width);
    this.categoryBytes.forEach((bytes, i) => { this.totals[i % this.width] += bytes; });
    this.labels = [];
  }

  draw(raster, palette, vertical) {
    this.vertical = vertical;
    this.palette = palette;
    this.raster = raster;
    const bytesPerRow = vertical.span / this.height;
    raster.begin(palette.ground, vertical.low, bytesPerRow);
    this.arranged = null;
    if (this.settings.shows === 'categories') this.drawCategories();
    else this.drawBlocks(bytesPerRow);
    this.labels.sort((a, b) => b.columns - a.columns).splice(MOST_LABELS);
  }

  drawCategories() {
    for (let category = 0; category < CATEGORY_COUNT; ++category) {
      const {shades, edge, hatch} = this.palette.categories[category];
      this.raster.stack(0, this.width - 1, 0, this.ofCategory(this.categoryBytes, category), shades[0], edge, hatch);
    }
  }

  drawBlocks(bytesPerRow) {
    const {hidden, pinned, leastBytes, most} = this.settings;
    this.arranged = this.layout.arrange(this.columns, this.categoryBytes,
      {bytesPerRow, hidden, pinned, most, leastBytes: Math.max(leastBytes, bytesPerRow * LEAST_ROWS)});
    this.drawRemainders(STATIC_CATEGORIES);
    this.pinnedBand = null;
    for (const band of this.arranged.bands) {
      if (band.id === pinned) this.pinnedBand = this.outline(band);
      if (band.members) this.drawJoined(band);
      else this.drawOwn(band);
    }
    this.drawRemainders(PASSING_CATEGORIES);
  }

  drawOwn({id, category, from, to}) {
    const isMatch = this.isMatch(id);
    const {shades, edge, hatch} = isMatch ? this.palette.categories[category] : this.palette.unmatched;
    const shade = Math.imul(id, 0x9e3779b1) >>> 30;
    const room = this.raster.stack(from, to, this.events.bytes[id], null, shades[shade], edge, hatch);
    if (room) this.labels.push({...room, id, category, shade, isMatch});
  }

  drawJoined(band) {
    const isMatch = !this.settings.matches || this.layout.membersAmong(band, (id) => this.isMatch(id));
    const {shades, edge, hatch} = isMatch ? this.palette.categories[band.category] : this.palette.unmatched;
    const shade = Math.imul(band.firstModule + 1, 0x9e3779b1) >>> 30;
    const room = this.raster.stack(band.from, band.to, 0, this.layout.heights(band), shades[shade], edge, hatch);
    if (room) this.labels.push({...room, band, category: band.category, shade, isMatch});
  }

  drawRemainders(categories) {
    for (const category of categories) {
      const colours = this.settings.matches ? this.palette.unmatched : this.palette.categories[category];
      this.raster.stack(0, this.width - 1, 0, this.ofCategory(this.arranged.remainder, category), colours.remainder, colours.edge, colours.hatch);
    }
  }

  ofCategory(bytes, category) { return bytes.subarray(category * this.width, (category + 1) * this.width); }
  isMatch(id) { return !this.settings.matches || this.settings.matches[this.events.site[id]] === 1; }

  // The position of a band: its columns, and the bytes below it in each.
  outline({id, from, to}) {
    return {id, from, to, below: this.raster.stacked.slice(from, to + 1), bytes: this.events.bytes[id]};
  }

  // Calls visit(what, low, high) for everything drawn in a column, from the bottom up, until it returns true. `what`:
  // {id}, {band}, {remainder: category} or {category}.
  walk(column, visit) {
    let low = 0;
    const next = (what, bytes) => visit(what, low, low += bytes);
    const categories = (list, bytes, name) => list.some((category) => next({[name]: category}, bytes[category * this.width + column]));
    if (!this.arranged) return categories(d3.range(CATEGORY_COUNT), this.categoryBytes, 'category');
    if (categories(STATIC_CATEGORIES, this.arranged.remainder, 'remainder')) return true;
    for (const band of this.arranged.bands) {
      if (column < band.from || column > band.to) continue;
      const isLast = band.members ? next({band}, d3.sum(this.layout.membersAt(band, column), (id) => this.events.bytes[id]))
        : next({id: band.id}, this.events.bytes[band.id]);
      if (isLast) return true;
    }
    return categories(PASSING_CATEGORIES, this.arranged.remainder, 'remainder');
  }

  // What is drawn at a height of a column, with its lower and upper bytes: as in walk(), for joined bands with their
  // `ids`; or null.
  bandAt(column, bytes) {
    let found = null;
    if (bytes >= 0) this.walk(column, (what, low, high) => bytes < high && Boolean(found = {...what, low, high}));
    if (found && found.band) found.ids = this.layout.membersAt(found.band, column);
    return found;
  }

  // The lower and upper bytes of the same item in another column, or null.
  extentAt(column, {id, band, remainder, category}) {
    let found = null;
    this.walk(column, (what, low, high) => what.id === id && what.band === band && what.remainder === remainder && what.category === category
      && Boolean(found = {low, high}));
    return found;
  }
}
