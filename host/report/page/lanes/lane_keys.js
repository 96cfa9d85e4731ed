// SPDX-License-Identifier: Apache-2.0
// Keyboard navigation of the lanes: between spans of a row and between rows. A screen reader reads the selected span.

class LaneKeys {
  constructor(lanes, pinned) {
    Object.assign(this, {lanes, pinned});
    lanes.canvas.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.press(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    lanes.canvas.addEventListener('blur', () => {
      lanes.selected = -1;
      lanes.tooltip.hide();
      lanes.draw();
    });
  }

  press({key, shiftKey}) {
    const {lanes} = this;
    const direction = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1}[key];
    if (['ArrowLeft', 'ArrowRight'].includes(key)) shiftKey ? lanes.chart.view.panBy(direction * 0.2) : this.along(direction);
    else if (direction) this.across(direction);
    else if (key === 'Enter' && lanes.selected >= 0) this.pinned.pin(lanes.selected);
    else return false;
    return true;
  }

  // The row of the selected span, or the first open row.
  place() {
    const {layout, spans, selected} = this.lanes;
    return (selected >= 0 && layout.rowOf(spans, selected)) || layout.rows[0];
  }

  along(direction) {
    const {view} = this.lanes.chart;
    const place = this.place();
    if (!place || place.row.ids.length === 0) return;
    const {row} = place;
    const at = row.ids.indexOf(this.lanes.selected);
    const next = at >= 0 ? at + direction : row.nearest(view, view.begin);
    this.select(row.ids[Math.min(Math.max(next, 0), row.ids.length - 1)]);
  }

  across(direction) {
    const {layout, selected, spans, chart} = this.lanes;
    const {view} = chart;
    const position = selected >= 0 ? view.positionOfNs(spans.begin[selected]) : view.begin;
    const from = layout.rows.indexOf(this.place());
    for (let i = from + (selected >= 0 ? direction : 0); i >= 0 && i < layout.rows.length; i += direction) {
      const {row} = layout.rows[i];
      if (row.ids.length === 0) continue;
      this.select(row.ids[row.nearest(view, position)]);
      return;
    }
  }

  select(id) {
    const {lanes} = this;
    const {spans, chart, run} = lanes;
    const {view} = chart;
    lanes.selected = id;
    const [begin, end] = [spans.begin[id], spans.end[id]].map((ns) => view.positionOfNs(ns));
    if (end < view.begin || begin > view.end) view.show(begin - view.span / 2, begin + view.span / 2);
    else lanes.draw();
    const x = Math.min(Math.max(view.x((begin + end) / 2), 0), view.width);
    lanes.tell({id}, x, lanes.layout.rowOf(spans, id).top + LANE_ROW / 2);
    d3.select('#spoken').text(`${spanTitle(spans, id)}. ${spanRows(run, spans, id).map(([what, text]) => `${what}: ${text}`).join('. ')}`);
  }
}
