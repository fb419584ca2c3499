// Call trees as flat arrays: a million nodes cost a few tens of megabytes and are found by bisection.
import type { FlameAnswer } from '../api_types';

export interface FrameTable {
  readonly count: number;
  name(frame: number): string;
  module(frame: number): string;
  file(frame: number): string;
  line(frame: number): number;
  isInlined(frame: number): boolean;
}

export interface Tree {
  readonly size: number;
  readonly frame: Int32Array; // negative: so many that were too small
  readonly depth: Uint16Array;
  readonly start: Float64Array;
  readonly value: Float64Array;
  readonly self: Float64Array;
  readonly count: Float64Array;
  readonly parent: Int32Array; // -1: none
  readonly path: Uint32Array; // a number for the names from the root to it, the same whenever they are
  readonly levels: readonly Int32Array[]; // nodes by depth, from left to right
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

function levelsOf(depth: Uint16Array): Int32Array[] {
  const sizes: number[] = [];
  for (const level of depth) sizes[level] = (sizes[level] ?? 0) + 1;
  const levels = Array.from(sizes, (size) => new Int32Array(size ?? 0));
  const filled = new Int32Array(levels.length);
  depth.forEach((level, node) => {
    const into = levels[level];
    if (into) into[filled[level]!++] = node;
  });
  return levels;
}

/** `nodes` are in pre-order; whatever is inconsistent in them ends up as a strange picture, nothing worse. */
export function treeOf(nodes: readonly number[], frames: FrameTable): Tree {
  const size = Math.floor(nodes.length / NODE);
  const frame = new Int32Array(size),
    depth = new Uint16Array(size),
    parent = new Int32Array(size),
    path = new Uint32Array(size);
  const start = new Float64Array(size),
    value = new Float64Array(size),
    self = new Float64Array(size),
    count = new Float64Array(size);
  const names = new Uint32Array(frames.count);
  for (let i = 0; i < frames.count; i++) names[i] = hashText(frames.name(i) + '\0' + frames.module(i));
  const next: number[] = [0],
    last: number[] = [];
  for (let i = 0; i < size; i++) {
    const level = nodes[i * NODE + 1]!;
    frame[i] = nodes[i * NODE]!;
    depth[i] = level;
    value[i] = self[i] = nodes[i * NODE + 2]!;
    count[i] = nodes[i * NODE + 3]!;
    start[i] = next[level] ?? 0;
    next[level] = start[i]! + value[i]!;
    next[level + 1] = start[i]!;
    const above = level > 0 ? (last[level - 1] ?? -1) : -1;
    parent[i] = above;
    last[level] = i;
    path[i] =
      above < 0
        ? 1
        : (Math.imul(path[above]! ^ (frame[i]! < 0 ? 7 : (names[frame[i]!] ?? 0)), 0x01000193) +
            0x9e3779b9) >>>
          0;
    if (above >= 0) self[above]! -= value[i]!;
  }
  return { size, frame, depth, start, value, self, count, parent, path, levels: levelsOf(depth) };
}

/** The place in `level` of the first node that ends behind `x`, from `from` on. */
export function firstBehind(tree: Tree, level: Int32Array, x: number, from = 0): number {
  let low = from,
    high = level.length;
  while (low < high) {
    const middle = (low + high) >> 1,
      node = level[middle]!;
    if (tree.start[node]! + tree.value[node]! > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The place in `level` of the first node that begins at `x` or later, from `from` on. */
export function firstFrom(tree: Tree, level: Int32Array, x: number, from = 0): number {
  let low = from,
    high = level.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tree.start[level[middle]!]! >= x) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function nodeAt(tree: Tree, depth: number, x: number): number {
  const level = tree.levels[depth];
  if (!level) return -1;
  const node = level[firstBehind(tree, level, x)];
  return node !== undefined && tree.start[node]! <= x ? node : -1;
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
  const level = tree.levels[tree.depth[node]! + 1];
  if (!level) return -1;
  let best = -1;
  for (
    let i = firstFrom(tree, level, tree.start[node]!);
    i < level.length && tree.parent[level[i]!] === node;
    i++
  )
    if (best < 0 || tree.value[level[i]!]! > tree.value[best]!) best = level[i]!;
  return best;
}

/** How much the frames that match have together, each byte once. */
export function sumOf(tree: Tree, matches: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < tree.size; i++) {
    const frame = tree.frame[i]!;
    if (frame < 0 || !matches[frame]) continue;
    sum += tree.value[i]!;
    const depth = tree.depth[i]!;
    while (i + 1 < tree.size && tree.depth[i + 1]! > depth) i++;
  }
  return sum;
}
