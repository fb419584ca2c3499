// What changed as a table: bars to the left are less, bars to the right are more, and what may be chance is grey and last.
import type { Diff, DiffRow } from '../../api_types';
import { h } from '../../dom';
import type { Column } from '../../grid';
import { percent, signed } from '../flame/changes';
import { nameWord, whereWord } from '../../names';
import type { DiffGrouping } from '../../selection';
import { baseName, valueText } from '../../units';

export const kindSigns: Record<DiffRow['kind'], string> = { new: '✚', gone: '✕', grown: '▲', shrunk: '▼' };

export function nameOfRow(row: DiffRow, by: DiffGrouping): string {
  const frame = row.stack[0];
  if (!frame) return '[no stack]';
  if (by === 'module') return baseName(frame.module) || '[no file]';
  return frame.function || '[no name]';
}

function whereOf(row: DiffRow, by: DiffGrouping): string {
  const frame = row.stack[0];
  if (!frame) return '';
  if (by === 'stack')
    return row.stack
      .slice(1)
      .map((one) => `‹ ${one.function}`)
      .join(' ');
  if (by === 'module') return frame.module;
  const place = frame.file ? `${baseName(frame.file)}${frame.line ? `:${frame.line}` : ''}` : '';
  return [baseName(frame.module), place].filter(Boolean).join(' · ');
}

function nameCell(row: DiffRow, by: DiffGrouping): HTMLElement {
  const name = nameOfRow(row, by),
    where = whereOf(row, by);
  return h(
    'span',
    { class: 'name-cell' },
    h(
      'span',
      { class: `kind-sign ${row.kind}`, role: 'img', 'aria-label': row.kind, title: row.kind },
      kindSigns[row.kind],
    ),
    nameWord(name),
    whereWord(where),
  );
}

/** Diverges from the middle; the thin line is how far chance reaches. */
function changeCell(row: DiffRow, most: number, unit: string): HTMLElement {
  const part = (value: number): number => (most > 0 ? Math.min(50, (50 * Math.abs(value)) / most) : 0);
  const isMore = row.change > 0;
  const bar = h('i', { class: `change-bar ${isMore ? 'more' : 'less'}`, 'aria-hidden': 'true' });
  bar.style.width = `${part(row.change).toFixed(2)}%`;
  bar.style[isMore ? 'left' : 'right'] = '50%';
  const cell = h(
    'span',
    { class: 'change-cell' },
    bar,
    h('span', { class: `change-value ${isMore ? 'more' : 'less'}` }, signed(row.change, unit)),
  );
  if (row.error > 0) {
    const reach = h('i', { class: 'change-error', 'aria-hidden': 'true' });
    const middle = 50 + (isMore ? part(row.change) : -part(row.change));
    reach.style.left = `${Math.max(0, middle - part(row.error)).toFixed(2)}%`;
    reach.style.right = `${Math.max(0, 100 - middle - part(row.error)).toFixed(2)}%`;
    cell.append(reach);
  }
  return cell;
}

function shareOf(row: DiffRow): number {
  return row.before === 0 ? (row.after === 0 ? 0 : Infinity) : Math.abs(row.change / row.before);
}

const keys: Record<string, (row: DiffRow) => number> = {
  change: (row) => Math.abs(row.change),
  before: (row) => Math.abs(row.before),
  after: (row) => Math.abs(row.after),
  percent: shareOf,
  error: (row) => row.error,
  count: (row) => Math.abs(row.after_count - row.before_count),
};

/** What may be chance comes after what is sure, but where somebody asks for the plain numbers. */
export function sortRows(rows: readonly DiffRow[], sort: string): DiffRow[] {
  const key = keys[sort] ?? keys['change']!;
  const isLast = sort === 'change' || sort === 'percent';
  return rows
    .map((row, i) => ({ row, i, key: key(row), last: isLast && row.may_be_chance ? 1 : 0 }))
    .sort((a, b) => a.last - b.last || (a.key === b.key ? a.i - b.i : b.key - a.key))
    .map(({ row }) => row);
}

export function columnsOf(answer: Diff, by: DiffGrouping): Column<DiffRow>[] {
  const { unit, rows } = answer;
  const most = rows.reduce((largest, row) => Math.max(largest, Math.abs(row.change)), 0);
  const isEstimated = rows.some((row) => row.error > 0);
  const labels: Record<DiffGrouping, string> = {
    stack: 'Stack',
    function: 'Function',
    module: 'Module',
    line: 'Line',
  };
  const number = (
    id: string,
    label: string,
    data: (row: DiffRow) => number | string,
    cell: (row: DiffRow) => Node | string,
    isWide = false,
  ): Column<DiffRow> => ({ id, label, isNumber: true, sorts: true, isWide, data, cell });
  const all: Column<DiffRow>[] = [
    { id: 'name', label: labels[by], cell: (row) => nameCell(row, by) },
    number(
      'before',
      'before',
      (row) => row.before,
      (row) => valueText(row.before, unit),
      true,
    ),
    number(
      'after',
      'after',
      (row) => row.after,
      (row) => valueText(row.after, unit),
      true,
    ),
    number(
      'change',
      'change',
      (row) => row.change,
      (row) => changeCell(row, most, unit),
    ),
    number(
      'percent',
      'in %',
      (row) => (row.before === 0 ? '' : (100 * row.change) / Math.abs(row.before)),
      (row) => (row.kind === 'new' || row.kind === 'gone' ? row.kind : percent(row.before, row.after)),
    ),
    number(
      'count',
      'count',
      (row) => row.after_count - row.before_count,
      (row) => signed(row.after_count - row.before_count, ''),
      true,
    ),
  ];
  if (isEstimated)
    all.splice(
      4,
      0,
      number(
        'error',
        '±',
        (row) => row.error,
        (row) => (row.error > 0 ? valueText(row.error, unit) : ''),
        true,
      ),
    );
  return all;
}
