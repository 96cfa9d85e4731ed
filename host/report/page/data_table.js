// SPDX-License-Identifier: Apache-2.0
// A table that can be sorted by its headings, filtered by the text above it, and copied as CSV. Names are inserted as
// text, never as markup.
//
// Headings: {text, kind}. Cells: a text, or {text, title, swatch, value}. `value` is the sort key and the value in the
// CSV: a number, or null if unknown. A cell with `pick` is a button; `title` is its name. Rows: {cells, class}; a row
// of class `total` stays last.

const FEWEST_TO_FILTER = 6;

class DataTable {
  constructor(table, headings, rows) {
    this.headings = headings;
    this.sorted = null;  // {column, isDown}
    this.words = [];
    this.table = table;
    this.take(rows);
    if (rows.length > 0) this.addTools();
    const heads = table.append('thead').append('tr').selectAll('th').data(headings).enter().append('th')
      .attr('scope', 'col').attr('class', (heading) => heading.kind || null);
    heads.append('button').attr('type', 'button').attr('class', 'sort')
      .on('click', (_, column) => this.sortBy(column)).append('span').text((heading) => heading.text);
    heads.selectAll('button').append('span').attr('class', 'sort-mark').attr('aria-hidden', 'true');
    this.heads = heads;
    this.body = table.append('tbody');
    this.draw();
  }

  take(rows) {
    this.rows = rows.map((row, index) => ({...row, index, cells: row.cells.map((cell) => (cell !== null && typeof cell === 'object' ? cell : {text: String(cell)}))}));
  }

  // Replaces the rows; sorting and filter stay.
  show(rows) {
    this.take(rows);
    this.draw();
  }

  // Above the table, outside the scrolling area.
  addTools() {
    const scroll = this.table.node().closest('.scroll') || this.table.node();
    const tools = d3.select(scroll.parentNode).insert('div', () => scroll).attr('class', 'table-tools');
    const label = this.table.attr('id').replaceAll('-', ' ');
    if (this.rows.length >= FEWEST_TO_FILTER) {
      const input = tools.append('input').attr('type', 'search').attr('class', 'filter').attr('placeholder', 'filter rows')
        .attr('aria-label', `Filter ${label}`);
      input.on('input', () => this.filterBy(input.property('value')));
      // Keys typed here must not trigger the page's shortcuts.
      input.node().addEventListener('keydown', (event) => event.stopPropagation());
      this.count = tools.append('span').attr('class', 'quiet').attr('aria-live', 'polite');
    }
    const button = tools.append('button').attr('type', 'button').attr('class', 'copy').attr('aria-label', `Copy ${label} as CSV`).text('Copy CSV');
    button.on('click', async () => {
      button.text(await copyText(this.csv()) ? 'Copied' : 'Could not copy');
      setTimeout(() => button.text('Copy CSV'), 1500);
    });
  }

  // Numbers start with the largest, names in alphabetical order; a second click reverses the order.
  sortBy(column) {
    const isDown = this.sorted && this.sorted.column === column ? !this.sorted.isDown : this.headings[column].kind === 'number';
    this.sorted = {column, isDown};
    this.draw();
  }

  // Rows that contain every word, in any cells.
  filterBy(text) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.draw();
  }

  shown() {
    const rows = this.rows.filter(({cells}) => {
      const text = cells.map((cell) => cell.text).join(' ').toLowerCase();
      return this.words.every((word) => text.includes(word));
    });
    if (this.sorted) rows.sort((a, b) => this.compare(a, b));
    return rows;
  }

  compare(a, b) {
    const {column, isDown} = this.sorted;
    const isTotal = (row) => row.class === 'total';
    if (isTotal(a) !== isTotal(b)) return isTotal(a) ? 1 : -1;
    const [left, right] = [a, b].map((row) => sortValue(row.cells[column]));
    if ((left === null) !== (right === null)) return left === null ? 1 : -1;  // unknown values always come last
    const order = left === right ? 0 : typeof left === typeof right ? (left < right ? -1 : 1) : (typeof left === 'number' ? -1 : 1);
    return (isDown ? -order : order) || a.index - b.index;
  }

  draw() {
    this.heads.attr('aria-sort', (_, column) => (!this.sorted || this.sorted.column !== column ? 'none' : this.sorted.isDown ? 'descending' : 'ascending'));
    this.heads.select('.sort-mark').text((_, column) => (!this.sorted || this.sorted.column !== column ? '' : this.sorted.isDown ? '▼' : '▲'));
    this.body.selectAll('*').remove();
    const rows = this.shown();
    if (this.count) this.count.text(this.words.length > 0 ? `${rows.length} of ${this.rows.length}` : '');
    this.body.selectAll('tr').data(rows).enter().append('tr').attr('class', (row) => row.class || null)
      .selectAll('td').data((row) => row.cells).enter().append('td').each(fillCell);
    const kinds = this.headings.map(({kind}) => kind || null);
    this.body.selectAll('tr').each(function mark() { d3.select(this).selectAll('td').attr('class', (_, i) => kinds[i]); });
  }

  csv() {
    // A non-finite number is only a sort key.
    const value = (cell) => (cell.value === null ? '' : Number.isFinite(cell.value) ? cell.value : cell.text);
    return csvText([this.headings.map(({text, csv}) => csv || text), ...this.shown().map(({cells}) => cells.map(value))]);
  }
}

// A text that is a number is sorted as a number.
function sortValue({text, value}) {
  if (value !== undefined) return value;
  const number = Number(text.replaceAll(',', '').replace(/%$/, ''));
  return text.trim() === '' || text === '–' ? null : Number.isNaN(number) ? text.toLowerCase() : number;
}

function fillCell({text, title, swatch, pick}) {
  const element = d3.select(this);
  if (swatch) element.append('span').attr('class', `swatch ${swatch}`);
  if (pick) element.append('button').attr('type', 'button').attr('class', 'pick').attr('aria-label', title).text(text).on('click', pick);
  else element.append('span').text(text);
  if (title) element.attr('title', title);
}
