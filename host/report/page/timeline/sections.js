// SPDX-License-Identifier: Apache-2.0
// The columns of allocations and frees, as host/report/stream/event_columns.cpp packs them (docs/report.md).

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Each section's bytes by name. Throws if the lengths do not add up: the file was truncated or changed.
async function readSections(packed, lengths) {
  const bytes = await inflate(fromBase64(packed));
  const sections = {};
  let at = 0;
  for (const [name, length] of lengths) {
    sections[name] = bytes.subarray(at, at += length);
  }
  if (at !== bytes.length) throw new Error(`${bytes.length} bytes of columns where ${at} are announced`);
  return sections;
}

// Reads `count` LEB128 numbers, by multiplication because sizes exceed 32 bits. Always into one type of array, which
// keeps the loop fast; callers that need another type copy.
function readNumbers(bytes, count) {
  const numbers = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; ++i) {
    let byte = bytes[at++];
    if (byte < 128) {
      numbers[i] = byte;
      continue;
    }
    let number = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = bytes[at++];
      number += (byte & 127) * scale;
    }
    numbers[i] = number;
  }
  return numbers;
}

// How many numbers the bytes hold: the number of bytes that end one.
function countNumbers(bytes) {
  let count = 0;
  for (let i = 0; i < bytes.length; ++i) if (bytes[i] < 128) ++count;
  return count;
}

const readAllNumbers = (bytes) => readNumbers(bytes, countNumbers(bytes));

// 0, 1, 2, 3, ... as 0, -1, 1, -2, ...
const signed = (number) => (number % 2 === 0 ? number / 2 : -(number + 1) / 2);
