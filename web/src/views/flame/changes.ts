// Frames coloured by how much they changed: blue is less, orange is more, grey may be chance; signs and hatching say the same without colour.
import type { DiffFlameAnswer } from '../../api_types';
import { h } from '../../dom';
import { theme } from '../../theme';
import { baseName, countText, valueText } from '../../units';
import type { FrameTable, Tree } from './layout';
import { labelOf, type Dress } from './paint';

const FIELDS = 6;

type Tone = readonly [light: string, dark: string];
const tones: Readonly<Record<string, Tone>> = {
  same: ['#efede7', '#34383f'],
  chance: ['#d5d8dd', '#484d55'],
  shrank_1: ['#d9e8fb', '#2b3d54'],
  shrank_2: ['#b3d2f9', '#2b4d75'],
  shrank_3: ['#82b5f0', '#2a5e99'],
  shrank_4: ['#5a9ae6', '#2b70c0'],
  grew_1: ['#fde8d0', '#4a3a28'],
  grew_2: ['#fbcd99', '#674722'],
  grew_3: ['#f4aa58', '#87541a'],
  grew_4: ['#e88c33', '#a86210'],
  new: ['#ffd84d', '#7d6608'],
  gone: ['#8fb8ea', '#2a5488'],
};
const unknown: Tone = ['#e3e5e9', '#2c3038'];

export function changeColor(kind: string): string {
  return (tones[kind] ?? unknown)[theme().isDark ? 1 : 0];
}

export function signed(value: number, unit: string): string {
  const text = valueText(Math.abs(value), unit);
  return value > 0 ? `+${text}` : value < 0 ? `−${text}` : '0';
}

export function percent(before: number, after: number): string {
  if (before === 0) return after === 0 ? '' : 'new';
  const share = (100 * (after - before)) / Math.abs(before);
  const text = Math.abs(share) >= 1000 ? countText(Math.abs(share)) : Math.abs(share).toFixed(1);
  return `${share < 0 ? '−' : share > 0 ? '+' : ''}${text} %`;
}

/** What is known of the change of a node. */
export interface Change {
  kind: string; // '': nothing is known
  before: number;
  after: number;
  beforeCount: number;
  afterCount: number;
  error: number;
}

/** `which` of its trees `tree` was made of. */
export function changesOf(answer: DiffFlameAnswer, which: number, tree: Tree): (node: number) => Change {
  const list = answer.flame.trees[which]?.changes ?? [];
  return (node) => {
    const at = tree.place[node]! * FIELDS;
    return {
      kind: answer.kinds[(list[at + 5] ?? -1) - answer.kinds_from] ?? '',
      before: list[at] ?? 0,
      after: list[at + 1] ?? 0,
      beforeCount: list[at + 2] ?? 0,
      afterCount: list[at + 3] ?? 0,
      error: list[at + 4] ?? 0,
    };
  };
}

export interface ChangeScene {
  tree: Tree;
  frames: FrameTable;
  unit: string;
  changeOf(node: number): Change;
  words: string; // what is compared
  own?(node: number): HTMLElement[]; // what else there is to say of a frame
}

export class ChangeDress implements Dress {
  constructor(private readonly scene: ChangeScene) {}

  color(node: number): string {
    return changeColor(this.scene.changeOf(node).kind);
  }

  label(node: number): string {
    const { tree, frames, unit } = this.scene;
    const { kind, before, after } = this.scene.changeOf(node);
    const name = labelOf(tree, frames, node);
    if (kind === '') return name;
    const sign = kind === 'new' ? '✚ ' : kind === 'gone' ? '✕ ' : kind === 'chance' ? '~ ' : '';
    return after === before ? name : `${sign}${name} ${signed(after - before, unit)}`;
  }

  isHatched(node: number): boolean {
    return this.scene.changeOf(node).kind === 'gone';
  }

  describe(node: number): HTMLElement[] {
    const { tree, frames, unit } = this.scene,
      frame = tree.frame[node]!;
    const change = this.scene.changeOf(node);
    const line = (name: string, value: number, text: string): HTMLElement =>
      h(
        'div',
        { class: 'tip-line' },
        h('span', {}, name),
        h('b', { 'data-name': name, 'data-value': value }, text),
      );
    const head = h('div', { class: 'tip-head mono' }, labelOf(tree, frames, node));
    const where =
      frame > 0 && node > 0 ? [h('div', { class: 'tip-where' }, baseName(frames.module(frame)))] : [];
    const own = this.scene.own?.(node) ?? [];
    if (change.kind === '' && frame >= 0)
      return [
        head,
        ...own,
        h('div', { class: 'tip-where' }, 'The comparison does not have this frame.'),
        ...where,
      ];
    const { before, after, error } = change;
    const share = before === 0 || after === 0 ? '' : `, ${percent(before, after)}`;
    return [
      head,
      ...own,
      line('Before', before, valueText(before, unit)),
      line('After', after, valueText(after, unit)),
      line('Change', after - before, `${signed(after - before, unit)}${share}`),
      ...(error > 0 ? [line('Error', error, `± ${valueText(error, unit)}`)] : []),
      ...(change.kind === 'chance'
        ? [h('div', { class: 'tip-where' }, 'The change is within the error of sampling.')]
        : []),
      ...where,
    ];
  }

  legend(): HTMLElement[] {
    const key = (text: string, ...kinds: string[]): HTMLElement =>
      h(
        'span',
        { class: 'key' },
        ...kinds.map((kind) => {
          const dot = h('i', { class: `dot${kind === 'gone' ? ' hatched' : ''}` });
          dot.style.backgroundColor = changeColor(kind);
          return dot;
        }),
        text,
      );
    return [
      key('less', 'shrank_4', 'shrank_3', 'shrank_2', 'shrank_1'),
      key('unchanged', 'same'),
      key('more', 'grew_1', 'grew_2', 'grew_3', 'grew_4'),
      key('✚ new', 'new'),
      key('✕ gone', 'gone'),
      key('~ within the error of sampling', 'chance'),
      h('span', { class: 'hint' }, this.scene.words),
    ];
  }
}
