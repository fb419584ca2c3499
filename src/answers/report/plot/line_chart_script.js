// SPDX-License-Identifier: Apache-2.0
// The readout of a line chart: the number of every line at the time under the pointer, or under a cursor moved by the
// arrow keys.  It runs inside the SVG file and fetches nothing.  Names are only ever set as text.
(function () {
'use strict';

const {human, cutText} = pictureNumbers;
const SVG = 'http://www.w3.org/2000/svg', LINE = 16, SHOWN = 18;
const svg = (document.currentScript && document.currentScript.ownerSVGElement) || document.documentElement;
const data = JSON.parse(svg.querySelector('#data').textContent);
const times = Array.from(new Set(data.lanes.flatMap(lane => lane.lines.flatMap(line => line.x)))).sort((a, b) => a - b);
if (!times.length) return;

function make(parent, name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

const first = data.lanes[0], last = data.lanes[data.lanes.length - 1];
const cursor = make(svg, 'line', {class: 'cursor', y1: first.top, y2: last.bottom, visibility: 'hidden'});
const tip = make(svg, 'g', {class: 'tip', visibility: 'hidden'});
const field = make(svg, 'rect', {
  class: 'field', x: data.left, y: first.top, width: data.right - data.left, height: last.bottom - first.top,
  tabindex: 0, role: 'slider', 'aria-label': 'Place: move with the arrow keys', 'aria-valuemin': 0,
  'aria-valuemax': times.length - 1, 'aria-valuenow': 0});
let at = times.length - 1, lane = 0;

// The index of the number in a sorted list that is nearest to `value`.
function nearest(list, value) {
  let low = 0, high = list.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value - list[low - 1] < list[low] - value ? low - 1 : low;
}

function number(value, unit) {
  if (/^bytes(\/|$)/.test(unit)) return human(Math.round(value), 'bytes') + unit.slice(5);
  return value.toLocaleString('en', {maximumSignificantDigits: Math.abs(value) < 1e5 ? 6 : 15}) + (unit && unit[0] !== '/' ? ' ' : '') + unit;
}

function label(x) {
  if (!data.time) return String(data.from + x);
  return new Date((data.from + x) / 1000).toISOString().replace('T', ' ').replace('.000Z', '') .replace('Z', '') + ' UTC';
}

// [color, name, value] of the lines of a lane that have a number near here, largest first.
function linesOf(x) {
  const reach = (data.to - data.from) / (data.right - data.left) * 12;
  return data.lanes[lane].lines.map(line => {
    const i = nearest(line.x, x);
    return line.x.length && Math.abs(line.x[i] - x) <= reach && line.y[i] !== null ? [line.color, line.name, line.y[i]] : null;
  }).filter(Boolean).sort((a, b) => b[2] - a[2]);
}

function show(index) {
  at = Math.max(0, Math.min(times.length - 1, index));
  const x = data.left + times[at] / (data.to - data.from) * (data.right - data.left);
  const lines = linesOf(times[at]), shown = lines.slice(0, SHOWN), unit = data.lanes[lane].unit;
  cursor.setAttribute('x1', x);
  cursor.setAttribute('x2', x);
  cursor.setAttribute('visibility', 'visible');
  tip.replaceChildren();
  const box = make(tip, 'rect', {class: 'box', rx: 4});
  const texts = [make(tip, 'text', {class: 'b', x: 10, y: 19}, label(times[at]))];
  shown.forEach((line, i) => {
    make(tip, 'path', {class: 'curve l' + line[0], d: 'M10 ' + (33 + LINE * i) + 'h12'});
    texts.push(make(tip, 'text', {x: 28, y: 37 + LINE * i}, cutText(line[1], 48) + '  ' + number(line[2], unit)));
  });
  if (lines.length > SHOWN)
    texts.push(make(tip, 'text', {class: 'm', x: 28, y: 37 + LINE * SHOWN}, '\u2026 and ' + (lines.length - SHOWN) + ' more'));
  const width = 40 + Math.max(...texts.map(text => text.getComputedTextLength()));
  box.setAttribute('width', width);
  box.setAttribute('height', 20 + LINE * texts.length);
  const isLeft = x + width + 14 > svg.viewBox.baseVal.width;
  tip.setAttribute('transform', 'translate(' + Math.max(2, isLeft ? x - width - 14 : x + 14) + ',' + (data.lanes[lane].top + 6) + ')');
  tip.setAttribute('visibility', 'visible');
  field.setAttribute('aria-valuenow', at);
  field.setAttribute('aria-valuetext', texts.map(text => text.textContent).join(', '));
}

function hide() {
  cursor.setAttribute('visibility', 'hidden');
  tip.setAttribute('visibility', 'hidden');
}

field.addEventListener('mousemove', event => {
  const box = field.getBoundingClientRect();
  const y = first.top + (event.clientY - box.top) / box.height * (last.bottom - first.top);
  lane = Math.max(0, data.lanes.findIndex(one => y <= one.bottom));
  show(nearest(times, (event.clientX - box.left) / box.width * (data.to - data.from)));
});
field.addEventListener('mouseleave', hide);
field.addEventListener('focus', () => { if (field.matches(':focus-visible')) show(at); });
field.addEventListener('blur', hide);
field.addEventListener('keydown', event => {
  const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -times.length, End: times.length}[event.key];
  const lanes = {ArrowUp: -1, ArrowDown: 1}[event.key];
  if (event.key === 'Escape') hide();
  if (lanes) lane = Math.max(0, Math.min(data.lanes.length - 1, lane + lanes));
  if (!step && !lanes) return;
  event.preventDefault();
  show(at + (step || 0));
});
svg.setAttribute('role', 'group');
})();
