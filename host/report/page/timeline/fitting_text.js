// SPDX-License-Identifier: Apache-2.0
// Fits a text into a given width of a drawing.

const FEWEST_CHARACTERS = 3;  // letters before the dots: with fewer the text is useless
const NARROWEST_TEXT = 24;    // narrower places are not measured: there are thousands of them

// The whole text, its beginning with dots, or nothing, in the context's current font.
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
