// The heat map as a table: its cells, largest first.
import type { HeatAnswer } from '../../api_types';
import { h } from '../../dom';
import { countText, durationText, valueText } from '../../units';
import type { Cells } from './cells';

const LISTED = 400;

export function heatTable(answer: HeatAnswer, cells: Cells): HTMLElement {
  const heaviest = [...answer.slots].sort((a, b) => cells.value[b]! - cells.value[a]!).slice(0, LISTED);
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Cells of the heat map, largest first' },
    h(
      'table',
      { class: 'plain' },
      h(
        'thead',
        {},
        h('tr', {}, ...['From', 'To', 'Amount', 'Count'].map((head) => h('th', { scope: 'col' }, head))),
      ),
      h(
        'tbody',
        {},
        ...heaviest.map((slot) =>
          h(
            'tr',
            { 'data-value': cells.value[slot] },
            h('th', { scope: 'row' }, durationText(cells.from(slot))),
            h('td', {}, durationText(cells.to(slot))),
            h('td', {}, valueText(cells.value[slot]!, answer.unit)),
            h('td', {}, countText(cells.tally[slot]!)),
          ),
        ),
      ),
    ),
    answer.slots.length > LISTED
      ? h('p', {}, `and ${countText(answer.slots.length - LISTED)} smaller ones: Save… has all of them.`)
      : null,
  );
}
