// SPDX-License-Identifier: Apache-2.0
// The interactive half of a flame graph.  It runs inside the SVG file, draws from the JSON inside that
// file, and fetches nothing.  Names are only ever set as text.
(function () {
'use strict';

const {exact, human, share, fineShare, cellsOf, cutText} = pictureNumbers;
const {openTree, visibleFrames, searchTree} = flameTree;
const FRAME = {name: 0, module: 1, file: 2, line: 3, inlined: 4, color: 5, size: 6};
const COLOR_REST = 37; // the class of a remainder, see flame_palette.h
const ROW = 18, SIDE = 10, CHAR = 7.23, MIN_LABEL = 3;
const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
const svg = (document.currentScript && document.currentScript.ownerSVGElement) || document.documentElement;
const find = id => svg.querySelector('#' + id);
const data = JSON.parse(find('data').textContent);
let trees = data.trees.map(tree => Object.assign(openTree(tree.nodes), {changes: tree.changes}));
let total = data.total; // of what is shown: everything, or a stretch of time
let heat = null; // the map above the graph, if there is one
const graph = find('graph'), header = find('header');
const ownsWindow = svg === document.documentElement || (svg.parentNode === document.body && document.body.children.length === 1);
if (ownsWindow && svg !== document.documentElement) document.title = find('title').textContent;
const headerBottom = () => heat ? heat.bottom() : header.getBBox().y + header.getBBox().height;
const firstWidth = svg.viewBox.baseVal.width;
const state = {reversed: data.reverse, icicle: data.icicle, zoom: 0, search: '', exactCase: true};
let tree, boxes = [], byRow = [], found = null, width = firstWidth;

function make(parent, name, attributes, text) {
  const element = document.createElementNS(parent.namespaceURI === HTML ? HTML : SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

function field(i, which) {
  return data.frames[tree.frame[i] * FRAME.size + which];
}
function nameOf(i) {
  return tree.frame[i] < 0 ? '\u2026' : data.strings[field(i, FRAME.name)];
}

// The link keeps the state: #view=reversed&zoom=12&search=foo
function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  state.reversed = link.has('view') ? link.get('view') === 'reversed' : data.reverse;
  state.icicle = link.has('root') ? link.get('root') === 'top' : data.icicle;
  state.search = (link.get('search') || '').slice(0, 500);
  state.exactCase = link.get('case') !== 'any';
  if (heat) heat.read(link.get('time'));
  tree = trees[state.reversed ? 1 : 0];
  const zoom = parseInt(link.get('zoom'), 10);
  state.zoom = zoom > 0 && zoom < tree.count && tree.frame[zoom] >= 0 ? zoom : 0;
}

function writeLink(isStep) {
  const link = new URLSearchParams();
  if (state.reversed !== data.reverse) link.set('view', state.reversed ? 'reversed' : 'callers');
  if (state.icicle !== data.icicle) link.set('root', state.icicle ? 'top' : 'bottom');
  if (state.zoom) link.set('zoom', state.zoom);
  if (state.search) link.set('search', state.search);
  if (!state.exactCase) link.set('case', 'any');
  if (heat && heat.word()) link.set('time', heat.word());
  const hash = '#' + link.toString();
  if (hash === (location.hash || '#')) return;
  try {
    history[isStep ? 'pushState' : 'replaceState'](null, '', hash);
  } catch (refused) { // a sandboxed frame: the picture works, only the link does not
  }
}

// ---- Toolbar: real controls, so keyboard and screen readers know what they are ---------------------
const bar = make(svg, 'foreignObject', {x: SIDE - 2, y: 0, height: 30});
const row = bar.appendChild(document.createElementNS(HTML, 'div'));
row.setAttribute('class', 'bar');
row.setAttribute('role', 'toolbar');
const button = (text, title, action) => {
  const element = make(row, 'button', {type: 'button', title: title}, text);
  element.addEventListener('click', action);
  return element;
};
const resetButton = button('Reset zoom', 'Show everything (Escape)', () => zoomTo(0));
const reverseButton = button('Reversed', 'Merge by the innermost function (r)', () => toggle('reversed'));
const icicleButton = button('Root on top', 'Turn the graph over (i)', () => toggle('icicle'));
const input = make(row, 'input', {type: 'search', placeholder: 'Search by regex (/)',
                                  'aria-label': 'Search functions by regular expression', spellcheck: 'false'});
const caseButton = button('Aa', 'Upper and lower case differ (Ctrl-I)', () => toggle('exactCase'));
const matchText = make(row, 'span', {role: 'status'}, '');
const note = find('note') || make(row, 'span', {}, ''); // a picture that hid nothing kept no line for it
input.addEventListener('input', () => {
  state.search = input.value.slice(0, 500);
  runSearch();
  for (const box of boxes) box.element.classList.toggle('hit', isHit(box)); // quicker than drawing anew
  writeLink(false);
});

function placeBar() {
  bar.setAttribute('y', Math.max(headerBottom() + 4, ownsWindow ? window.scrollY : 0));
}

function toggle(what) {
  state[what] = !state[what];
  if (what === 'reversed') {
    tree = trees[state.reversed ? 1 : 0];
    state.zoom = 0;
  }
  update(what === 'reversed');
}

function runSearch() {
  found = null;
  input.setAttribute('aria-invalid', 'false');
  matchText.textContent = '';
  if (!state.search) return;
  try {
    found = searchTree(tree, nameOf, new RegExp(state.search, state.exactCase ? 'u' : 'iu'));
  } catch (wrong) {
    input.setAttribute('aria-invalid', 'true');
    matchText.textContent = 'not a regular expression';
    return;
  }
  matchText.textContent = 'Matched: ' + (tree.hidden ? 'at least ' : '') + share(found.value, total) +
    ' (' + human(found.value, data.unit) + (tree.changes ? ' before and after' : '') + ', ' + exact(found.frames) + ' frames)';
  matchText.title = tree.hidden ? 'Frames inside \u2026 are not in this file and cannot be searched' : '';
}

// ---- Drawing ---------------------------------------------------------------------------------------
// "1,234 samples, 12.3 s"; the count is left out when it is not known.
function amount(value, count) {
  const counted = data.noun && count >= 0 ? exact(count) + ' ' + data.noun + (count === 1 ? '' : 's') : '';
  if (data.unit === 'ns') return (counted ? counted + ', ' : '') + human(value, data.unit);
  if (data.unit === 'calls') return exact(value) + ' calls';
  return human(value, data.unit) + ' (' + exact(value) + ' ' + data.unit + ')' + (counted ? ', ' + counted : '');
}

// Of a differential graph: the numbers of node i on both sides.
const CHANGE = {before: 0, after: 1, countBefore: 2, countAfter: 3, error: 4, color: 5, size: 6};
function changeOf(i) {
  return key => tree.changes[CHANGE.size * i + CHANGE[key]];
}
function changeText(i) {
  const of = changeOf(i), change = of('after') - of('before');
  return change ? (change > 0 ? '+' : '-') + human(Math.abs(change), data.unit) : '0';
}
function changeLines(i) {
  const of = changeOf(i), change = of('after') - of('before');
  const part = of('before') > 0 && of('after') > 0 ? ' (' + (change > 0 ? '+' : '-') + fineShare(Math.abs(change), of('before')) + ')' : '';
  const kind = change && Math.abs(change) <= of('error') ? ', may be chance'
    : !of('before') && of('after') ? ', new' : of('before') && !of('after') ? ', gone' : '';
  const error = of('error') ? ', \u00b1 ' + human(of('error'), data.unit) : '';
  return [[amount(of('before'), of('countBefore')), 'before'], [amount(of('after'), of('countAfter')), 'after'],
          [changeText(i) + part + error + kind, 'change']];
}

function describe(box) {
  if (box.hidden) return exact(box.hidden) + ' frames, together ' + human(box.value, data.unit);
  if (tree.changes) return nameOf(box.i) + ', ' + changeLines(box.i).map(line => line[1] + ' ' + line[0]).join(', ');
  return nameOf(box.i) + ', ' + amount(tree.value[box.i], tree.calls[box.i]) + ', ' + fineShare(tree.value[box.i], total);
}

function isHit(box) {
  return Boolean(found && !box.hidden && found.hits[box.i]);
}

function drawBox(parent, box, index, y) {
  const group = make(parent, 'g', {
    class: 'f' + (box.faded ? ' faded' : '') + (isHit(box) ? ' hit' : ''), 'data-box': index, tabindex: 0, role: 'treeitem',
    'aria-level': box.depth + 1, 'aria-label': describe(box)});
  const shown = box.w > 2 ? box.w - 0.6 : box.w;
  const color = box.hidden ? COLOR_REST : tree.changes ? changeOf(box.i)('color') : field(box.i, FRAME.color);
  make(group, 'rect', {class: 'c' + color,
                       x: (SIDE + box.x).toFixed(2), y: y, width: shown.toFixed(2), height: ROW - 1});
  const cells = Math.floor((box.w - 6) / CHAR);
  if (cells >= MIN_LABEL) {
    const name = box.hidden ? '\u2026' : nameOf(box.i);
    const value = '\u00a0(' + (tree.changes && !box.hidden ? changeText(box.i) : human(box.hidden ? box.value : tree.value[box.i], data.unit)) + ')';
    const text = make(group, 'text', {x: (SIDE + 3 + box.x).toFixed(1), y: y + 13}, cutText(name, cells));
    if (cellsOf(name) + value.length <= cells) make(text, 'tspan', {class: 'v'}, value);
  }
  box.element = group;
  box.y = y;
}

function draw() {
  hideTip();
  width = ownsWindow ? Math.max(300, document.body ? document.documentElement.clientWidth : window.innerWidth) : firstWidth;
  if (heat) heat.fit(width);
  const top = headerBottom() + 42;
  boxes = visibleFrames(tree, state.zoom, width - 2 * SIDE);
  byRow = [];
  let deepest = 0, merged = 0, stored = 0;
  for (const box of boxes) {
    merged += box.hidden;
    if (box.w <= 0) continue; // blocks of zero bytes: counted, not drawn
    deepest = Math.max(deepest, box.depth);
    (byRow[box.depth] = byRow[box.depth] || []).push(box);
  }
  for (let i = state.zoom; i < tree.end[state.zoom]; i++) stored += Math.max(0, -tree.frame[i]);
  const height = top + ROW * (deepest + 1) + 10;
  const fresh = document.createElementNS(SVG, 'g');
  fresh.setAttribute('role', 'tree');
  fresh.setAttribute('aria-label', 'Call stacks');
  boxes = boxes.filter(box => box.w > 0);
  boxes.forEach((box, index) =>
    drawBox(fresh, box, index, top + ROW * (state.icicle ? box.depth : deepest - box.depth)));
  graph.replaceChildren(fresh);
  const inside = merged === stored ? '' : '; zooming in opens ' + (stored ? exact(merged - stored) : 'all') + ' of them';
  note.textContent = merged ? '\u2026 stands for ' + exact(merged) + ' frame' + (merged === 1 ? '' : 's') + ' too small to draw' + inside : '';
  svg.setAttribute('width', width);
  svg.setAttribute('height', height);
  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
  placeBar();
  bar.setAttribute('width', width - 2 * SIDE + 4);
  resetButton.disabled = !state.zoom;
  reverseButton.setAttribute('aria-pressed', state.reversed);
  icicleButton.setAttribute('aria-pressed', state.icicle);
  caseButton.setAttribute('aria-pressed', state.exactCase);
  if (input.value !== state.search) input.value = state.search;
}

function update(isStep) {
  runSearch();
  draw();
  writeLink(isStep);
}

function zoomTo(i) {
  state.zoom = i;
  update(true);
}

// A remainder has no inside to show: its parent is what can be looked at more closely.
function zoomBox(box) {
  const parent = tree.parent[box.i];
  const target = !box.hidden ? box.i : parent !== state.zoom ? parent : tree.frame[box.i] < 0 ? state.zoom : box.i;
  zoomTo(target);
  const again = boxes.find(other => other.i === target);
  if (again) again.element.focus({preventScroll: true});
}

// ---- Details on hover and focus -----------------------------------------------------------------------
const tip = make(svg, 'g', {class: 'tip', visibility: 'hidden', 'aria-hidden': 'true'});

function hideTip() {
  tip.setAttribute('visibility', 'hidden');
}

function tipLines(box, columns) {
  const lines = [];
  const name = box.hidden ? '\u2026' : nameOf(box.i);
  for (let rest = Array.from(name); rest.length && lines.length < 6; rest = rest.slice(columns))
    lines.push([lines.length === 5 ? '\u2026' : rest.slice(0, columns).join(''), '']);
  if (box.hidden) {
    lines.push([amount(box.value, -1) + (tree.changes ? ', before and after together' : ''), exact(box.hidden) + ' frames']);
    return lines;
  }
  const value = tree.value[box.i];
  if (tree.changes) lines.push(...changeLines(box.i));
  else lines.push([amount(value, tree.calls[box.i]) + ', ' + fineShare(value, total), 'total']);
  if (!tree.changes) lines.push([amount(tree.self[box.i], -1) + ', ' + fineShare(tree.self[box.i], total), 'self']);
  if (state.zoom && !box.faded && !tree.changes)
    lines.push([fineShare(value, tree.value[state.zoom]) + ' of ' + cutText(nameOf(state.zoom), 40), 'share']);
  const file = data.strings[field(box.i, FRAME.file)], line = field(box.i, FRAME.line);
  if (file) lines.push([cutText(file + (line ? ':' + line : ''), columns), 'file']);
  if (field(box.i, FRAME.module)) lines.push([cutText(data.strings[field(box.i, FRAME.module)], columns), 'module']);
  if (field(box.i, FRAME.inlined)) lines.push(['inlined into its caller', '']);
  return lines;
}

function showTip(box, x) {
  const columns = Math.max(20, Math.min(90, Math.floor((width - 110) / CHAR)));
  const lines = tipLines(box, columns);
  const keyed = lines.map(line => (line[1] ? line[1] + '  ' : '') + line[0]);
  const tipWidth = Math.min(width - 4, Math.max(...keyed.map(cellsOf)) * CHAR + 18), tipHeight = lines.length * 17 + 10;
  const height = svg.viewBox.baseVal.height, below = box.y + ROW + 4;
  const visibleBottom = ownsWindow ? Math.min(height, window.scrollY + window.innerHeight) : height;
  const y = below + tipHeight < visibleBottom ? below : Math.max(0, box.y - tipHeight - 5);
  tip.replaceChildren();
  make(tip, 'rect', {width: tipWidth, height: tipHeight, rx: 4});
  lines.forEach((line, at) => {
    const text = make(tip, 'text', {x: 9, y: 18 + 17 * at});
    if (line[1]) make(text, 'tspan', {class: 'k'}, line[1] + '  ');
    make(text, 'tspan', at === 0 ? {'font-weight': 'bold'} : {}, line[0]);
  });
  tip.setAttribute('transform', 'translate(' + Math.max(2, Math.min(width - tipWidth - 2, x)) + ',' + y + ')');
  tip.setAttribute('visibility', 'visible');
}

// ---- Mouse, keyboard, link ----------------------------------------------------------------------------
function boxAt(event) {
  const group = event.target.closest && event.target.closest('[data-box]');
  return group && graph.contains(group) ? boxes[group.getAttribute('data-box')] : null;
}

graph.addEventListener('mousemove', event => {
  const box = boxAt(event);
  if (box) showTip(box, event.pageX + 12);
});
graph.addEventListener('mouseleave', hideTip);
graph.addEventListener('focusin', event => {
  const box = boxAt(event);
  if (box && event.target.matches(':focus-visible')) showTip(box, SIDE + box.x);
});
graph.addEventListener('focusout', hideTip);
graph.addEventListener('click', event => {
  const box = boxAt(event);
  if (box) zoomBox(box);
});

function neighbour(box, key) {
  const away = (key === 'ArrowUp') !== state.icicle; // away from the root
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const line = byRow[box.depth];
    return line[line.indexOf(box) + (key === 'ArrowLeft' ? -1 : 1)];
  }
  if (!away) return boxes.find(other => other.i === tree.parent[box.i]);
  return (byRow[box.depth + 1] || []).find(other => tree.parent[other.i] === box.i);
}

function onFrameKey(event, box) {
  if (event.key === 'Enter' || event.key === ' ') zoomBox(box);
  else if (event.key.startsWith('Arrow')) {
    const next = neighbour(box, event.key);
    if (next) next.element.focus();
  } else return;
  event.preventDefault();
}

function onEscape() {
  if (document.activeElement === input || (!state.zoom && !(heat && heat.isChosen()))) {
    state.search = '';
    input.blur();
    update(false);
  } else if (!state.zoom) {
    heat.clear();
    update(true);
  } else zoomTo(0);
}

document.addEventListener('keydown', event => {
  const isTyping = document.activeElement === input, hasControl = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (event.key === 'Escape') onEscape();
  else if ((hasControl && key === 'f') || event.key === 'F3' || (event.key === '/' && !isTyping)) {
    event.preventDefault();
    input.focus();
    input.select();
  } else if (hasControl && key === 'i') {
    event.preventDefault();
    toggle('exactCase');
  } else if (hasControl || event.altKey || isTyping) return;
  else if (key === 'r') toggle('reversed');
  else if (key === 'i') toggle('icicle');
  else {
    const focused = document.activeElement && document.activeElement.getAttribute('data-box');
    if (focused) onFrameKey(event, boxes[focused]);
    else if (event.key.startsWith('Arrow') && !row.contains(document.activeElement)) {
      const at = boxes.find(box => box.i === state.zoom);
      at.element.focus();
      event.preventDefault();
    }
  }
});

window.addEventListener('hashchange', () => { readLink(); runSearch(); draw(); });
window.addEventListener('popstate', () => { readLink(); runSearch(); draw(); });
if (ownsWindow) {
  window.addEventListener('resize', draw);
  // The controls stay in sight while a tall graph scrolls.
  window.addEventListener('scroll', placeBar, {passive: true});
}
svg.setAttribute('role', 'group');
if (data.heat) {
  heat = heatView.open({svg: svg, data: data, make: make, amount: amount, share: fineShare,
    show: (lists, sum) => {
      trees = lists.map(openTree);
      total = sum;
      state.zoom = 0;
      tree = trees[state.reversed ? 1 : 0];
    },
    changed: () => update(true)});
}
readLink();
runSearch();
draw();
})();
