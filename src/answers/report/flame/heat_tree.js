// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a heat map: which stacks a stretch of time has.  No document here, so it is tested by itself.
const heatTree = (function () {
'use strict';

// Every part with its slot, in the order of time; first[slot] is where a slot begins.
function openHeat(heat) {
  const slots = heat.rows * heat.columns, nodes = [], counts = [], values = [];
  const map = {slots: slots, first: new Uint32Array(slots + 1), node: nodes, count: counts, value: values,
               parent: [], frame: [], slotNs: heat.column / heat.rows, begin: heat.begin};
  let slot = 0, filled = 0;
  for (let i = 0; i < heat.parts.length;) {
    slot += heat.parts[i++];
    for (; filled <= slot; filled++) map.first[filled] = nodes.length;
    for (let parts = heat.parts[i++]; parts > 0; parts--) {
      const number = heat.parts[i++], count = heat.parts[i++];
      nodes.push(number < 0 ? -number - 1 : number);
      counts.push(count);
      values.push(number < 0 ? heat.parts[i++] : count * heat.one);
    }
  }
  for (; filled <= slots; filled++) map.first[filled] = nodes.length;
  for (let i = 0; i < heat.nodes.length; i += 2) {
    map.parent.push(heat.nodes[i]);
    map.frame.push(heat.nodes[i + 1]);
  }
  return map;
}

// What slots [from, to) have: in all, and by the node where their stacks end.
function sumSlots(map, from, to) {
  const sums = {value: 0, count: 0, values: new Float64Array(map.parent.length), counts: new Float64Array(map.parent.length)};
  for (let i = map.first[from]; i < map.first[to]; i++) {
    sums.values[map.node[i]] += map.value[i];
    sums.counts[map.node[i]] += map.count[i];
    sums.value += map.value[i];
    sums.count += map.count[i];
  }
  return sums;
}

// A tree of {frame, value, count, callees: by frame}, as the list that flame_tree.js reads: biggest first.
function flatten(root) {
  const nodes = [], open = [{node: root, depth: 0}];
  while (open.length) {
    const {node, depth} = open.pop();
    nodes.push(node.frame, depth, node.value, node.count);
    Array.from(node.callees.values()).sort((a, b) => a.value - b.value || b.frame - a.frame)
      .forEach(callee => open.push({node: callee, depth: depth + 1}));
  }
  return nodes;
}

function addStack(root, frames, value, count) {
  let at = root;
  at.value += value;
  at.count += count;
  for (const frame of frames) {
    if (!at.callees.has(frame)) at.callees.set(frame, {frame: frame, value: 0, count: 0, callees: new Map()});
    at = at.callees.get(frame);
    at.value += value;
    at.count += count;
  }
}

// The graphs of these sums, as data.trees has them: from the outside in, and from the inside out.
function treesOf(map, sums) {
  const roots = [0, 1].map(() => ({frame: map.frame[0], value: 0, count: 0, callees: new Map()}));
  for (let i = 0; i < map.parent.length; i++) {
    if (!sums.values[i] && !sums.counts[i]) continue;
    const frames = [];
    for (let at = i; at > 0; at = map.parent[at]) frames.push(map.frame[at]);
    addStack(roots[1], frames, sums.values[i], sums.counts[i]);
    addStack(roots[0], frames.reverse(), sums.values[i], sums.counts[i]);
  }
  return roots.map(flatten);
}

return {openHeat, sumSlots, treesOf};
})();
