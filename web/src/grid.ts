// A table of any length: only the rows in sight are in the document.
import { fill, h, listen, setAttribute } from './dom';

export interface Column<Row> {
  id: string;
  label: string;
  title?: string;
  isNumber?: boolean;
  isWide?: boolean; // left out on a phone
  cell(row: Row): Node | string;
  data?(row: Row): number | string; // for data-value
  sorts?: boolean;
}

/** A number of rows that have theirs by name; a dash where it is not known. */
export function numberColumn<Row extends { numbers: ReadonlyMap<string, number> }>(
  id: string,
  label: string,
  title: string,
  text: (value: number, row: Row) => Node | string,
  isWide = false,
): Column<Row> {
  return {
    id,
    label,
    title,
    isNumber: true,
    isWide,
    sorts: true,
    data: (row) => row.numbers.get(id) ?? '',
    cell: (row) => {
      const value = row.numbers.get(id);
      return value === undefined ? h('span', { class: 'nothing' }, '–') : text(value, row);
    },
  };
}

/** The column that rows are sorted by: the wanted one if it can be, else the usual one. */
export function sortOf<Row>(columns: readonly Column<Row>[], wanted: string, usual: string): string {
  return columns.some((column) => column.sorts && column.id === wanted) ? wanted : usual;
}

export interface GridOptions<Row> {
  label: string;
  height?: number; // of a row, as its style has it
  role?: 'table' | 'treegrid';
  nameOf(row: Row): string;
  attributes?(row: Row): Record<string, string | number>;
  onSort?(column: string): void;
  onEnter?(row: Row): void;
  onKey?(row: Row, event: KeyboardEvent): boolean;
  onPress?(row: Row, event: MouseEvent): void;
}

const HEIGHT = 31,
  SPARE = 12;

export class Grid<Row> {
  readonly element = h('div', { class: 'grid', tabindex: 0 });
  private readonly head = h('tr', {});
  private readonly body = h('tbody', {});
  private readonly table: HTMLTableElement;
  private readonly height: number;
  private columns: Column<Row>[] = [];
  private rows: readonly Row[] = [];
  private chosen = -1;
  private from = -1;
  private to = -1;

  constructor(private readonly options: GridOptions<Row>) {
    this.height = options.height ?? HEIGHT;
    this.table = h(
      'table',
      { role: options.role === 'treegrid' ? 'treegrid' : 'table', 'aria-label': options.label },
      h('thead', {}, this.head),
      this.body,
    );
    this.element.append(this.table);
    listen(this.element, {
      scroll: () => this.paint(false),
      keydown: (event) => this.type(event),
      click: (event) => this.press(event),
    });
    new ResizeObserver(() => this.paint(false)).observe(this.element);
  }

  set(columns: Column<Row>[], rows: readonly Row[], sort: string): void {
    this.columns = columns;
    this.rows = rows;
    if (this.chosen >= rows.length) this.chosen = rows.length - 1;
    fill(this.head, ...columns.map((column) => this.headCell(column, sort)));
    setAttribute(this.table, 'aria-rowcount', rows.length + 1);
    this.paint(true);
  }

  private headCell(column: Column<Row>, sort: string): HTMLElement {
    const isSorted = sort === column.id;
    const cell = h('th', {
      scope: 'col',
      class: `${column.isNumber ? 'number' : ''} ${column.isWide ? 'wide-only' : ''}`,
      title: column.title,
      'aria-sort': isSorted ? 'descending' : null,
    });
    if (!column.sorts) cell.append(column.label);
    else
      cell.append(
        listen(h('button', { type: 'button' }, column.label + (isSorted ? ' ↓' : '')), {
          click: () => this.options.onSort?.(column.id),
        }),
      );
    return cell;
  }

  private paint(isNew: boolean): void {
    const from = Math.max(0, Math.floor(this.element.scrollTop / this.height) - SPARE);
    const to = Math.min(
      this.rows.length,
      Math.ceil((this.element.scrollTop + (this.element.clientHeight || 600)) / this.height) + SPARE,
    );
    if (!isNew && from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    const spacer = (count: number): HTMLElement | null => {
      if (count <= 0) return null;
      const row = h('tr', { 'aria-hidden': 'true', class: 'spacer' });
      row.style.height = `${count * this.height}px`;
      return row;
    };
    fill(
      this.body,
      spacer(from),
      ...this.rows.slice(from, to).map((row, i) => this.rowOf(row, from + i)),
      spacer(this.rows.length - to),
    );
  }

  private rowOf(row: Row, index: number): HTMLElement {
    return h(
      'tr',
      {
        'aria-rowindex': index + 2,
        'data-row': index,
        'data-name': this.options.nameOf(row),
        ...this.options.attributes?.(row),
        'aria-selected': index === this.chosen ? 'true' : null,
      },
      ...this.columns.map((column, place) => {
        const data = column.data?.(row);
        return h(
          place === 0 ? 'th' : 'td',
          {
            scope: place === 0 ? 'row' : null,
            class: `${column.isNumber ? 'number' : 'name'} ${column.isWide ? 'wide-only' : ''}`,
            'data-column': column.id,
            'data-value': data,
          },
          column.cell(row),
        );
      }),
    );
  }

  private press(event: MouseEvent): void {
    const line = event.target instanceof Element ? event.target.closest('tr[data-row]') : null;
    const row = line ? this.rows[Number(line.getAttribute('data-row'))] : undefined;
    if (!line || row === undefined || (event.target instanceof Element && event.target.closest('button')))
      return;
    this.choose(Number(line.getAttribute('data-row')));
    this.options.onPress?.(row, event);
  }

  choose(index: number): void {
    this.chosen = Math.max(0, Math.min(this.rows.length - 1, index));
    const y = this.chosen * this.height,
      room = this.element.clientHeight - 2 * this.height;
    if (y < this.element.scrollTop) this.element.scrollTop = y;
    else if (y > this.element.scrollTop + room) this.element.scrollTop = y - room;
    this.paint(true);
  }

  private type(event: KeyboardEvent): void {
    const row = this.rows[this.chosen];
    if (event.target !== this.element || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 2);
    if (row !== undefined && this.options.onKey?.(row, event)) event.preventDefault();
    else if (event.key === 'ArrowDown') this.choose(this.chosen + 1);
    else if (event.key === 'ArrowUp') this.choose(this.chosen - 1);
    else if (event.key === 'PageDown') this.choose(this.chosen + page);
    else if (event.key === 'PageUp') this.choose(this.chosen - page);
    else if (event.key === 'Home') this.choose(0);
    else if (event.key === 'End') this.choose(this.rows.length - 1);
    else if (event.key === 'Enter' && row !== undefined) this.options.onEnter?.(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
