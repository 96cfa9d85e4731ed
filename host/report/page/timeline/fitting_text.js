// SPDX-License-Identifier: Apache-2.0
// How much of a text has room in a drawing.

const FEWEST_CHARACTERS = 3;  // before the dots: less says nothing
const NARROWEST_TEXT = 24;    // nothing is measured for what is narrower: there are thousands of them

// All of it, its beginning with dots, or nothing; in the context's present font.
function fittingText(context, text, width) {
  if (width < NARROWEST_TEXT) return '';
  if (context.measureText(text).width <= width) return text;
  let [fits, tooLong] = [0, text.length];
  while (tooLong - fits > 1) {
    const tried = (fits + tooLong) >> 1;
    if (context.measureText(`${text.slice(0, tried)}…`).width <= width) fits = tried;
    else tooLong = tried;
  }
  return fits < FEWEST_CHARACTERS ? '' : `${text.slice(0, fits)}…`;
}
