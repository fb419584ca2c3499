// The flame graph as a table: its widest frames, for those who do not look at pictures.
import type { FlameAnswer } from '../../api_types';
import { h } from '../../dom';
import type { Table } from '../../export/seen';
import { plainTable, type PlainColumn } from '../../plain_table';
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
  const label = (node: number): string => labelOf(tree, frames, node);
  const number = (
    id: string,
    name: string,
    data: (node: number) => number,
    text: (value: number) => string,
  ): PlainColumn<number> => ({ id, label: name, data, cell: (node) => text(data(node)) });
  const amount = (value: number): string => valueText(value, answer.unit);
  return h(
    'div',
    { class: 'scroll' },
    plainTable<number>(
      [
        { label: 'Depth', cell: (node) => String(depthOf(tree, node)) },
        { label: 'Function', isName: true, class: 'mono', cell: label },
        {
          label: 'Called by',
          class: 'mono',
          cell: (node) => (tree.parent[node]! > 0 ? label(tree.parent[node]!) : ''),
        },
        number('total', 'Total', (node) => tree.value[node]!, amount),
        { label: 'Share', cell: (node) => shareText(tree.value[node]!, answer.total) },
        number('self', 'Self', (node) => tree.self[node]!, amount),
        number('count', 'Count', (node) => tree.count[node]!, countText),
      ],
      widest(tree, ROWS),
      { rowAttributes: (node) => ({ 'data-name': label(node) }) },
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
