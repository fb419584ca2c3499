// Paints what can be seen of a tree: at most as many boxes as a row has pixels, however many nodes there are.
import { MONO } from '../../canvas';
import type { Pen } from '../../export/seen';
import type { Theme } from '../../theme';
import type { Palette } from './colors';
import { depthCount, depthOf, firstBehind, firstFrom, type FrameTable, type Tree } from './layout';

export const ROW = 21;
const SMALLEST = 0.6; // px: narrower ones become one
const LABEL_LEAST = 28,
  PAD = 5;

export interface Window {
  left: number; // in units of the tree
  right: number;
  scroll: number; // px
  width: number;
  height: number;
  isUpward: boolean; // the root is at the bottom
  firstLevel: number; // levels before it are not shown
}

/** What frames look like where that is not a matter of their module. */
export interface Dress {
  color(node: number): string;
  label(node: number): string;
  isHatched(node: number): boolean;
  describe(node: number): HTMLElement[];
  legend(): HTMLElement[];
}

export interface Look {
  dress: Dress | null;
  tree: Tree;
  frames: FrameTable;
  palette: Palette;
  matches: Uint8Array | null; // by frame
  zoomDepth: number; // above it frames are context
  theme: Theme;
}

/** Nodes [first, end) of a level, from `left` to `right` px; more than one are too narrow to be drawn by themselves. */
export type Span = (first: number, end: number, left: number, right: number) => void;

export function labelOf(tree: Tree, frames: FrameTable, node: number): string {
  const frame = tree.frame[node]!;
  if (frame < 0) return `${-frame} smaller`;
  return frames.name(frame) || (node === 0 ? 'all' : '[no name]');
}

/** In px. */
export function wholeHeight(tree: Tree, window: Window): number {
  return Math.max(0, depthCount(tree) - window.firstLevel) * ROW;
}

/** The row that a level is in, or the level that a row has. */
export function rowOf(tree: Tree, depth: number, window: Window): number {
  return window.isUpward ? depthCount(tree) - 1 - depth : depth - window.firstLevel;
}

export function depthOfRow(tree: Tree, row: number, window: Window): number {
  return window.isUpward ? depthCount(tree) - 1 - row : row + window.firstLevel;
}

/** All that a window shows of a level, each node in one span.  `isAlike`: whether narrow neighbours may become one. */
export function eachSpan(
  tree: Tree,
  depth: number,
  window: Window,
  isAlike: (a: number, b: number) => boolean,
  emit: Span,
): void {
  const { start, value } = tree,
    end = tree.levels[depth + 1]!;
  const { left: from, right: to, width } = window,
    scale = width / (to - from);
  let run = -1, // the first of narrow neighbours that wait to be drawn as one
    runLeft = 0,
    runRight = 0,
    runEnd = 0;
  for (let i = firstBehind(tree, tree.levels[depth]!, end, from); i < end && start[i]! < to;) {
    const left = Math.max(0, (start[i]! - from) * scale);
    const right = Math.min(width, (start[i]! + value[i]! - from) * scale);
    let next = i + 1;
    const isNarrow = right - left < SMALLEST;
    const pixel = Math.floor(left) + 1;
    if (isNarrow) {
      // All that begin within this pixel are one; only the last of them can be wider than that.
      next = firstFrom(tree, next, end, from + pixel / scale);
      if (next - 1 > i && value[next - 1]! * scale >= SMALLEST) next--;
    }
    if (run >= 0 && !(isNarrow && left < runRight + 1 && isAlike(run, i))) {
      emit(run, runEnd, runLeft, runRight);
      run = -1;
    }
    if (!isNarrow) emit(i, next, left, right);
    else {
      if (run < 0) {
        run = i;
        runLeft = left;
      }
      runRight = Math.min(width, pixel);
      runEnd = next;
    }
    i = next;
  }
  if (run >= 0) emit(run, runEnd, runLeft, runRight);
}

/** Labels in a fixed font, so that no text is ever measured but once. */
class Painter {
  private readonly cell: number;
  private style = '';
  private alpha = -1;

  constructor(
    private readonly pen: Pen,
    private readonly look: Look,
    private readonly window: Window,
  ) {
    pen.font = `11.5px ${MONO}`;
    pen.textBaseline = 'middle';
    pen.textAlign = 'left';
    this.cell = cellWidth(pen);
  }

  private use(style: string, alpha: number): void {
    if (style !== this.style) this.pen.fillStyle = this.style = style;
    if (alpha !== this.alpha) this.pen.globalAlpha = this.alpha = alpha;
  }

  level(depth: number, y: number): void {
    const { tree, palette, matches, dress } = this.look,
      { frame } = tree;
    const isContext = depth < this.look.zoomDepth;
    const hit = (node: number): boolean =>
      matches !== null && frame[node]! >= 0 && matches[frame[node]!] === 1;
    const labels: number[] = []; // node, left, width: written when all boxes are there, for they have other colours
    eachSpan(
      tree,
      depth,
      this.window,
      (a, b) =>
        hit(a) === hit(b) &&
        (dress ? dress.color(a) === dress.color(b) : palette.hueOf(frame[a]!) === palette.hueOf(frame[b]!)),
      (first, end, left, right) => {
        const isHit = hit(first),
          isOne = end - first === 1;
        this.use(
          isHit ? this.look.theme.hit : this.colorOf(first, isOne),
          isContext ? 0.5 : matches && !isHit ? 0.42 : isOne ? 1 : 0.75,
        );
        const width = right - left;
        this.pen.fillRect(left, y, width > 3 && isOne ? width - 1 : Math.max(SMALLEST, width), ROW - 1);
        if (isOne && dress?.isHatched(first)) this.hatch(left, y, width - 1);
        if (isOne && width >= LABEL_LEAST) labels.push(first, left, width);
      },
    );
    this.labels(labels, y, hit);
  }

  private labels(labels: readonly number[], y: number, hit: (node: number) => boolean): void {
    const { tree, frames, matches, theme, dress } = this.look;
    for (let i = 0; i < labels.length; i += 3) {
      const node = labels[i]!,
        cells = Math.floor((labels[i + 2]! - 2 * PAD) / this.cell);
      if (cells < 2) continue;
      const isHit = hit(node),
        text = dress?.label(node) ?? labelOf(tree, frames, node);
      this.use(isHit ? theme.onColor : theme.text, matches && !isHit ? 0.75 : 1);
      this.pen.fillText(
        text.length <= cells ? text : `${text.slice(0, cells - 1)}…`,
        labels[i + 1]! + PAD,
        y + ROW / 2 + 0.5,
      );
    }
  }

  private hatch(left: number, y: number, width: number): void {
    const { pen } = this;
    if (width < 4) return;
    pen.save();
    pen.beginPath();
    pen.rect(left, y, width, ROW - 1);
    pen.clip();
    pen.globalAlpha = this.alpha * 0.45;
    pen.strokeStyle = this.look.theme.surface;
    pen.lineWidth = 2;
    pen.beginPath();
    for (let x = left - ROW; x < left + width; x += 8) {
      pen.moveTo(x, y + ROW);
      pen.lineTo(x + ROW, y);
    }
    pen.stroke();
    pen.restore();
  }

  private colorOf(node: number, isOne: boolean): string {
    const frame = this.look.tree.frame[node]!;
    if (frame < 0 || (node === 0 && !this.look.frames.module(frame))) return this.look.theme.rest;
    if (this.look.dress) return this.look.dress.color(node);
    return isOne ? this.look.palette.of(frame) : this.look.palette.ofHue(this.look.palette.hueOf(frame));
  }
}

let knownCell = 0;
function cellWidth(pen: Pen): number {
  if (!knownCell) knownCell = pen.measureText('0000000000').width / 10;
  return knownCell;
}

export function paintFlame(pen: Pen, look: Look, window: Window): void {
  const painter = new Painter(pen, look, window),
    rows = depthCount(look.tree) - window.firstLevel;
  const first = Math.max(0, Math.floor(window.scroll / ROW));
  const last = Math.min(rows, Math.ceil((window.scroll + window.height) / ROW));
  for (let row = first; row < last; row++)
    painter.level(depthOfRow(look.tree, row, window), row * ROW - window.scroll);
  pen.globalAlpha = 1;
}

export function outline(
  pen: Pen,
  tree: Tree,
  window: Window,
  node: number,
  color: string,
  width: number,
): void {
  const scale = window.width / (window.right - window.left);
  const left = Math.max(0, (tree.start[node]! - window.left) * scale);
  const right = Math.min(window.width, (tree.start[node]! + tree.value[node]! - window.left) * scale);
  if (right <= left || depthOf(tree, node) < window.firstLevel) return;
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.strokeRect(
    left + width / 2,
    rowOf(tree, depthOf(tree, node), window) * ROW - window.scroll + width / 2,
    Math.max(1, right - left - width),
    ROW - 1 - width,
  );
}
