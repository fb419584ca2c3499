// SPDX-License-Identifier: Apache-2.0
// A call graph in a browser: zoom and move, search, what calls what on hover, one function's callers and callees on click.
// The picture is there without it; this only moves it and fades what is not meant.
(function () {
'use strict';
const {exact, human, share} = pictureNumbers;
const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
const svg = document.getElementById('picture'), graph = document.getElementById('graph'), header = document.getElementById('header');
const data = JSON.parse(document.getElementById('data').textContent);
const graphWidth = Math.max(1, Number(svg.dataset.width)), graphHeight = Math.max(1, Number(svg.dataset.height));
const headerHeight = header.getBBox().height, top = headerHeight + 34;
const isFile = document.documentElement === svg;
const nodes = [], edges = [];
for (const element of graph.querySelectorAll('.n'))
  nodes[element.dataset.node] = {element, out: [], into: [], self: Number(element.dataset.self),
                                 words: element.querySelector('title').textContent, box: element.querySelector('rect').getBBox()};
for (const element of graph.querySelectorAll('.e')) {
  const edge = {element, from: nodes[element.dataset.from], to: nodes[element.dataset.to]};
  edges.push(edge);
  edge.from.out.unshift(edge); // drawn lightest first
  edge.to.into.unshift(edge);
}

// ---- Place: x and y of the graph's corner in the window, and its scale --------------------------------------
const place = {x: 0, y: 0, scale: 1};
let width = 0, height = 0;

function show() {
  graph.setAttribute('transform', 'translate(' + place.x.toFixed(1) + ' ' + place.y.toFixed(1) + ') scale(' + place.scale.toFixed(4) + ')');
}

function fit() {
  const scale = Math.min((width - 28) / graphWidth, (height - top - 20) / graphHeight);
  place.scale = Math.max(0.02, Math.min(1, scale));
  place.x = Math.max(14, (width - graphWidth * place.scale) / 2);
  place.y = top + 6;
  show();
}

// A graph too large to read as a whole begins at its heaviest function.
function begin() {
  fit();
  if (place.scale > 0.5 || !nodes.length) return;
  place.scale = 0.7;
  place.x = width / 2 - (nodes[0].box.x + nodes[0].box.width / 2) * place.scale;
  place.x = Math.min(14, Math.max(place.x, width - 14 - graphWidth * place.scale));
  place.y = top + 6 - Math.max(0, nodes[0].box.y - 60) * place.scale;
  show();
}

function zoomAt(x, y, factor) {
  const scale = Math.max(0.02, Math.min(8, place.scale * factor));
  place.x = x - (x - place.x) * scale / place.scale;
  place.y = y - (y - place.y) * scale / place.scale;
  place.scale = scale;
  show();
}

function bringToSight(node) {
  const x = place.x + (node.box.x + node.box.width / 2) * place.scale, y = place.y + (node.box.y + node.box.height / 2) * place.scale;
  if (x > 60 && x < width - 60 && y > top + 40 && y < height - 40) return;
  place.x += width / 2 - x;
  place.y += (height + top) / 2 - y;
  show();
}

function resize() {
  width = Math.max(300, isFile ? window.innerWidth : document.documentElement.clientWidth);
  height = Math.max(300, isFile ? window.innerHeight : Math.round(window.innerHeight * 0.92));
  svg.setAttribute('width', width);
  svg.setAttribute('height', height);
  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
  bar.setAttribute('width', width - 20);
}

// ---- What is lit ----------------------------------------------------------------------------------------------
let chosen = null;

function light(members, lines) {
  graph.classList.add('quiet');
  for (const node of nodes) node.element.classList.toggle('lit', members.has(node));
  for (const edge of edges) edge.element.classList.toggle('lit', lines.has(edge));
}

function neighbours(node) {
  const lines = new Set(node.out.concat(node.into)), members = new Set([node]);
  for (const edge of lines) members.add(edge.from).add(edge.to);
  light(members, lines);
}

// All that leads to a function, and all that it leads to.
function family(node) {
  const lines = new Set(), members = new Set([node]);
  for (const [way, end] of [['into', 'from'], ['out', 'to']]) {
    const seen = new Set([node]), waiting = [node];
    while (waiting.length)
      for (const edge of waiting.pop()[way]) {
        lines.add(edge);
        if (seen.has(edge[end])) continue;
        seen.add(edge[end]);
        members.add(edge[end]);
        waiting.push(edge[end]);
      }
  }
  light(members, lines);
}

function settle() {
  if (chosen) family(chosen);
  else graph.classList.remove('quiet');
  for (const node of nodes) node.element.classList.toggle('chosen', node === chosen);
}

function choose(node) {
  chosen = chosen === node ? null : node;
  settle();
  if (chosen) bringToSight(chosen);
  writeLink();
}

// ---- Controls -----------------------------------------------------------------------------------------------
function make(parent, name, attributes, text) {
  const element = document.createElementNS(name === 'foreignObject' ? SVG : HTML, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

const bar = make(svg, 'foreignObject', {x: 10, y: headerHeight, height: 32, width: 400});
const row = make(bar, 'div', {class: 'bar', role: 'toolbar', 'aria-label': 'Call graph'});
const input = make(row, 'input', {type: 'search', placeholder: 'Search: regular expression', 'aria-label': 'Search functions'});
const button = (text, title, act) => make(row, 'button', {type: 'button', title}, text).addEventListener('click', act);
button('Fit', 'all of it (0)', fit);
button('1:1', 'letters at their size', () => zoomAt(width / 2, (height + top) / 2, 1 / place.scale));
button('+', 'larger (+)', () => zoomAt(width / 2, (height + top) / 2, 1.25));
button('\u2212', 'smaller (-)', () => zoomAt(width / 2, (height + top) / 2, 0.8));
const found = make(row, 'span', {role: 'status'});

function search() {
  let pattern = null;
  input.setAttribute('aria-invalid', 'false');
  found.textContent = '';
  try {
    pattern = input.value ? new RegExp(input.value, 'iu') : null;
  } catch (wrong) {
    input.setAttribute('aria-invalid', 'true');
    found.textContent = 'not a regular expression';
  }
  let count = 0, self = 0;
  for (const node of nodes) {
    const hit = Boolean(pattern && pattern.test(node.words.split('\n')[0]));
    node.element.classList.toggle('hit', hit);
    count += hit;
    self += hit ? node.self : 0;
  }
  if (pattern) found.textContent = exact(count) + ' of ' + exact(nodes.length) + ' functions, themselves ' +
    human(self, data.unit) + ', ' + share(Math.abs(self), data.whole);
  writeLink();
}
input.addEventListener('input', search);

function writeLink() {
  const words = new URLSearchParams();
  if (chosen) words.set('focus', chosen.element.dataset.node);
  if (input.value) words.set('search', input.value);
  try {
    history.replaceState(null, '', '#' + words);
  } catch (refused) { /* a page without an address */ }
}

function readLink() {
  const words = new URLSearchParams(location.hash.slice(1));
  input.value = words.get('search') || '';
  chosen = nodes[words.get('focus')] || null;
  search();
  settle();
}

// ---- Mouse and keyboard ----------------------------------------------------------------------------------------
const nodeAt = event => {
  const element = event.target.closest && event.target.closest('.n');
  return element ? nodes[element.dataset.node] : null;
};
let drag = null;
graph.addEventListener('mouseover', event => { if (nodeAt(event) && !drag) neighbours(nodeAt(event)); });
graph.addEventListener('mouseout', event => { if (nodeAt(event)) settle(); });
graph.addEventListener('focusin', event => {
  if (nodeAt(event) && event.target.matches(':focus-visible')) {
    neighbours(nodeAt(event));
    bringToSight(nodeAt(event));
  }
});
graph.addEventListener('focusout', settle);
svg.addEventListener('wheel', event => {
  if (bar.contains(event.target)) return;
  event.preventDefault();
  zoomAt(event.offsetX, event.offsetY, Math.pow(1.0015, -event.deltaY));
}, {passive: false});
svg.addEventListener('pointerdown', event => {
  if (event.button === 0 && !bar.contains(event.target)) drag = {x: event.clientX, y: event.clientY, far: false};
});
window.addEventListener('pointermove', event => {
  if (!drag) return;
  const x = event.clientX - drag.x, y = event.clientY - drag.y;
  if (!drag.far && Math.hypot(x, y) < 4) return;
  drag = {x: event.clientX, y: event.clientY, far: true};
  place.x += x;
  place.y += y;
  show();
});
window.addEventListener('pointerup', event => {
  const was = drag;
  drag = null;
  if (!was || was.far) return;
  const node = nodeAt(event);
  if (node) choose(node);
  else if (chosen && !bar.contains(event.target)) choose(chosen);
});

// The heaviest call, its neighbours of the same caller, or back.
function step(node, key) {
  if (key === 'ArrowDown') return node.out[0] && node.out[0].to;
  if (key === 'ArrowUp') return node.into[0] && node.into[0].from;
  const way = node.into[0] ? node.into[0].from.out : [];
  const at = way.findIndex(edge => edge.to === node) + (key === 'ArrowLeft' ? -1 : 1);
  return way[at] && way[at].to;
}

function onKey(event) {
  const active = document.activeElement, node = active && active.dataset && nodes[active.dataset.node];
  if (event.key === 'Escape') {
    if (active === input || !chosen) input.value = '';
    else chosen = null;
    input.blur();
    search();
    settle();
  } else if ((event.key === '/' && active !== input) || event.key === 'F3' || ((event.ctrlKey || event.metaKey) && event.key === 'f')) {
    input.focus();
    input.select();
  } else if (active === input || event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key === '0') fit();
  else if (event.key === '+' || event.key === '=') zoomAt(width / 2, (height + top) / 2, 1.25);
  else if (event.key === '-') zoomAt(width / 2, (height + top) / 2, 0.8);
  else if (node && (event.key === 'Enter' || event.key === ' ')) choose(node);
  else if (event.key.startsWith('Arrow')) {
    const next = node ? step(node, event.key) : nodes[0];
    if (next) next.element.focus();
  } else return;
  event.preventDefault();
}

for (const node of nodes) {
  node.element.setAttribute('tabindex', '0');
  node.element.setAttribute('role', 'img');
  node.element.setAttribute('aria-label', node.words.split('\n').slice(0, 3).join(', '));
}
document.addEventListener('keydown', onKey);
window.addEventListener('resize', resize);
window.addEventListener('hashchange', readLink);
resize();
begin();
readLink();
if (chosen) bringToSight(chosen);
})();
