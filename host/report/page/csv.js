// SPDX-License-Identifier: Apache-2.0
// Formats a table as CSV (RFC 4180) and copies it to the clipboard.

// A spreadsheet runs a text that begins with one of these characters as a formula, and names are untrusted.
const FORMULA_OPENINGS = /^[=+\-@\t\r]/;

function csvCell(value) {
  if (typeof value === 'number') return String(value);
  const text = FORMULA_OPENINGS.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csvText = (rows) => rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

// Which of the two clipboard methods works on a page opened from a file depends on the browser.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'visually-hidden';
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}
