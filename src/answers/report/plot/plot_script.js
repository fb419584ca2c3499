// SPDX-License-Identifier: Apache-2.0
// The readout of a plot: what every curve says under the pointer, or under a cursor moved by the arrow
// keys.  It runs inside the SVG file and fetches nothing.  Names are only ever set as text.
(function () {
'use strict';

const {exact, human, cutText} = pictureNumbers;
const SVG = 'http://www.w3.org/2000/svg', COLUMN = 9, LINE = 17;
const svg = (document.currentScript && document.currentScript.ownerSVGElement) || document.documentElement;
const data = JSON.parse(svg.querySelector('#data').textContent);
const stride = data.sites.length + 2; // time, sites, other
const count = data.columns.length / COLUMN;
if (!count) return;

function make(parent, name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

const cursor = make(svg, 'line', {class: 'cursor', y1: data.top, y2: data.bottom, visibility: 'hidden'});
const tip = make(svg, 'g', {class: 'tip', visibility: 'hidden'});
const field = make(svg, 'rect', {
  class: 'field', x: data.left, y: data.top, width: data.right - data.left, height: data.bottom - data.top,
  tabindex: 0, role: 'slider', 'aria-label': 'Time: move with the arrow keys', 'aria-valuemin': 0,
  'aria-valuemax': count - 1, 'aria-valuenow': 0});
let at = count - 1;

function toX(time) {
  return data.left + (time - data.from) / (data.to - data.from) * (data.right - data.left);
}

// The last instant that is not after the end of the column under the cursor.
function instantAt(time) {
  let low = 0, high = data.instants.length / stride - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (data.instants[middle * stride] <= time) low = middle;
    else high = middle - 1;
  }
  return data.instants.slice(low * stride, (low + 1) * stride);
}

function duration(ns) {
  if (ns < 60e9) return human(ns, 'ns');
  const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  let seconds = Math.round(ns / 1e9);
  return units.map(([size, word]) => {
    const n = Math.floor(seconds / size);
    seconds -= n * size;
    return n ? n + ' ' + word : '';
  }).filter(Boolean).slice(0, 3).join(' ');
}

// Lines of the readout: [class of the swatch or '', name, value].
function linesOf(column) {
  const [begin, end, live, max, min, rss, bytes, calls, lost] = column;
  const seconds = (end - begin) / 1e9;
  const lines = [];
  if (data.heap && live >= 0) lines.push(['', 'live heap', human(live, 'bytes')]);
  if (data.heap && max >= 0) lines.push(['', 'lowest to highest', human(min, 'bytes') + ' to ' + human(max, 'bytes')]);
  if (rss >= 0) lines.push(['', 'RSS', human(rss, 'bytes')]);
  if (data.heap && seconds > 0)
    lines.push(['', 'allocated', human(Math.round(bytes / seconds), 'bytes') + '/s, ' + exact(Math.round(calls / seconds)) + ' calls/s']);
  if (lost) lines.push(['', 'events lost', exact(lost)]);
  const instant = instantAt(end);
  const suffix = data.rate ? '/s' : '';
  data.sites.concat('other').forEach((name, i) => lines.push(
    [i < data.sites.length ? 'area s' + i : 'other', cutText(name, 40), human(Math.max(0, instant[i + 1]), data.unit) + suffix]));
  return lines;
}

function show(index) {
  at = Math.max(0, Math.min(count - 1, index));
  const column = data.columns.slice(at * COLUMN, (at + 1) * COLUMN);
  const x = toX(column[1]), lines = linesOf(column);
  cursor.setAttribute('x1', x);
  cursor.setAttribute('x2', x);
  cursor.setAttribute('visibility', 'visible');
  tip.replaceChildren();
  const box = make(tip, 'rect', {class: 'box', rx: 4});
  make(tip, 'text', {class: 'b', x: 10, y: 19}, duration(column[0]) + ' to ' + duration(column[1]));
  const names = lines.map((line, i) => {
    if (line[0]) make(tip, 'rect', {class: line[0], x: 10, y: 27 + LINE * i, width: 11, height: 11});
    return make(tip, 'text', {x: 27, y: 37 + LINE * i}, line[1]);
  });
  const nameRoom = Math.max(...names.map(text => text.getComputedTextLength()));
  const values = lines.map((line, i) => make(tip, 'text', {class: 'm', x: 27 + nameRoom + 14, y: 37 + LINE * i}, line[2]));
  const width = 27 + nameRoom + 14 + Math.max(...values.map(text => text.getComputedTextLength())) + 12;
  box.setAttribute('width', width);
  box.setAttribute('height', 37 + LINE * lines.length - 4);
  const isLeft = x + width + 14 > svg.viewBox.baseVal.width;
  tip.setAttribute('transform', 'translate(' + Math.max(2, isLeft ? x - width - 14 : x + 14) + ',' + (data.top + 6) + ')');
  tip.setAttribute('visibility', 'visible');
  field.setAttribute('aria-valuenow', at);
  field.setAttribute('aria-valuetext', duration(column[1]) + ': ' + lines.map(line => line[1] + ' ' + line[2]).join(', '));
}

function hide() {
  cursor.setAttribute('visibility', 'hidden');
  tip.setAttribute('visibility', 'hidden');
}

field.addEventListener('mousemove', event => {
  const box = field.getBoundingClientRect();
  const time = data.from + (event.clientX - box.left) / box.width * (data.to - data.from);
  let low = 0, high = count - 1;
  while (low < high) { // the first column that ends after this time
    const middle = Math.floor((low + high) / 2);
    if (data.columns[middle * COLUMN + 1] < time) low = middle + 1;
    else high = middle;
  }
  show(low);
});
field.addEventListener('mouseleave', hide);
field.addEventListener('focus', () => { if (field.matches(':focus-visible')) show(at); });
field.addEventListener('blur', hide);
field.addEventListener('keydown', event => {
  const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -count, End: count}[event.key];
  if (event.key === 'Escape') hide();
  if (!step) return;
  event.preventDefault();
  show(at + step);
});
svg.setAttribute('role', 'group');
})();
