// A function of the call graph in words, and the whole graph as tables.
import type { GraphAnswer } from '../../api_types';
import { h } from '../../dom';
import type { Table } from '../../export/seen';
import { plainTable } from '../../plain_table';
import { baseName, countText, shareText, valueText } from '../../units';
import { nameOf } from './draw';
import type { Neighbours } from './walk';

const LISTED = 4;

function line(label: string, ...values: (Node | string)[]): HTMLElement {
  return h('div', { class: 'tip-line' }, h('span', {}, label), ...values);
}

export function describe(
  answer: GraphAnswer,
  place: number,
  neighbours: readonly Neighbours[],
): HTMLElement[] {
  const node = answer.nodes[place];
  if (!node) return [];
  const amount = (value: number): string =>
    `${valueText(value, answer.unit)} (${shareText(value, answer.whole)})`;
  const list = (places: readonly number[]): string => {
    const names = places.slice(0, LISTED).map((one) => nameOf(answer.nodes[one]!, answer.by));
    return names.join(', ') + (places.length > LISTED ? ` and ${places.length - LISTED} more` : '');
  };
  const { callers, callees } = neighbours[place] ?? { callers: [], callees: [] };
  const notes = [
    node.recursive ? 'calls itself' : '',
    node.cycle ? `in cycle ${node.cycle}: these functions call each other` : '',
  ].filter(Boolean);
  return [
    h('div', { class: 'tip-head mono' }, nameOf(node, answer.by)),
    line('total', h('b', { 'data-name': 'node-total', 'data-value': node.total }, amount(node.total))),
    line('self', h('b', { 'data-name': 'node-self', 'data-value': node.self }, amount(node.self))),
    line(
      'count',
      h('b', { 'data-name': 'node-count', 'data-value': node.total_count }, countText(node.total_count)),
    ),
    ...(callers.length ? [h('div', { class: 'tip-where' }, `called by ${list(callers)}`)] : []),
    ...(callees.length ? [h('div', { class: 'tip-where' }, `calls ${list(callees)}`)] : []),
    ...(notes.length ? [h('div', { class: 'tip-where' }, notes.join('; '))] : []),
    ...(answer.by === 'module' ? [] : [h('div', { class: 'tip-where' }, baseName(node.module))]),
  ];
}

export function nodeTable(answer: GraphAnswer): Table {
  return {
    columns: ['name', 'module', 'total', 'self', 'count', 'share'],
    rows: answer.nodes.map((node) => [
      nameOf(node, answer.by),
      node.module,
      node.total,
      node.self,
      node.total_count,
      node.share,
    ]),
  };
}

/** Both tables, for those who do not see the picture. */
export function graphTables(answer: GraphAnswer): HTMLElement {
  const amount = (value: number): string =>
    `${valueText(value, answer.unit)}, ${shareText(value, answer.whole)}`;
  const name = (place: number): string => nameOf(answer.nodes[place]!, answer.by);
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Tables of the call graph' },
    plainTable(
      [
        { label: 'Function', cell: (node) => nameOf(node, answer.by) },
        { label: 'Total', cell: (node) => amount(node.total) },
        { label: 'Self', cell: (node) => amount(node.self) },
        { label: 'Count', cell: (node) => countText(node.total_count) },
        { label: 'Module', cell: (node) => baseName(node.module) },
      ],
      answer.nodes,
      { caption: 'Functions' },
    ),
    plainTable(
      [
        { label: 'Caller', cell: (edge) => name(edge.from) },
        { label: 'Calls', cell: (edge) => name(edge.to) },
        { label: 'Amount', cell: (edge) => amount(edge.value) },
        { label: 'Count', cell: (edge) => countText(edge.count) },
        { label: 'How', cell: (edge) => (edge.indirect ? 'through hidden functions' : 'direct') },
      ],
      answer.edges,
      { caption: 'Calls' },
    ),
  );
}
