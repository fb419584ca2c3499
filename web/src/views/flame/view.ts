// The flame graph: zoom, search, both directions, pointer and keyboard, and the same as a table.
import type { FlameAnswer } from '../../api_types';
import type { Parameters } from '../../client';
import { changesWithin } from '../diff/within';
import { add, button, fill, h } from '../../dom';
import type { Picture, Table } from '../../export/seen';
import { literally } from '../../finder';
import { isCounter } from '../../metrics';
import { questionOf, type Part, type Scene } from '../../scene';
import type { Colouring } from '../../selection';
import { noneText } from '../../states';
import { onTheme, theme } from '../../theme';
import { countText, shareText, valueText } from '../../units';
import { Palette } from './colors';
import { frameTable, mergedCount, nodeOfPath, pathText, sumOf, treeOf } from './layout';
import { matchesOf } from './matches';
import { labelOf, type Dress } from './paint';
import { FlameStage, type Shown as Painted } from './stage';
import { flameRows, flameTable } from './table';
import { describe } from './words';

const EVERY_FRAME = 2000000;

export interface Shown extends Painted {
  answer: FlameAnswer;
}

/** Only the tree that is looked at: a large recording has two large ones. */
function oneWay(scene: Scene): Parameters {
  return { ways: 'one', reverse: scene.selection.callers ? 'true' : null };
}

interface Made extends Shown {
  callers: boolean;
  isDark: boolean;
  colour: Colouring;
}

export class FlamePart implements Part {
  readonly element = h('section', { class: 'flame', 'aria-label': 'Flame graph' });
  protected readonly bar = h('div', { class: 'toolbar' });
  private readonly stage = new FlameStage({
    label:
      'Flame graph. Arrows walk through the frames, Enter zooms in, Backspace zooms out, c shows callers and callees. The same is below as a table.',
    describe: (node) => this.describe(node),
    onZoom: (node) => this.zoomTo(node),
    onTurn: (span) => this.scene?.change({ span }, 'replace'),
    onChoose: () => this.fillFacts(),
    onKey: (node, event) => event.key === 'c' && this.focus(node),
  });
  private readonly facts = h('div', { class: 'facts', 'aria-live': 'polite' });
  private readonly legend = h('div', { class: 'legend' });
  protected readonly table = h('details', { class: 'as-table' }, h('summary', {}, 'As a table'));
  private scene: Scene | null = null;
  private made: Made | null = null;

  constructor() {
    add(this.element, this.bar, this.stage.element, this.facts, this.legend, this.table);
    this.table.addEventListener('toggle', () => this.fillTable());
    onTheme(() => this.scene && void this.show(this.scene));
  }

  async show(scene: Scene): Promise<void> {
    const before = this.scene;
    this.scene = scene;
    const answer = await this.load(scene);
    if (this.scene !== scene) return;
    const { stage } = this;
    const chosenPath = this.made && stage.chosen > 0 ? pathText(this.made.tree, stage.chosen) : '';
    const made = this.make(answer, scene);
    const dress = await this.dressOf(made, scene);
    if (this.scene !== scene) return;
    this.made = { ...made, dress };
    const { tree } = this.made;
    stage.chosen = chosenPath ? nodeOfPath(tree, chosenPath) || -1 : -1;
    this.fillBar();
    this.fillLegend();
    this.fillTable();
    stage.show(this.made, nodeOfPath(tree, scene.selection.zoom), {
      glides:
        before !== null &&
        before.selection.callers === scene.selection.callers &&
        before.selection.zoom !== scene.selection.zoom,
      span: scene.selection.span,
    });
    this.fillFacts();
  }

  protected load(scene: Scene): Promise<FlameAnswer> {
    return scene.source.get<FlameAnswer>('api/flame', {
      ...questionOf(scene),
      frames: scene.selection.frames,
      ...oneWay(scene),
    });
  }

  protected dressOf(shown: Shown, scene: Scene): Promise<Dress | null> {
    return scene.selection.colour === 'change' ? changesWithin(shown, scene) : Promise.resolve(null);
  }

  asPicture(): Picture | null {
    return this.made && this.made.answer.total > 0 ? this.stage.asPicture() : null;
  }

  asTable(): Table | null {
    return this.made && flameRows(this.made.tree, this.made.frames);
  }

  /** What is slow is kept for as long as it is the same. */
  private make(answer: FlameAnswer, scene: Scene): Made {
    const { callers, find, colour } = scene.selection,
      { isDark } = theme();
    let made = this.made;
    if (!made || made.answer !== answer || made.callers !== callers) {
      const frames = frameTable(answer);
      const tree = treeOf(answer.trees[callers ? 1 : 0]?.nodes ?? [0, 0, 0, 0], frames);
      const palette = new Palette(tree, frames, isDark, colour);
      made = { answer, callers, isDark, colour, frames, tree, palette, matches: null, dress: null };
    } else if (made.isDark !== isDark || made.colour !== colour)
      made = { ...made, isDark, colour, palette: new Palette(made.tree, made.frames, isDark, colour) };
    return { ...made, matches: matchesOf(made.frames, find) };
  }

  private zoomTo(node: number): void {
    if (!this.made || this.made.tree.frame[node]! < 0) return;
    const { tree, frames } = this.made,
      frame = tree.frame[node]!;
    this.scene?.change({ zoom: pathText(tree, node), picked: frame > 0 ? frames.name(frame) : '' });
  }

  /** Callers and callees of the function of a node. */
  private focus(node: number): boolean {
    const frame = this.made?.tree.frame[node] ?? -1;
    if (node <= 0 || frame < 0) return false;
    this.scene?.change({ view: 'callers', focus: this.made!.frames.name(frame), zoom: '' });
    return true;
  }

  // Words.

  private describe(node: number): HTMLElement[] {
    const { made } = this;
    return made ? (made.dress?.describe(node) ?? describe(made, node)) : [];
  }

  private fillFacts(): void {
    const { made, scene } = this;
    if (!made || !scene) return;
    const node = this.stage.chosen >= 0 ? this.stage.chosen : this.stage.zoomed;
    const frame = made.tree.frame[node]!;
    const isFunction = node > 0 && frame >= 0;
    fill(
      this.facts,
      ...this.describe(node),
      isFunction &&
        button('Callers and callees', () => this.focus(node), {
          class: 'small',
          title: 'Callers and callees of this function (c)',
        }),
      isFunction &&
        button(
          'Only stacks through this function',
          () => scene.change({ filter: literally(made.frames.name(frame)), zoom: '' }),
          { class: 'small' },
        ),
    );
    this.facts.dataset['name'] = labelOf(made.tree, made.frames, node);
  }

  protected totalsOf({ answer }: Shown, scene: Scene): HTMLElement[] {
    const { colour, time } = scene.selection;
    const grew = h('span', { class: 'hint' }, 'growth within the selected range');
    const colours: [string, Colouring][] = [
      ['Modules', 'module'],
      ['Functions', 'function'],
      ['Change', 'change'],
    ];
    return [
      h(
        'div',
        { class: 'switch', role: 'group', 'aria-label': 'Colours' },
        ...colours.map(([label, by]) =>
          button(label, () => scene.change({ colour: by }), {
            'aria-pressed': String(colour === by),
            title: `Colour by ${by}`,
          }),
        ),
      ),
      h(
        'span',
        { class: 'total', 'data-value': answer.total, 'data-name': 'flame-total' },
        valueText(answer.total, answer.unit),
      ),
      ...(time && time.from !== null && !isCounter(scene.metric) ? [grew] : []),
    ];
  }

  protected fillBar(): void {
    const { made, scene } = this;
    if (!made || !scene) return;
    const { callers, find } = scene.selection;
    const direction = (label: string, isCallers: boolean): HTMLButtonElement =>
      button(label, () => scene.change({ callers: isCallers, zoom: '' }), {
        'aria-pressed': String(callers === isCallers),
      });
    const { tree, answer } = made;
    const found = made.matches ? sumOf(tree, made.matches) : 0;
    fill(
      this.bar,
      h(
        'div',
        { class: 'switch', role: 'group', 'aria-label': 'Direction' },
        direction('Top down', false),
        direction('Bottom up', true),
      ),
      ...this.totalsOf(made, scene),
      made.matches
        ? h(
            'span',
            { class: 'found', 'data-name': 'found', 'data-value': found },
            `“${find}” has ${valueText(found, answer.unit)}, ${shareText(found, answer.total)}`,
          )
        : null,
      scene.selection.zoom ? button('Reset zoom', () => this.zoomTo(0), { class: 'small' }) : null,
      this.mergedNote(scene, mergedCount(tree)),
    );
    this.stage.room.hidden = this.facts.hidden = answer.total === 0;
    if (answer.total === 0) add(this.bar, h('p', { class: 'empty' }, noneText('stack', scene)));
  }

  private mergedNote(scene: Scene, merged: number): HTMLElement | null {
    if (!merged) return null;
    const text = `${countText(merged)} small frames merged`;
    if (scene.selection.frames >= EVERY_FRAME) return h('span', { class: 'hint' }, text);
    return button(`${text}: show all`, () => scene.change({ frames: EVERY_FRAME }, 'replace'), {
      class: 'small',
      'data-name': 'merged',
      'data-value': merged,
    });
  }

  private fillLegend(): void {
    const { palette, dress } = this.made!;
    if (dress) fill(this.legend, ...dress.legend());
    else
      fill(
        this.legend,
        ...palette.legend().map(({ name, color }) => {
          const dot = h('i', { class: 'dot' });
          dot.style.background = color;
          return h('span', { class: 'key', title: name }, dot, h('span', {}, name));
        }),
      );
  }

  private fillTable(): void {
    if (!this.made || !this.table.open) return;
    this.table.querySelector('.scroll')?.remove();
    this.table.append(flameTable(this.made.tree, this.made.frames, this.made.answer));
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === 'r') this.scene?.change({ callers: !this.scene.selection.callers, zoom: '' });
    else if (event.key.startsWith('Arrow')) {
      this.stage.over.focus();
      this.stage.type(event);
    } else return false;
    return true;
  }
}
