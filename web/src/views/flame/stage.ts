// One flame graph that can be looked at: two canvases, a window that zooms and scrolls, pointer and keys.
import { fit } from '../../canvas';
import { fill, h, listen } from '../../dom';
import type { Picture } from '../../export/seen';
import { theme } from '../../theme';
import type { Palette } from './colors';
import {
  depthCount,
  depthOf,
  firstBehind,
  largestChild,
  neighbour,
  nodeAt,
  type FrameTable,
  type Tree,
} from './layout';
import {
  depthOfRow,
  outline,
  paintFlame,
  ROW,
  rowOf,
  wholeHeight,
  type Dress,
  type Look,
  type Window,
} from './paint';

const GLIDE_MS = 160,
  SETTLE_MS = 180,
  BILLION = 1e9;

/** What part of the whole width is seen, in billionths; null when it makes no sense. */
function partOf(span: string): { from: number; to: number } | null {
  const [from, to] = span.split(',').map(Number);
  return from !== undefined && to !== undefined && from < to && to <= BILLION ? { from, to } : null;
}

/** What is shown; `describe` fills the tip. */
export interface Shown {
  dress: Dress | null;
  frames: FrameTable;
  tree: Tree;
  palette: Palette;
  matches: Uint8Array | null;
}

export interface StageOptions {
  label: string;
  isUpward?: boolean; // the root is at the bottom, and in sight at first
  hidesRoot?: boolean;
  marksRoot?: boolean;
  describe(node: number): HTMLElement[];
  onZoom(node: number): void;
  onTurn?(span: string): void; // the wheel has come to rest: what part of the width is seen, as in the address
  onChoose?(node: number): void;
  onEnter?(node: number): void; // instead of a zoom
  onPress?(node: number): void; // a click, instead of a zoom
  onKey?(node: number, event: KeyboardEvent): boolean;
}

export class FlameStage {
  readonly boxes = h('canvas', { class: 'boxes' });
  readonly over: HTMLCanvasElement;
  readonly room: HTMLElement;
  readonly element: HTMLElement;
  chosen = -1;
  zoomed = 0;
  private readonly stage: HTMLElement;
  private readonly tip = h('div', { class: 'tip wide', hidden: true });
  private shown: Shown | null = null;
  private window: Window;
  private hovered = -1;
  private pointer: PointerEvent | null = null; // where it is, if it is over the boxes
  private glide = 0;
  private settling = 0;
  private mostHeight = 0; // px; 0: by the window of the browser

  constructor(private readonly options: StageOptions) {
    this.over = h('canvas', { class: 'over', tabindex: 0, role: 'application', 'aria-label': options.label });
    this.stage = h('div', { class: 'stage' }, this.boxes, this.over);
    this.room = h('div', { class: 'room' }, this.stage);
    this.element = h('div', { class: 'flame-frame' }, this.room, this.tip);
    this.window = {
      left: 0,
      right: 1,
      scroll: 0,
      width: 1,
      height: 1,
      isUpward: options.isUpward ?? false,
      firstLevel: options.hidesRoot ? 1 : 0,
    };
    listen(this.over, {
      pointermove: (event) => this.hover(event),
      pointerleave: () => this.leave(),
      click: (event) => this.click(event),
      dblclick: () => this.options.onZoom(0),
      keydown: (event) => this.type(event),
    });
    this.over.addEventListener('wheel', (event) => this.turn(event), { passive: false });
    this.room.addEventListener('scroll', () => this.paint());
    new ResizeObserver(() => this.paint()).observe(this.room);
  }

  /** Shows a tree with `node` as wide as the window. */
  show(shown: Shown, node: number, how: { glides?: boolean; mostHeight?: number; span?: string } = {}): void {
    const isNew = shown.tree !== this.shown?.tree;
    this.shown = shown;
    this.hovered = -1;
    this.tip.hidden = true;
    this.mostHeight = how.mostHeight ?? 0;
    this.layOut();
    if (isNew && this.options.isUpward) this.room.scrollTop = this.room.scrollHeight;
    const part = partOf(how.span ?? '');
    if (part && !this.settling) this.lookAt(node, part);
    else if (!part) this.moveTo(node, how.glides ?? false);
    if (this.pointer) this.hover(this.pointer);
  }

  /** All of its depth, as wide as it is. */
  asPicture(): Exclude<Picture, SVGSVGElement> | null {
    const look = this.look();
    if (!look) return null;
    const window = {
      ...this.window,
      width: Math.max(this.window.width, 600),
      scroll: 0,
      height: this.seenHeight(look.tree),
    };
    return { width: window.width, height: window.height, paint: (pen) => paintFlame(pen, look, window) };
  }

  /** Down to the deepest level that has something beneath the zoomed frame. */
  private seenHeight(tree: Tree): number {
    const { left, right, isUpward, firstLevel } = this.window;
    let levels = depthCount(tree);
    if (isUpward) return wholeHeight(tree, this.window);
    for (; levels > firstLevel + 1; levels--) {
      const end = tree.levels[levels]!,
        node = firstBehind(tree, tree.levels[levels - 1]!, end, left);
      if (node < end && tree.start[node]! < right) break;
    }
    return (levels - firstLevel) * ROW;
  }

  private lookAt(node: number, part: { from: number; to: number }): void {
    const step = (this.shown!.tree.value[0] ?? 1) / BILLION;
    cancelAnimationFrame(this.glide);
    this.zoomed = node;
    this.window = { ...this.window, left: part.from * step, right: part.to * step };
    this.paint();
  }

  private moveTo(node: number, glides: boolean): void {
    const { tree } = this.shown!;
    this.zoomed = node;
    const left = tree.start[node] ?? 0,
      right = left + Math.max(tree.value[node] ?? 1, 1e-9);
    cancelAnimationFrame(this.glide);
    if (!glides || matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.window = { ...this.window, left, right };
      this.paint();
      return;
    }
    const from = { ...this.window },
      began = performance.now();
    const step = (now: number): void => {
      const t = Math.min(1, Math.max(0, now - began) / GLIDE_MS),
        eased = 1 - (1 - t) ** 3;
      this.window = {
        ...this.window,
        left: from.left + (left - from.left) * eased,
        right: from.right + (right - from.right) * eased,
      };
      this.paint();
      if (t < 1) this.glide = requestAnimationFrame(step);
    };
    this.glide = requestAnimationFrame(step);
  }

  /** Ctrl and the wheel zoom about the pointer, Shift or a sideways wheel pans. */
  private turn(event: WheelEvent): void {
    const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);
    if (!this.shown || (!event.ctrlKey && !sideways)) return;
    event.preventDefault();
    const whole = this.shown.tree.value[0] ?? 1,
      { left, right, width } = this.window;
    const size = event.ctrlKey ? Math.min(whole, (right - left) * 1.002 ** event.deltaY) : right - left;
    const place = (event.clientX - this.over.getBoundingClientRect().left) / width;
    const wanted = event.ctrlKey
      ? left + place * (right - left - size)
      : left + (sideways / width) * (right - left);
    const from = Math.max(0, Math.min(whole - size, wanted));
    this.window = { ...this.window, left: from, right: from + Math.max(size, 1e-9) };
    cancelAnimationFrame(this.glide);
    this.glide = requestAnimationFrame(() => this.paint());
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      this.settling = 0;
      this.options.onTurn?.(this.span());
    }, SETTLE_MS);
  }

  private span(): string {
    const step = (this.shown?.tree.value[0] ?? 1) / BILLION,
      from = Math.min(Math.round(this.window.left / step), BILLION - 1);
    return `${from},${Math.max(from + 1, Math.min(Math.round(this.window.right / step), BILLION))}`;
  }

  /** As high as the tree, or as there is room for; reads and writes sizes only here. */
  private layOut(): void {
    if (!this.shown) return;
    const whole = wholeHeight(this.shown.tree, this.window);
    const most = this.mostHeight || Math.max(240, Math.round(innerHeight * 0.62));
    const height = Math.min(whole, most);
    if (this.room.style.height !== `${height}px`) this.room.style.height = `${height}px`;
    if (this.stage.style.height !== `${whole}px`) this.stage.style.height = `${whole}px`;
    this.window = { ...this.window, width: this.room.clientWidth, height, scroll: this.room.scrollTop };
  }

  private look(): Look | null {
    const { shown } = this;
    return shown && { ...shown, zoomDepth: depthOf(shown.tree, this.zoomed), theme: theme() };
  }

  private paint(): void {
    const look = this.look();
    this.layOut();
    if (!look || this.window.width < 10) return;
    paintFlame(fit(this.boxes, this.window.width, this.window.height), look, this.window);
    this.element.dataset['span'] = this.span();
    this.paintOver();
  }

  paintOver(): void {
    if (!this.shown) return;
    const pen = fit(this.over, this.window.width, this.window.height),
      colors = theme();
    if (this.options.marksRoot) outline(pen, this.shown.tree, this.window, 0, colors.accent, 2);
    if (this.hovered >= 0) outline(pen, this.shown.tree, this.window, this.hovered, colors.text, 1);
    if (this.chosen >= 0) outline(pen, this.shown.tree, this.window, this.chosen, colors.accent, 2);
  }

  // Pointer and keys.

  private nodeUnder(event: MouseEvent): number {
    if (!this.shown) return -1;
    const place = this.over.getBoundingClientRect();
    const row = Math.floor((event.clientY - place.top + this.window.scroll) / ROW);
    const x =
      this.window.left +
      ((event.clientX - place.left) / this.window.width) * (this.window.right - this.window.left);
    return nodeAt(this.shown.tree, depthOfRow(this.shown.tree, row, this.window), x);
  }

  private hover(event: PointerEvent): void {
    this.pointer = event;
    const node = this.nodeUnder(event);
    if (node !== this.hovered) {
      this.hovered = node;
      this.paintOver();
      if (node >= 0) fill(this.tip, ...this.options.describe(node));
    }
    this.over.classList.toggle('points', node >= 0);
    this.tip.hidden = node < 0 || event.pointerType === 'touch';
    if (this.tip.hidden) return;
    const frame = this.room.getBoundingClientRect();
    const x = event.clientX - frame.left,
      y = event.clientY - frame.top;
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    this.tip.style.left = `${Math.max(0, Math.min(frame.width - width, x + 14))}px`;
    this.tip.style.top = `${y + 18 + height > frame.height + 60 ? y - height - 10 : y + 18}px`;
  }

  private leave(): void {
    this.pointer = null;
    this.hovered = -1;
    this.tip.hidden = true;
    this.paintOver();
  }

  private click(event: MouseEvent): void {
    const node = this.nodeUnder(event);
    if (node < 0) return;
    this.choose(node);
    if (this.options.onPress) this.options.onPress(node);
    else if (node !== this.zoomed) this.options.onZoom(node);
  }

  type(event: KeyboardEvent): void {
    if (!this.shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const { tree } = this.shown,
      at = this.chosen < 0 ? this.zoomed : this.chosen;
    const inward = this.options.isUpward ? 'ArrowUp' : 'ArrowDown',
      outward = this.options.isUpward ? 'ArrowDown' : 'ArrowUp';
    let next = at;
    if (this.options.onKey?.(at, event)) next = -1;
    else if (event.key === inward) next = this.chosen < 0 ? at : largestChild(tree, at);
    else if (event.key === outward) next = tree.parent[at]!;
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
      next = this.chosen < 0 ? at : neighbour(tree, at, event.key === 'ArrowLeft' ? -1 : 1);
    else if (event.key === 'Home') next = 0;
    else if (event.key === 'Enter') (this.options.onEnter ?? this.options.onZoom)(at);
    else if (event.key === 'Backspace' && this.zoomed > 0)
      this.options.onZoom(Math.max(0, tree.parent[this.zoomed]!));
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (next >= 0) this.choose(next);
  }

  choose(node: number): void {
    const { tree } = this.shown!;
    this.chosen = node;
    const y = rowOf(tree, depthOf(tree, node), this.window) * ROW;
    if (y < this.room.scrollTop) this.room.scrollTop = y;
    else if (y + ROW > this.room.scrollTop + this.window.height)
      this.room.scrollTop = y + ROW - this.window.height;
    this.options.onChoose?.(node);
    this.paintOver();
  }
}
