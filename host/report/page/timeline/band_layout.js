// SPDX-License-Identifier: Apache-2.0
// Which bands the blocks of a frame form, from the bottom up in order of allocation, as in memory_viz. A block that is
// high enough is a band of its own. Smaller blocks are joined with neighbours of the same category and module until the
// band is visible. Blocks too small even for that form the category's remainder, which is exact: the category's bytes
// minus everything drawn of it. So the bands of a column add up to the allocated bytes.

const OWN_ROWS = 2;
const JOINED_ROWS = 1.5;

class BandLayout {
  constructor(events) {
    this.events = events;
    this.candidates = new Candidates(events);
    this.modules = siteModules(events.sites);
  }

  // {bands: [{id} or {members: [candidate...]}, each with category, from, to], remainder: as categoryBytes}
  arrange(columns, categoryBytes, settings) {
    const {events} = this;
    const candidates = this.candidates.collect(columns, settings);
    const {ids, from, to, count} = candidates;
    this.bytesPerRow = settings.bytesPerRow;
    this.bands = [];
    this.open = new Array(CATEGORY_COUNT).fill(null);
    const lastSmall = new Int32Array(CATEGORY_COUNT).fill(-1);
    const isOwn = (slot) => events.bytes[ids[slot]] >= OWN_ROWS * settings.bytesPerRow || ids[slot] === settings.pinned;
    const categoryOf = (slot) => events.categoryOfSite[events.site[ids[slot]]];
    for (let slot = 0; slot < count; ++slot) if (!isOwn(slot)) lastSmall[categoryOf(slot)] = slot;
    for (let slot = 0; slot < count; ++slot) {
      const category = categoryOf(slot);
      if (isOwn(slot)) {
        this.bands.push({id: ids[slot], category, from: from[slot], to: to[slot]});
        continue;
      }
      this.join(slot, category);
      // Otherwise a later band of the category would carry it above much younger blocks.
      if (slot === lastSmall[category]) this.close(category);
    }
    return {bands: this.bands, remainder: this.remainder(columns, categoryBytes), isCut: candidates.isCut};
  }

  join(slot, category) {
    const {ids, from, to} = this.candidates;
    const {bytes, site} = this.events;
    const module = this.modules.of[site[ids[slot]]];
    let joined = this.open[category];
    if (joined && joined.lastModule !== module && this.rows(joined) >= JOINED_ROWS) {
      this.close(category);
      joined = null;
    }
    if (!joined) {
      joined = {members: [], category, from: from[slot], to: to[slot], firstModule: module, lastModule: module, area: 0};
      this.open[category] = joined;
    }
    joined.members.push(slot);
    joined.lastModule = module;
    joined.from = Math.min(joined.from, from[slot]);
    joined.to = Math.max(joined.to, to[slot]);
    joined.area += bytes[ids[slot]] * (to[slot] - from[slot] + 1);
  }

  // The average height.
  rows({area, from, to}) { return area / (to - from + 1) / this.bytesPerRow; }

  // A band too small to be visible goes to the remainder.
  close(category) {
    const joined = this.open[category];
    this.open[category] = null;
    if (joined && this.rows(joined) >= JOINED_ROWS / 3) this.bands.push(joined);
  }

  remainder(columns, categoryBytes) {
    const {count} = columns;
    const {ids, from, to} = this.candidates;
    const {bytes} = this.events;
    const drawn = new Float64Array(CATEGORY_COUNT * (count + 1));
    const draw = (category, id, first, last) => {
      drawn[category * (count + 1) + first] += bytes[id];
      drawn[category * (count + 1) + last + 1] -= bytes[id];
    };
    for (const band of this.bands) {
      if (band.members) for (const slot of band.members) draw(band.category, ids[slot], from[slot], to[slot]);
      else draw(band.category, band.id, band.from, band.to);
    }
    const left = new Float64Array(CATEGORY_COUNT * count);
    for (let category = 0; category < CATEGORY_COUNT; ++category) {
      for (let column = 0, sum = 0; column < count; ++column) {
        sum += drawn[category * (count + 1) + column];
        left[category * count + column] = categoryBytes[category * count + column] - sum;
      }
    }
    return left;
  }

  // The bytes of a joined band in each of its columns, starting at `from`.
  heights({members, from, to}) {
    const {candidates, events} = this;
    const heights = new Float64Array(to - from + 2);
    for (const slot of members) {
      heights[candidates.from[slot] - from] += events.bytes[candidates.ids[slot]];
      heights[candidates.to[slot] - from + 1] -= events.bytes[candidates.ids[slot]];
    }
    for (let i = 1; i < heights.length; ++i) heights[i] += heights[i - 1];
    return heights;
  }

  membersAmong({members}, isOne) { return members.some((slot) => isOne(this.candidates.ids[slot])); }

  // The members that are alive in a column.
  membersAt({members}, column) {
    const {ids, from, to} = this.candidates;
    return members.filter((slot) => from[slot] <= column && column <= to[slot]).map((slot) => ids[slot]);
  }

  label({firstModule, lastModule, category}, categoryName) {
    const {names} = this.modules;
    const module = joinedModuleName(names[firstModule], names[lastModule]);
    return `${module ? `${module} × ` : ''}${categoryName.toLowerCase().replace('_', ' ')}`;
  }
}
