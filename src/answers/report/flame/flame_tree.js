// SPDX-License-Identifier: Apache-2.0
// The arithmetic of an interactive flame graph: no document here, so it is tested by itself.
const flameTree = (function () {
'use strict';

const MIN_PIXELS = 0.5; // narrower frames are drawn as one box, as in flame_draw.c

// Nodes in pre-order as parallel arrays; start is where a node begins, in units of the metric.
function openTree(nodes) {
  const count = nodes.length / 4;
  const tree = {count: count, frame: [], depth: [], value: [], calls: [], start: [], parent: [],
                end: [], self: [], hidden: 0};
  const path = [], used = [];
  for (let i = 0; i < count; i++) {
    const depth = nodes[4 * i + 1], value = nodes[4 * i + 2];
    const parent = depth ? path[depth - 1] : -1;
    path[depth] = i;
    tree.frame.push(nodes[4 * i]);
    tree.depth.push(depth);
    tree.value.push(value);
    tree.calls.push(nodes[4 * i + 3]);
    tree.parent.push(parent);
    tree.start.push(parent < 0 ? 0 : used[parent]);
    tree.end.push(i + 1);
    used.push(tree.start[i]);
    if (parent >= 0) used[parent] += value;
    tree.hidden += Math.max(0, -nodes[4 * i]);
  }
  for (let i = count - 1; i > 0; i--)
    tree.end[tree.parent[i]] = Math.max(tree.end[tree.parent[i]], tree.end[i]);
  for (let i = 0; i < count; i++) tree.self.push(tree.start[i] + tree.value[i] - used[i]);
  return tree;
}

function countFrames(tree, from, to) {
  let frames = 0;
  for (let i = from; i < to; i++) frames += tree.frame[i] < 0 ? -tree.frame[i] : 1;
  return frames;
}

// What to draw when `zoom` fills `width` pixels: {i, x, w, depth, faded, hidden}.  Neighbours too narrow
// to draw come as one box with `hidden` frames, exactly as in the static picture.
function visibleFrames(tree, zoom, width) {
  const boxes = [];
  for (let i = tree.parent[zoom]; i >= 0; i = tree.parent[i])
    boxes.unshift({i: i, x: 0, w: width, depth: tree.depth[i], faded: true, hidden: 0});
  const left = tree.start[zoom], scale = tree.value[zoom] > 0 ? width / tree.value[zoom] : 0;
  let run = null;
  for (let i = zoom; i < tree.end[zoom];) {
    const x = (tree.start[i] - left) * scale;
    const w = i === zoom ? width : tree.value[i] * scale;
    if (i === zoom || (w >= MIN_PIXELS && tree.frame[i] >= 0)) {
      boxes.push({i: i, x: x, w: w, depth: tree.depth[i], faded: false, hidden: 0});
      run = null;
      i++;
      continue;
    }
    const frames = countFrames(tree, i, tree.end[i]);
    if (run && run.depth === tree.depth[i] && tree.parent[run.i] === tree.parent[i]) {
      run.w += w;
      run.hidden += frames;
      run.value += tree.value[i];
    } else {
      run = {i: i, x: x, w: w, depth: tree.depth[i], faded: false, hidden: frames,
             value: tree.value[i]};
      boxes.push(run);
    }
    i = tree.end[i];
  }
  return boxes;
}

// Which nodes match, and what they weigh together; a match inside a match is not counted again.
function searchTree(tree, nameOf, pattern) {
  const hits = new Uint8Array(tree.count), known = new Map();
  let value = 0, frames = 0, counted = 0;
  for (let i = 1; i < tree.count; i++) {
    if (tree.frame[i] < 0) continue;
    if (!known.has(tree.frame[i])) known.set(tree.frame[i], pattern.test(nameOf(i)));
    if (!known.get(tree.frame[i])) continue;
    hits[i] = 1;
    frames++;
    if (i < counted) continue;
    value += tree.value[i];
    counted = tree.end[i];
  }
  return {hits: hits, value: value, frames: frames};
}

return {openTree, visibleFrames, searchTree};
})();
