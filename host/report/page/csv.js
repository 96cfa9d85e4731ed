// SPDX-License-Identifier: Apache-2.0
// A table as CSV (RFC 4180), and how it gets into the clipboard.

// A spreadsheet takes a text that opens with one of these for a formula, and runs it: names come from anybody.
const FORMULA_OPENINGS = /^[=+\-@\t\r]/;

function csvCell(value) {
  if (typeof value === 'number') return String(value);
  const text = FORMULA_OPENINGS.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csvText = (rows) => rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

// Browsers let a page that was opened from a file write to the clipboard by one way or by the other.
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
