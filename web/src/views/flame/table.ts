// The flame graph as a table: its widest frames, for those who do not look at pictures.
import type { FlameAnswer } from '../../api_types';
import { h } from '../../dom';
import type { Table } from '../../export/seen';
import { countText, shareText, valueText } from '../../units';
import { depthOf, type FrameTable, type Tree } from './layout';
import { labelOf } from './paint';

const ROWS = 100;

/** The widest nodes, in the order of their stacks. */
function widest(tree: Tree, most: number): number[] {
  const values = Float64Array.from(tree.value).sort();
  const least = values[Math.max(0, values.length - most)] ?? 0;
  const nodes: number[] = [];
  for (let i = 0; i < tree.size; i++) if (tree.value[i]! >= least) nodes.push(i);
  return nodes
    .sort((a, b) => tree.value[b]! - tree.value[a]! || a - b)
    .slice(0, most)
    .sort((a, b) => tree.place[a]! - tree.place[b]!);
}

export function flameTable(tree: Tree, frames: FrameTable, answer: FlameAnswer): HTMLElement {
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
        ...widest(tree, ROWS).map((node) =>
          h(
            'tr',
            { 'data-name': labelOf(tree, frames, node) },
            h('td', {}, String(depthOf(tree, node))),
            h('th', { scope: 'row', class: 'mono' }, labelOf(tree, frames, node)),
            h(
              'td',
              { class: 'mono' },
              tree.parent[node]! > 0 ? labelOf(tree, frames, tree.parent[node]!) : '',
            ),
            h(
              'td',
              { 'data-column': 'total', 'data-value': tree.value[node]! },
              valueText(tree.value[node]!, answer.unit),
            ),
            h('td', {}, shareText(tree.value[node]!, answer.total)),
            h(
              'td',
              { 'data-column': 'self', 'data-value': tree.self[node]! },
              valueText(tree.self[node]!, answer.unit),
            ),
            h(
              'td',
              { 'data-column': 'count', 'data-value': tree.count[node]! },
              countText(tree.count[node]!),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Every frame of the tree, in the order of its stacks, for a file. */
export function flameRows(tree: Tree, frames: FrameTable): Table {
  const depths = new Uint16Array(tree.size);
  for (let depth = 0; depth < tree.levels.length - 1; depth++)
    depths.fill(depth, tree.levels[depth]!, tree.levels[depth + 1]!);
  const order = new Uint32Array(tree.size);
  tree.place.forEach((place, node) => (order[place] = node));
  return {
    columns: ['depth', 'function', 'module', 'total', 'self', 'count'],
    rows: Array.from(order, (node) => [
      depths[node]!,
      labelOf(tree, frames, node),
      node > 0 && tree.frame[node]! >= 0 ? frames.module(tree.frame[node]!) : '',
      tree.value[node]!,
      tree.self[node]!,
      tree.count[node]!,
    ]),
  };
}
