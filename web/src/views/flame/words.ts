// What a frame is and has, for the tip and for the line beneath the graph.
import type { FlameAnswer } from '../../api_types';
import { h } from '../../dom';
import { baseName, countText, shareText, valueText } from '../../units';
import type { FrameTable, Tree } from './layout';
import { labelOf } from './paint';

interface Described {
  tree: Tree;
  frames: FrameTable;
  answer: FlameAnswer;
}

export function describe(
  { tree, frames, answer }: Described,
  node: number,
  whole = answer.total,
): HTMLElement[] {
  const frame = tree.frame[node]!,
    value = tree.value[node]!;
  const where =
    frame > 0
      ? [
          baseName(frames.module(frame)),
          frames.file(frame) && `${frames.file(frame)}${frames.line(frame) ? `:${frames.line(frame)}` : ''}`,
          frames.isInlined(frame) ? 'inlined' : '',
        ]
          .filter(Boolean)
          .join(' · ')
      : '';
  return [
    h('div', { class: 'tip-head mono' }, labelOf(tree, frames, node)),
    h(
      'div',
      { class: 'tip-line' },
      h('span', {}, 'Total'),
      h(
        'b',
        { 'data-name': 'frame-total', 'data-value': value },
        `${valueText(value, answer.unit)} · ${shareText(value, whole)}`,
      ),
    ),
    h(
      'div',
      { class: 'tip-line' },
      h('span', {}, 'Self'),
      h(
        'b',
        { 'data-name': 'frame-self', 'data-value': tree.self[node]! },
        valueText(tree.self[node]!, answer.unit),
      ),
    ),
    h(
      'div',
      { class: 'tip-line' },
      h('span', {}, answer.noun === 'block' ? 'Blocks' : 'Count'),
      h('b', { 'data-name': 'frame-count', 'data-value': tree.count[node]! }, countText(tree.count[node]!)),
    ),
    ...(where ? [h('div', { class: 'tip-where' }, where)] : []),
  ];
}
