// Paints what can be seen of a tree: at most as many boxes as the row has pixels, however many nodes there are.
import { MONO } from '../canvas';
import type { Pen } from '../export/seen';
import type { Theme } from '../theme';
import type { Palette } from './colors';
import { firstBehind, firstFrom, type FrameTable, type Tree } from './layout';

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

let cellWidth = 0;

export function labelOf(tree: Tree, frames: FrameTable, node: number): string {
  const frame = tree.frame[node]!;
  if (frame < 0) return `${-frame} smaller`;
  return node === 0 ? 'all' : frames.name(frame) || '[no name]';
}

function paintLabel(pen: Pen, text: string, x: number, y: number, width: number): void {
  const cells = Math.floor((width - 2 * PAD) / cellWidth);
  if (cells < 2) return;
  pen.fillText(text.length <= cells ? text : `${text.slice(0, cells - 1)}…`, x + PAD, y + ROW / 2 + 0.5);
}

function colorOf(look: Look, node: number): string {
  const frame = look.tree.frame[node]!;
  if (frame < 0 || node === 0) return look.theme.rest;
  if (look.matches?.[frame]) return look.theme.hit;
  return look.dress ? look.dress.color(node) : look.palette.of(frame);
}

function hatch(pen: Pen, left: number, y: number, width: number, theme: Theme): void {
  if (width < 4) return;
  pen.save();
  pen.beginPath();
  pen.rect(left, y, width, ROW - 1);
  pen.clip();
  pen.globalAlpha *= 0.45;
  pen.strokeStyle = theme.surface;
  pen.lineWidth = 2;
  pen.beginPath();
  for (let x = left - ROW; x < left + width; x += 8) {
    pen.moveTo(x, y + ROW);
    pen.lineTo(x + ROW, y);
  }
  pen.stroke();
  pen.restore();
}

function paintLevel(pen: Pen, look: Look, window: Window, depth: number, y: number): void {
  const { tree } = look,
    level = tree.levels[depth]!;
  const scale = window.width / (window.right - window.left);
  const isContext = depth < look.zoomDepth;
  for (let i = firstBehind(tree, level, window.left); i < level.length;) {
    const node = level[i]!,
      start = tree.start[node]!;
    if (start >= window.right) break;
    const left = Math.max(0, (start - window.left) * scale);
    const right = Math.min(window.width, (start + tree.value[node]! - window.left) * scale);
    if (right - left < SMALLEST) {
      // All that begin within this pixel are one; only the last of them can be wider than that.
      const edge = Math.floor(left) + 1;
      let next = firstFrom(tree, level, window.left + edge / scale, i + 1);
      const last = level[next - 1]!;
      if (next - 1 > i && tree.value[last]! * scale >= SMALLEST) next--;
      pen.globalAlpha = 0.7;
      pen.fillStyle = look.theme.rest;
      pen.fillRect(left, y, Math.max(0.6, edge - left), ROW - 1);
      i = next;
      continue;
    }
    const isHit = look.matches !== null && tree.frame[node]! >= 0 && look.matches[tree.frame[node]!] === 1;
    pen.globalAlpha = isContext ? 0.5 : look.matches && !isHit ? 0.42 : 1;
    pen.fillStyle = colorOf(look, node);
    const width = right - left;
    pen.fillRect(left, y, width > 3 ? width - 1 : width, ROW - 1);
    if (look.dress?.isHatched(node)) hatch(pen, left, y, width - 1, look.theme);
    if (width >= LABEL_LEAST) {
      pen.globalAlpha = look.matches && !isHit ? 0.75 : 1;
      pen.fillStyle = isHit ? look.theme.onColor : look.theme.text;
      paintLabel(pen, look.dress?.label(node) ?? labelOf(tree, look.frames, node), left, y, width);
    }
    i++;
  }
  pen.globalAlpha = 1;
}

export function paintFlame(pen: Pen, look: Look, window: Window): void {
  pen.font = `11.5px ${MONO}`;
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  cellWidth = pen.measureText('0000000000').width / 10;
  const first = Math.max(0, Math.floor(window.scroll / ROW));
  const last = Math.min(look.tree.levels.length - 1, Math.floor((window.scroll + window.height) / ROW));
  for (let depth = first; depth <= last; depth++)
    paintLevel(pen, look, window, depth, depth * ROW - window.scroll);
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
  if (right <= left) return;
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.strokeRect(
    left + width / 2,
    tree.depth[node]! * ROW - window.scroll + width / 2,
    Math.max(1, right - left - width),
    ROW - 1 - width,
  );
}
