// SPDX-License-Identifier: Apache-2.0
// The shapes of the timeline as a table; a click on a name shows the shape in the timeline.

function fillShapes(run, labels) {
  const {shapes} = labels;
  d3.select('#shapes-none').text(shapes.length > 0 ? ''
    : 'No shape was found: their rules need complete steps in the window, with phases, modules and operators.');
  d3.select('#shapes-scroll').attr('hidden', shapes.length > 0 ? null : '');
  if (run.left_out.shapes > 0) d3.select('#shapes-left-out').text(`the largest; ${withThousands(run.left_out.shapes)} more: strata report --shapes`);
  if (shapes.length === 0) return;
  const headings = [{text: 'Shape'}, {text: 'Where'}, inBytes('MiB'), {text: 'Module', kind: 'name'}, {text: 'What it is', kind: 'wrapped'},
    {text: 'What would change it', kind: 'wrapped'}];
  fillTable(d3.select('#shapes'), headings, shapes.map((shape) => ({cells: [
    {text: shape.title, pick: () => labels.visit(shape), title: `${shape.title}: show it in the timeline`},
    shapeWhere(shape).replace(/, .*/, ''), amount(run, shape.bytes), {text: shape.layer, title: shape.layer}, shape.sentence, shape.remedy]})));
}
