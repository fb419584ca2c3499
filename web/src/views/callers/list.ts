// All functions by total, to choose one from: type to narrow it down, Enter takes the first.
import { barCell } from '../../bars';
import { add, h, listen } from '../../dom';
import { finderOf } from '../../finder';
import { Grid } from '../../grid';
import type { Row, Sum } from '../../rows';

export class FunctionList {
  readonly element = h('div', { class: 'chooser' });
  private readonly search = listen(
    h('input', {
      type: 'search',
      placeholder: 'Choose a function',
      'aria-label': 'Narrow the list of functions',
      spellcheck: 'false',
      autocomplete: 'off',
    }),
    {
      input: () => this.list(),
      keydown: (event) => {
        if (event.key === 'ArrowDown') this.grid.element.focus();
        else if (event.key === 'Enter' && this.listed[0]) this.choose(this.listed[0]);
        else if (event.key !== 'Escape') return;
        if (event.key === 'Escape' || event.key === 'Enter') this.clear();
        event.preventDefault();
        event.stopPropagation();
      },
    },
  );
  private readonly grid = new Grid<Row>({
    label: 'Functions by total',
    nameOf: (row) => row.name,
    attributes: (row) => (row === this.now ? { 'aria-current': 'true' } : ({} as Record<string, string>)),
    onEnter: (row) => this.choose(row),
    onPress: (row) => this.choose(row),
  });
  private rows: readonly Row[] = [];
  private listed: readonly Row[] = [];
  private now: Row | null = null;
  private sum: Sum | null = null;

  constructor(private readonly choose: (row: Row) => void) {
    add(this.element, this.search, this.grid.element);
  }

  /** `rows` by total; `now` is the one that is shown. */
  show(rows: readonly Row[], now: Row | null, sum: Sum): void {
    const isMoved = now?.name !== this.now?.name;
    this.rows = rows;
    this.now = now;
    this.sum = sum;
    this.list();
    if (isMoved && now && this.listed.includes(now)) this.grid.choose(this.listed.indexOf(now));
  }

  private clear(): void {
    this.search.value = '';
    this.list();
  }

  private list(): void {
    const finds = finderOf(this.search.value),
      { sum } = this;
    if (!sum) return;
    this.listed = finds ? this.rows.filter((row) => finds(row.name) || finds(row.module)) : this.rows;
    this.grid.set(
      [
        {
          id: 'name',
          label: 'Function',
          cell: (row) => h('span', { class: 'mono', title: `${row.name}\n${row.module}` }, row.name),
        },
        {
          id: 'total-0',
          label: 'total',
          isNumber: true,
          data: (row) => row.cells[0]!.total,
          cell: (row) => barCell(row.cells[0]!.total, sum.value, sum.unit, 0),
        },
      ],
      this.listed,
      '',
    );
  }
}
