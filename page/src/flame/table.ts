// The flame graph as a table: its widest frames, for those who do not look at pictures.
import type { FlameAnswer } from '../api_types';
import { h } from '../dom';
import type { Table } from '../export/seen';
import { countText, shareText, valueText } from '../units';
import type { FrameTable, Tree } from './layout';
import { labelOf } from './paint';

const ROWS = 100;

export function flameTable(tree: Tree, frames: FrameTable, answer: FlameAnswer): HTMLElement {
  const widest = Array.from({ length: tree.size }, (_, i) => i)
    .sort((a, b) => tree.value[b]! - tree.value[a]! || a - b)
    .slice(0, ROWS)
    .sort((a, b) => a - b);
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      { class: 'plain' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ...['Depth', 'Function', 'Called by', 'Total', 'Share', 'Self', 'Count'].map((name) =>
            h('th', { scope: 'col' }, name),
          ),
        ),
      ),
      h(
        'tbody',
        {},
        ...widest.map((node) =>
          h(
            'tr',
            {},
            h('td', {}, String(tree.depth[node]!)),
            h('th', { scope: 'row', class: 'mono' }, labelOf(tree, frames, node)),
            h(
              'td',
              { class: 'mono' },
              tree.parent[node]! > 0 ? labelOf(tree, frames, tree.parent[node]!) : '',
            ),
            h('td', { 'data-value': tree.value[node]! }, valueText(tree.value[node]!, answer.unit)),
            h('td', {}, shareText(tree.value[node]!, answer.total)),
            h('td', { 'data-value': tree.self[node]! }, valueText(tree.self[node]!, answer.unit)),
            h('td', { 'data-value': tree.count[node]! }, countText(tree.count[node]!)),
          ),
        ),
      ),
    ),
  );
}

/** Every frame of the tree, for a file. */
export function flameRows(tree: Tree, frames: FrameTable): Table {
  const rows: (string | number)[][] = [];
  for (let node = 0; node < tree.size; node++) {
    const frame = tree.frame[node]!;
    rows.push([
      tree.depth[node]!,
      labelOf(tree, frames, node),
      frame > 0 ? frames.module(frame) : '',
      tree.value[node]!,
      tree.self[node]!,
      tree.count[node]!,
    ]);
  }
  return { columns: ['depth', 'function', 'module', 'total', 'self', 'count'], rows };
}
