// The heat map as a table: its cells, largest first.
import type { HeatAnswer } from '../../api_types';
import { h } from '../../dom';
import { plainTable } from '../../plain_table';
import { countText, durationText, valueText } from '../../units';
import type { Cells } from './cells';

const LISTED = 400;

export function heatTable(answer: HeatAnswer, cells: Cells): HTMLElement {
  const heaviest = [...answer.slots].sort((a, b) => cells.value[b]! - cells.value[a]!).slice(0, LISTED);
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Cells of the heat map, largest first' },
    plainTable(
      [
        { label: 'From', cell: (slot) => durationText(cells.from(slot)) },
        { label: 'To', cell: (slot) => durationText(cells.to(slot)) },
        { label: 'Amount', cell: (slot) => valueText(cells.value[slot]!, answer.unit) },
        { label: 'Count', cell: (slot) => countText(cells.tally[slot]!) },
      ],
      heaviest,
      { rowAttributes: (slot) => ({ 'data-value': cells.value[slot] }) },
    ),
    answer.slots.length > LISTED
      ? h('p', {}, `and ${countText(answer.slots.length - LISTED)} smaller ones: Save… has all of them.`)
      : null,
  );
}
