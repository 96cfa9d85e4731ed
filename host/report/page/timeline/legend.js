// SPDX-License-Identifier: Apache-2.0
// The categories as buttons that show or hide them.

function fillLegend(chart) {
  const hidden = new Set();
  const buttons = d3.select('#legend').selectAll('button').data(chart.run.categories).enter().append('button')
    .attr('type', 'button').attr('aria-pressed', 'true')
    .on('click', (_, category) => {
      if (!hidden.delete(category)) hidden.add(category);
      buttons.attr('aria-pressed', (__, other) => (hidden.has(other) ? 'false' : 'true'));
      chart.set({hidden: new Set(hidden)});
    });
  buttons.append('span').attr('class', ({slug}) => `swatch ${slug}`);
  buttons.append('span').text(({name}) => name);
}
