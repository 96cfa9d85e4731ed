// SPDX-License-Identifier: Apache-2.0
'use strict';
// Number formats of the page. The terminal report formats quantities the same way.

const MIB = 1024 * 1024;

function withThousands(number, decimals = 0) {
  return number.toLocaleString('en-US', {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
}

// MiB with `decimals` digits. A positive amount that would round to zero reads "<0.1"; only zero reads "0".
function mebibytes(bytes, decimals) {
  const smallest = 10 ** -decimals;
  if (bytes > 0 && bytes / MIB < smallest / 2) return `<${smallest.toFixed(decimals)}`;
  return withThousands(bytes / MIB, decimals);
}

function exactBytes(bytes) { return `${withThousands(bytes, Number.isInteger(bytes) ? 0 : 1)} bytes`; }

function percentage(part, whole) { return whole > 0 ? `${(100 * part / whole).toFixed(1)}%` : '–'; }

function duration(ns) {
  if (ns >= 1e9) return `${withThousands(ns / 1e9, 2)} s`;
  if (ns >= 1e6) return `${withThousands(ns / 1e6, 1)} ms`;
  if (ns >= 1e3) return `${withThousands(ns / 1e3, 1)} µs`;
  return `${Math.round(ns)} ns`;
}

// Labels of a time axis with ticks every stepNs up to endNs: one unit for all labels, and enough digits to distinguish
// neighbours.
function timeLabels(stepNs, endNs) {
  const [unit, ns] = endNs >= 1e9 ? ['s', 1e9] : endNs >= 1e6 ? ['ms', 1e6] : ['µs', 1e3];
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(stepNs / ns) - 1e-9)));
  return (value) => `${withThousands(value / ns, decimals)} ${unit}`;
}

// Round ticks from lowBytes to highBytes, in powers of 1024, with their labels.
function byteTicks(lowBytes, highBytes, count) {
  const [unit, bytes] = highBytes >= 4096 * MIB ? ['GiB', 1024 * MIB] : highBytes >= 4 * MIB ? ['MiB', MIB] : ['KiB', 1024];
  const values = d3.ticks(lowBytes / bytes, highBytes / bytes, count);
  const step = values.length > 1 ? values[1] - values[0] : 1;
  const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return values.map((value) => ({bytes: value * bytes, label: `${withThousands(value, decimals)} ${unit}`}));
}

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);
