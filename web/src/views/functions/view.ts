// Functions, modules or lines: what each has itself and beneath it, of several metrics side by side.
import { barCell } from '../../bars';
import { add, button, fill, h } from '../../dom';
import type { Table } from '../../export/seen';
import { finderOf, literally } from '../../finder';
import { Grid, sortOf, type Column } from '../../grid';
import { nameWord, whereWord } from '../../names';
import { loadRows, sortRows, sumWords, tableOf, type Row, type Rows } from '../../rows';
import type { Part, Scene } from '../../scene';
import { groupings } from '../../selection';
import { noneText } from '../../states';
import { baseName, countText, ratioText } from '../../units';
import { BesideChooser } from '../../beside';

const labels = { function: 'Function', module: 'Module', line: 'Line' } as const;

export class FunctionsPart implements Part {
  readonly element = h('section', { class: 'functions', 'aria-label': 'Functions' });
  private readonly groups = h('div', { class: 'switch', role: 'group', 'aria-label': 'Group by' });
  private readonly beside = new BesideChooser();
  private readonly words = h('span', { class: 'words' });
  private readonly bar = h('div', { class: 'toolbar' }, this.groups, this.beside.element, this.words);
  private scene: Scene | null = null;
  private seen: Rows | null = null;
  private readonly grid = new Grid<Row>({
    label: 'Functions, modules or lines',
    nameOf: (row) => row.name,
    onSort: (column) => this.scene?.change({ sort: column }, 'replace'),
    onKey: (row, event) => event.key === 'c' && this.focus(row),
    onEnter: (row) => (this.scene?.selection.by === 'line' && row.file ? this.source(row) : this.only(row)),
  });

  constructor() {
    add(this.element, this.bar, this.grid.element);
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const rows = await loadRows(scene, scene.selection.by);
    if (this.scene !== scene) return;
    const columns = this.columnsOf(rows);
    const sort = sortOf(columns, scene.selection.sort, 'self-0');
    const finds = finderOf(scene.selection.find);
    const found = finds
      ? rows.rows.filter((row) => finds(row.name) || finds(row.module) || finds(row.place))
      : rows.rows;
    this.fillBar(scene, rows, found.length);
    this.seen = { ...rows, rows: sortRows(found, sort) };
    this.grid.set(columns, this.seen.rows, sort);
  }

  asTable(): Table | null {
    return this.seen && tableOf(this.seen, ['function', 'module', 'place']);
  }

  private only(row: Row): void {
    if (this.scene?.selection.by !== 'module') this.scene?.change({ filter: literally(row.name), zoom: '' });
  }

  private focus(row: Row): boolean {
    const { scene } = this;
    if (scene?.selection.by !== 'function') return false;
    scene.change({ view: 'callers', focus: row.name, zoom: '' });
    return true;
  }

  private source(row: Row): void {
    this.scene?.change({ view: 'source', file: row.file ?? '', zoom: row.line ? String(row.line) : '' });
  }

  private columnsOf(rows: Rows): Column<Row>[] {
    const by = this.scene?.selection.by ?? 'function';
    const name: Column<Row> = {
      id: 'name',
      label: labels[by],
      cell: (row) => {
        const cell = h(
          'span',
          { class: 'name-cell' },
          nameWord(row.name),
          whereWord(
            by === 'module' ? row.module : [baseName(row.module), row.place].filter(Boolean).join(' · '),
            row.module,
          ),
        );
        if (by === 'line' && row.file)
          add(
            cell,
            button('source', () => this.source(row), {
              class: 'tiny',
              tabindex: -1,
              title: `Line ${row.line} of ${row.file}`,
            }),
          );
        if (by !== 'module')
          add(
            cell,
            by === 'function' &&
              button('callers', () => this.focus(row), {
                class: 'tiny',
                tabindex: -1,
                title: `Callers and callees of ${row.name} (c)`,
              }),
            button('only', () => this.only(row), {
              class: 'tiny',
              tabindex: -1,
              title: `Only stacks through ${row.name}`,
            }),
          );
        return cell;
      },
    };
    const numbers = rows.sums.flatMap((sum, i): Column<Row>[] => {
      const of = rows.sums.length > 1 ? `${sum.metric}\n` : '';
      const all: Column<Row>[] = [
        {
          id: `self-${i}`,
          label: `${of}self`,
          title: `${sum.metric} of the row itself`,
          isNumber: true,
          sorts: true,
          data: (row) => row.cells[i]!.self,
          cell: (row) => barCell(row.cells[i]!.self, sum.value, sum.unit, i),
        },
        {
          id: `total-${i}`,
          label: `${of}total`,
          title: `${sum.metric} of the row and everything it calls`,
          isNumber: true,
          sorts: true,
          data: (row) => row.cells[i]!.total,
          cell: (row) => barCell(row.cells[i]!.total, sum.value, sum.unit, i),
        },
        {
          id: `count-${i}`,
          label: `${of}count`,
          isNumber: true,
          isWide: true,
          sorts: true,
          data: (row) => row.cells[i]!.count,
          cell: (row) => (row.cells[i]!.count ? countText(row.cells[i]!.count) : ''),
        },
      ];
      return rows.sums.length > 1 ? all.slice(0, 2) : all;
    });
    const ratios = rows.ratios.map((ratio, i): Column<Row> => ({
      id: `ratio-${i}`,
      label: `${ratio.of}\nper ${ratio.per}`,
      isNumber: true,
      isWide: true,
      sorts: true,
      data: (row) => row.ratios[i] ?? '',
      cell: (row) => ratioText(row.ratios[i] ?? null, ratio.unit),
    }));
    return [name, ...numbers, ...ratios];
  }

  private fillBar(scene: Scene, rows: Rows, found: number): void {
    this.beside.show(scene);
    fill(
      this.groups,
      ...groupings.map((by) =>
        button(labels[by], () => scene.change({ by }), { 'aria-pressed': String(scene.selection.by === by) }),
      ),
    );
    fill(
      this.words,
      ...sumWords(rows.sums),
      h(
        'span',
        { class: 'hint', 'data-name': 'row-count', 'data-value': found },
        `${countText(found)} row${found === 1 ? '' : 's'}`,
      ),
    );
    if (found === 0)
      add(
        this.words,
        h(
          'p',
          { class: 'empty' },
          scene.selection.find ? 'No row matches the search.' : noneText('stack', scene),
        ),
      );
  }
}
