// The flame graph: zoom, search, both directions, pointer and keyboard, and the same as a table.
import type { FlameAnswer } from '../api_types';
import { fit } from '../canvas';
import { add, button, fill, h, listen } from '../dom';
import type { Picture, Table } from '../export/seen';
import { finderOf, literally } from '../finder';
import { isCounter } from '../metrics';
import { questionOf, type Part, type Scene } from '../scene';
import { onTheme, theme } from '../theme';
import { shareText, valueText } from '../units';
import { changesWithin } from '../diff/within';
import { Palette } from './colors';
import {
  frameTable,
  largestChild,
  nodeAt,
  nodeOfPath,
  pathText,
  sumOf,
  treeOf,
  type FrameTable,
  type Tree,
} from './layout';
import { labelOf, outline, paintFlame, ROW, type Dress, type Window } from './paint';
import { flameRows, flameTable } from './table';
import { describe } from './words';

const GLIDE_MS = 160;

export interface Shown {
  dress: Dress | null;
  answer: FlameAnswer;
  frames: FrameTable;
  tree: Tree;
  palette: Palette;
  matches: Uint8Array | null;
}

export class FlamePart implements Part {
  readonly element = h('section', { class: 'flame', 'aria-label': 'Flame graph' });
  protected readonly bar = h('div', { class: 'toolbar' });
  private readonly boxes = h('canvas', { class: 'boxes' });
  private readonly over = h('canvas', {
    class: 'over',
    tabindex: 0,
    role: 'application',
    'aria-label':
      'Flame graph. Arrows walk through the frames, Enter zooms in, Backspace zooms out. The same is below as a table.',
  });
  private readonly stage = h('div', { class: 'stage' }, this.boxes, this.over);
  private readonly room = h('div', { class: 'room' }, this.stage);
  private readonly tip = h('div', { class: 'tip wide', hidden: true });
  private readonly facts = h('div', { class: 'facts', 'aria-live': 'polite' });
  private readonly legend = h('div', { class: 'legend' });
  private readonly table = h('details', { class: 'as-table' }, h('summary', {}, 'As a table'));
  private scene: Scene | null = null;
  private shown: Shown | null = null;
  private window: Window = { left: 0, right: 1, scroll: 0, width: 1, height: 1 };
  private zoomed = 0;
  private hovered = -1;
  private pointer: PointerEvent | null = null; // where it is, if it is over the boxes
  private chosen = -1;
  private glide = 0;
  private known: { answer: FlameAnswer; callers: boolean; isDark: boolean; shown: Shown } | null = null;

  constructor() {
    add(
      this.element,
      this.bar,
      h('div', { class: 'flame-frame' }, this.room, this.tip),
      this.facts,
      this.legend,
      this.table,
    );
    listen(this.over, {
      pointermove: (event) => this.hover(event),
      pointerleave: () => this.leave(),
      click: (event) => this.click(event),
      dblclick: () => this.zoomTo(0),
      keydown: (event) => this.type(event),
    });
    this.room.addEventListener('scroll', () => this.paint());
    this.table.addEventListener('toggle', () => this.fillTable());
    new ResizeObserver(() => this.paint()).observe(this.room);
    onTheme(() => this.scene && void this.show(this.scene));
  }

  async show(scene: Scene): Promise<void> {
    const before = this.scene;
    this.scene = scene;
    const answer = await this.load(scene);
    if (this.scene !== scene) return;
    const chosenPath = this.shown && this.chosen > 0 ? pathText(this.shown.tree, this.chosen) : '';
    const shown = this.build(answer, scene);
    const dress = await this.dressOf(shown, scene);
    if (this.scene !== scene) return;
    this.shown = { ...shown, dress };
    const { tree } = this.shown;
    this.chosen = chosenPath ? nodeOfPath(tree, chosenPath) || -1 : -1;
    this.hovered = -1;
    this.tip.hidden = true;
    const target = nodeOfPath(tree, scene.selection.zoom);
    const glides =
      before !== null &&
      before.selection.callers === scene.selection.callers &&
      before.selection.zoom !== scene.selection.zoom;
    this.fillBar();
    this.fillLegend();
    this.fillTable();
    this.moveTo(target, glides);
    this.fillFacts();
    if (this.pointer) this.hover(this.pointer);
  }

  protected load(scene: Scene): Promise<FlameAnswer> {
    return scene.source.get<FlameAnswer>('api/flame', {
      ...questionOf(scene),
      frames: scene.selection.frames,
    });
  }

  protected dressOf(shown: Shown, scene: Scene): Promise<Dress | null> {
    return scene.selection.colour === 'change' ? changesWithin(shown, scene) : Promise.resolve(null);
  }

  private build(answer: FlameAnswer, scene: Scene): Shown {
    const { callers, find } = scene.selection,
      { isDark } = theme();
    let made = this.known;
    if (!made || made.answer !== answer || made.callers !== callers || made.isDark !== isDark) {
      const frames = frameTable(answer);
      const tree = treeOf(answer.trees[callers ? 1 : 0]?.nodes ?? [0, 0, 0, 0], frames);
      made = {
        answer,
        callers,
        isDark,
        shown: {
          answer,
          frames,
          tree,
          palette: new Palette(tree, frames, isDark),
          matches: null,
          dress: null,
        },
      };
      this.known = made;
    }
    const finds = finderOf(find);
    const { frames } = made.shown;
    const matches = finds
      ? Uint8Array.from({ length: frames.count }, (_, i) =>
          i > 0 && (finds(frames.name(i)) || finds(frames.module(i))) ? 1 : 0,
        )
      : null;
    return { ...made.shown, matches };
  }

  // Where the window looks.

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
      const t = Math.min(1, (now - began) / GLIDE_MS),
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

  private zoomTo(node: number): void {
    if (!this.shown || this.shown.tree.frame[node]! < 0) return;
    this.scene?.change({ zoom: pathText(this.shown.tree, node) });
  }

  private paint(): void {
    const { shown } = this,
      width = this.room.clientWidth;
    if (!shown || width < 10) return;
    const whole = shown.tree.levels.length * ROW;
    const height = Math.min(whole, Math.max(240, Math.round(innerHeight * 0.62)));
    this.room.style.height = `${height}px`;
    this.stage.style.height = `${whole}px`;
    this.window = { ...this.window, width: this.room.clientWidth, height, scroll: this.room.scrollTop };
    paintFlame(
      fit(this.boxes, this.window.width, height),
      { ...shown, zoomDepth: shown.tree.depth[this.zoomed] ?? 0, theme: theme() },
      this.window,
    );
    this.paintOver();
  }

  /** All of its depth, as wide as it is. */
  asPicture(): Picture | null {
    const { shown, window } = this;
    if (!shown || shown.answer.total === 0) return null;
    const whole = {
      ...window,
      width: Math.max(window.width, 600),
      scroll: 0,
      height: shown.tree.levels.length * ROW,
    };
    const look = { ...shown, zoomDepth: shown.tree.depth[this.zoomed] ?? 0, theme: theme() };
    return { width: whole.width, height: whole.height, paint: (pen) => paintFlame(pen, look, whole) };
  }

  asTable(): Table | null {
    return this.shown && flameRows(this.shown.tree, this.shown.frames);
  }

  private paintOver(): void {
    if (!this.shown) return;
    const pen = fit(this.over, this.window.width, this.window.height),
      colors = theme();
    if (this.hovered >= 0) outline(pen, this.shown.tree, this.window, this.hovered, colors.text, 1);
    if (this.chosen >= 0) outline(pen, this.shown.tree, this.window, this.chosen, colors.accent, 2);
  }

  // Pointer and keys.

  private nodeUnder(event: MouseEvent): number {
    if (!this.shown) return -1;
    const place = this.over.getBoundingClientRect();
    const depth = Math.floor((event.clientY - place.top + this.window.scroll) / ROW);
    const x =
      this.window.left +
      ((event.clientX - place.left) / this.window.width) * (this.window.right - this.window.left);
    return nodeAt(this.shown.tree, depth, x);
  }

  private hover(event: PointerEvent): void {
    this.pointer = event;
    const node = this.nodeUnder(event);
    if (node !== this.hovered) {
      this.hovered = node;
      this.paintOver();
    }
    this.over.classList.toggle('points', node >= 0);
    this.tip.hidden = node < 0 || event.pointerType === 'touch';
    if (this.tip.hidden) return;
    fill(this.tip, ...this.describe(node));
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
    this.chosen = node;
    this.fillFacts();
    this.paintOver();
    if (node !== this.zoomed) this.zoomTo(node);
  }

  private sibling(step: number): number {
    const { tree } = this.shown!,
      level = tree.levels[tree.depth[this.chosen]!]!;
    const place = level.indexOf(this.chosen);
    return level[place + step] ?? this.chosen;
  }

  private type(event: KeyboardEvent): void {
    if (!this.shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const { tree } = this.shown;
    const at = this.chosen < 0 ? this.zoomed : this.chosen;
    let next = at;
    if (event.key === 'ArrowDown') next = this.chosen < 0 ? at : largestChild(tree, at);
    else if (event.key === 'ArrowUp') next = tree.parent[at]!;
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
      next = this.chosen < 0 ? at : this.sibling(event.key === 'ArrowLeft' ? -1 : 1);
    else if (event.key === 'Home') next = 0;
    else if (event.key === 'Enter') this.zoomTo(at);
    else if (event.key === 'Backspace' && this.zoomed > 0)
      this.zoomTo(Math.max(0, tree.parent[this.zoomed]!));
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (next >= 0) this.choose(next);
  }

  private choose(node: number): void {
    const { tree } = this.shown!;
    this.chosen = node;
    const y = tree.depth[node]! * ROW;
    if (y < this.room.scrollTop) this.room.scrollTop = y;
    else if (y + ROW > this.room.scrollTop + this.window.height)
      this.room.scrollTop = y + ROW - this.window.height;
    this.fillFacts();
    this.paintOver();
  }

  // Words.

  private describe(node: number): HTMLElement[] {
    const shown = this.shown!;
    return shown.dress?.describe(node) ?? describe(shown, node);
  }

  private fillFacts(): void {
    const { shown, scene } = this;
    if (!shown || !scene) return;
    const node = this.chosen >= 0 ? this.chosen : this.zoomed;
    const frame = shown.tree.frame[node]!;
    fill(
      this.facts,
      ...this.describe(node),
      frame > 0 &&
        button(
          'Only stacks through it',
          () => scene.change({ filter: literally(shown.frames.name(frame)), zoom: '' }),
          { class: 'small' },
        ),
    );
    this.facts.dataset['name'] = labelOf(shown.tree, shown.frames, node);
  }

  protected totalsOf({ answer }: Shown, scene: Scene): HTMLElement[] {
    const { colour, time } = scene.selection;
    const total = h(
      'span',
      { class: 'total', 'data-value': answer.total, 'data-name': 'flame-total' },
      valueText(answer.total, answer.unit),
    );
    const grew = h('span', { class: 'hint' }, 'what grew in the range');
    const byChange = button(
      'Colour by change',
      () => scene.change({ colour: colour === 'change' ? 'module' : 'change' }),
      { class: `chip${colour === 'change' ? ' on' : ''}`, 'aria-pressed': String(colour === 'change') },
    );
    return [total, ...(time && time.from !== null && !isCounter(scene.metric) ? [grew] : []), byChange];
  }

  protected fillBar(): void {
    const { shown, scene } = this;
    if (!shown || !scene) return;
    const { callers, find } = scene.selection;
    const direction = (label: string, isCallers: boolean): HTMLButtonElement =>
      button(label, () => scene.change({ callers: isCallers, zoom: '' }), {
        'aria-pressed': String(callers === isCallers),
      });
    const { tree, answer } = shown;
    const found = shown.matches ? sumOf(tree, shown.matches) : 0;
    fill(
      this.bar,
      h(
        'div',
        { class: 'switch', role: 'group', 'aria-label': 'Direction' },
        direction('Top down', false),
        direction('Bottom up', true),
      ),
      ...this.totalsOf(shown, scene),
      shown.matches
        ? h(
            'span',
            { class: 'found', 'data-name': 'found', 'data-value': found },
            `“${find}” has ${valueText(found, answer.unit)}, ${shareText(found, answer.total)}`,
          )
        : null,
      this.scene?.selection.zoom ? button('Reset zoom', () => this.zoomTo(0), { class: 'small' }) : null,
    );
    this.room.hidden = this.facts.hidden = answer.total === 0;
    if (answer.total === 0)
      add(
        this.bar,
        h('p', { class: 'empty' }, 'Nothing here: no stack has any of this metric in the selection.'),
      );
  }

  private fillLegend(): void {
    const { palette, dress } = this.shown!;
    if (dress) {
      fill(this.legend, ...dress.legend());
      return;
    }
    fill(
      this.legend,
      ...palette.modules
        .slice(0, 7)
        .filter((module) => module.name)
        .map((module) => {
          const dot = h('i', { class: 'dot' });
          dot.style.background = palette.ofHue(module.hue);
          return h('span', { class: 'key' }, dot, module.name);
        }),
    );
  }

  private fillTable(): void {
    if (!this.shown || !this.table.open) return;
    this.table.querySelector('.scroll')?.remove();
    this.table.append(flameTable(this.shown.tree, this.shown.frames, this.shown.answer));
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === 'r') this.scene?.change({ callers: !this.scene.selection.callers, zoom: '' });
    else if (event.key.startsWith('Arrow')) {
      this.over.focus();
      this.type(event);
    } else return false;
    return true;
  }
}
