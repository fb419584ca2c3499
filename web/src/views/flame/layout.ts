// Call trees as flat arrays, level by level: a million nodes cost a few tens of megabytes and are found by bisection.
import type { FlameAnswer } from '../../api_types';

export interface FrameTable {
  readonly count: number;
  name(frame: number): string;
  module(frame: number): string;
  file(frame: number): string;
  line(frame: number): number;
  isInlined(frame: number): boolean;
}

/** Nodes are numbered level by level, from left to right; 0 is the root. */
export interface Tree {
  readonly size: number;
  readonly frame: Int32Array; // negative: so many that were too small
  readonly start: Float64Array;
  readonly value: Float64Array;
  readonly self: Float64Array;
  readonly count: Float64Array;
  readonly parent: Int32Array; // -1: none
  readonly path: Uint32Array; // a number for the names from the root to it, the same whenever they are
  readonly place: Uint32Array; // in the answer, where they are in pre-order
  readonly levels: Uint32Array; // the first node of each level, and one more for the end
}

const FIELDS = 6,
  NODE = 4;

export function frameTable(answer: FlameAnswer): FrameTable {
  const { frames, strings } = answer;
  const text = (frame: number, field: number): string => strings[frames[frame * FIELDS + field] ?? 0] ?? '';
  return {
    count: frames.length / FIELDS,
    name: (frame) => text(frame, 0),
    module: (frame) => text(frame, 1),
    file: (frame) => text(frame, 2),
    line: (frame) => frames[frame * FIELDS + 3] ?? 0,
    isInlined: (frame) => frames[frame * FIELDS + 4] === 1,
  };
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Where each level begins. */
function levelsOf(nodes: readonly number[], size: number): Uint32Array {
  const counts: number[] = [];
  for (let i = 0; i < size; i++) {
    const level = nodes[i * NODE + 1]!;
    while (counts.length <= level) counts.push(0);
    counts[level]!++;
  }
  const levels = new Uint32Array(counts.length + 1);
  counts.forEach((count, level) => (levels[level + 1] = levels[level]! + count));
  return levels;
}

function hashFrames(frames: FrameTable): Uint32Array {
  const names = new Uint32Array(frames.count);
  for (let i = 0; i < frames.count; i++) names[i] = hashText(frames.name(i) + '\0' + frames.module(i));
  return names;
}

/** `nodes` are in pre-order; whatever is inconsistent in them ends up as a strange picture, nothing worse. */
export function treeOf(nodes: readonly number[], frames: FrameTable): Tree {
  const size = Math.floor(nodes.length / NODE),
    levels = levelsOf(nodes, size),
    names = hashFrames(frames);
  const frame = new Int32Array(size),
    parent = new Int32Array(size),
    path = new Uint32Array(size),
    place = new Uint32Array(size);
  const start = new Float64Array(size),
    value = new Float64Array(size),
    self = new Float64Array(size),
    count = new Float64Array(size);
  const next = new Float64Array(levels.length + 1), // free room in each level
    filled = levels.slice();
  for (let i = 0; i < size; i++) {
    const level = nodes[i * NODE + 1]!,
      node = filled[level]!++;
    const above = level > 0 ? filled[level - 1]! - 1 : -1;
    const one = (frame[node] = nodes[i * NODE]!);
    place[node] = i;
    value[node] = self[node] = nodes[i * NODE + 2]!;
    count[node] = nodes[i * NODE + 3]!;
    start[node] = next[level]!;
    next[level] = start[node]! + value[node]!;
    next[level + 1] = start[node]!;
    parent[node] = above;
    if (above < 0) path[node] = 1;
    else {
      path[node] = Math.imul(path[above]! ^ (one < 0 ? 7 : (names[one] ?? 0)), 0x01000193) + 0x9e3779b9;
      self[above]! -= value[node]!;
    }
  }
  return { size, frame, start, value, self, count, parent, path, place, levels };
}

export function depthOf(tree: Tree, node: number): number {
  let low = 0,
    high = tree.levels.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (tree.levels[middle]! <= node) low = middle;
    else high = middle;
  }
  return low;
}

export function depthCount(tree: Tree): number {
  return tree.levels.length - 1;
}

/** The first node of [from, to) that ends behind `x`; all are of one level. */
export function firstBehind(tree: Tree, from: number, to: number, x: number): number {
  const { start, value } = tree;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (start[middle]! + value[middle]! > x) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The first node of [from, to) that begins at `x` or later; all are of one level. */
export function firstFrom(tree: Tree, from: number, to: number, x: number): number {
  const { start } = tree;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (start[middle]! >= x) to = middle;
    else from = middle + 1;
  }
  return from;
}

export function nodeAt(tree: Tree, depth: number, x: number): number {
  if (depth < 0 || depth >= depthCount(tree)) return -1;
  const end = tree.levels[depth + 1]!;
  const node = firstBehind(tree, tree.levels[depth]!, end, x);
  return node < end && tree.start[node]! <= x ? node : -1;
}

export function nodeOfPath(tree: Tree, zoom: string): number {
  const wanted = parseInt(zoom, 16);
  if (!zoom || Number.isNaN(wanted)) return 0;
  const place = tree.path.indexOf(wanted >>> 0);
  return place < 0 ? 0 : place;
}

export function pathText(tree: Tree, node: number): string {
  return node <= 0 ? '' : tree.path[node]!.toString(16);
}

/** The largest of those right beneath; -1 when there are none. */
export function largestChild(tree: Tree, node: number): number {
  const depth = depthOf(tree, node);
  if (depth + 1 >= depthCount(tree)) return -1;
  const end = tree.levels[depth + 2]!;
  let best = -1;
  for (
    let i = firstFrom(tree, tree.levels[depth + 1]!, end, tree.start[node]!);
    i < end && tree.parent[i] === node;
    i++
  )
    if (best < 0 || tree.value[i]! > tree.value[best]!) best = i;
  return best;
}

/** The node beside it in its level, or itself at the end. */
export function neighbour(tree: Tree, node: number, step: number): number {
  const depth = depthOf(tree, node),
    next = node + step;
  return next >= tree.levels[depth]! && next < tree.levels[depth + 1]! ? next : node;
}

/** How much the frames that match have together, each byte once. */
export function sumOf(tree: Tree, matches: Uint8Array): number {
  const covered = new Uint8Array(tree.size);
  let sum = 0;
  for (let i = 0; i < tree.size; i++) {
    const above = tree.parent[i]!,
      frame = tree.frame[i]!;
    if (above >= 0 && covered[above]) covered[i] = 1;
    else if (frame >= 0 && matches[frame]) {
      covered[i] = 1;
      sum += tree.value[i]!;
    }
  }
  return sum;
}

/** How many frames were too small to come from the server by themselves. */
export function mergedCount(tree: Tree): number {
  let count = 0;
  for (let i = 0; i < tree.size; i++) if (tree.frame[i]! < 0) count -= tree.frame[i]!;
  return count;
}
