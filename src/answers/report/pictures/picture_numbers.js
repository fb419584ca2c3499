// SPDX-License-Identifier: Apache-2.0
// Numbers and names as people read them, for the scripts inside pictures; the same rules as base/human.c
// and svg_out.c.
const pictureNumbers = (function () {
'use strict';

function digits(value) {
  const size = Math.abs(value);
  return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

function exact(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

function human(value, unit) {
  if (unit !== 'bytes' && unit !== 'ns') return exact(value);
  const step = unit === 'bytes' ? 1024 : 1000;
  const words = unit === 'bytes' ? ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] : ['ns', 'us', 'ms', 's'];
  let at = 0;
  while (Math.abs(value) >= step - (at ? 0.5 : 0) && at + 1 < words.length) {
    value /= step;
    at++;
  }
  return (at ? digits(value) : value) + ' ' + words[at];
}

function share(part, whole) {
  const percent = whole ? 100 * part / whole : 0;
  return part && percent < 0.05 ? '<0.1 %' : percent.toFixed(1) + ' %';
}

// Two digits: to tell frames apart that are nearly the same.
function fineShare(part, whole) {
  const percent = whole ? 100 * part / whole : 0;
  return part && Math.abs(percent) < 0.005 ? '<0.01 %' : percent.toFixed(2) + ' %';
}

// Columns of a monospaced font, as svg_out.c counts them.
function cellsOf(text) {
  return Array.from(text).reduce((sum, c) =>
    sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|[\u{1f300}-\u{10ffff}]/u.test(c) ? 2 : 1), 0);
}

function cutText(text, cells) {
  if (cellsOf(text) <= cells) return text;
  let kept = '', used = 1;
  for (const c of text) {
    used += cellsOf(c);
    if (used > cells) break;
    kept += c;
  }
  return kept + '\u2026';
}

return {exact, human, share, fineShare, cellsOf, cutText};
})();
