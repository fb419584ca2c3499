// A short table: all of its rows are in the document.  grid.ts is for tables of any length.
import { h } from './dom';

type Cell = Node | string | null;

export interface PlainColumn<Row> {
  id?: string; // for data-column
  label: string;
  isName?: boolean; // the row's name is in it; without one, the first column has it
  isNumber?: boolean;
  isWide?: boolean; // left out on a phone
  class?: string; // of its cells
  cell(row: Row): Cell | Cell[];
  data?(row: Row): number | null | undefined; // for data-value
}

export interface PlainOptions<Row> {
  class?: string;
  caption?: string; // for those who do not see the table
  isHeadHidden?: boolean; // from those who see it
  attributes?: Record<string, string | number | undefined>;
  rowAttributes?(row: Row): Record<string, string | number | null | undefined>;
}

function classOf(column: { isNumber?: boolean; isWide?: boolean }, more?: string): string | null {
  return [column.isNumber && 'number', column.isWide && 'wide-only', more].filter(Boolean).join(' ') || null;
}

export function plainTable<Row>(
  columns: readonly PlainColumn<Row>[],
  rows: readonly Row[],
  options: PlainOptions<Row> = {},
): HTMLTableElement {
  const name = columns.find((column) => column.isName) ?? columns[0];
  const cellOf = (column: PlainColumn<Row>, row: Row): HTMLElement =>
    h(
      column === name ? 'th' : 'td',
      {
        scope: column === name ? 'row' : null,
        class: classOf(column, column.class),
        'data-column': column.id,
        'data-value': column.data?.(row),
      },
      ...[column.cell(row)].flat(),
    );
  return h(
    'table',
    { class: options.class ?? 'plain', ...options.attributes },
    options.caption === undefined ? null : h('caption', { class: 'sr-only' }, options.caption),
    h(
      'thead',
      { class: options.isHeadHidden ? 'sr-only' : null },
      h(
        'tr',
        {},
        ...columns.map((column) => h('th', { scope: 'col', class: classOf(column) }, column.label)),
      ),
    ),
    h(
      'tbody',
      {},
      ...rows.map((row) =>
        h('tr', { ...options.rowAttributes?.(row) }, ...columns.map((column) => cellOf(column, row))),
      ),
    ),
  );
}
