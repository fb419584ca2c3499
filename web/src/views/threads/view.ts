// Who did it, by thread.
import { barCell } from '../../bars';
import { add, fill, h } from '../../dom';
import type { Table } from '../../export/seen';
import { finderOf } from '../../finder';
import { Grid, sortOf, type Column } from '../../grid';
import { nameWord, whereWord } from '../../names';
import { loadRows, sortRows, sumWords, tableOf, type Row, type Rows } from '../../rows';
import type { Part, Scene } from '../../scene';
import { noneText } from '../../states';
import { countText } from '../../units';
import { BesideChooser } from '../../beside';

export class ThreadsPart implements Part {
  readonly element = h('section', { class: 'threads', 'aria-label': 'Threads' });
  private readonly beside = new BesideChooser();
  private readonly words = h('span', { class: 'words' });
  private readonly bar = h('div', { class: 'toolbar' }, this.beside.element, this.words);
  private readonly grid = new Grid<Row>({
    label: 'Threads',
    nameOf: (row) => row.place,
    onSort: (column) => this.scene?.change({ sort: column }, 'replace'),
  });
  private scene: Scene | null = null;
  private seen: Rows | null = null;

  constructor() {
    add(this.element, this.bar, this.grid.element);
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const answer = await loadRows(scene, 'thread');
    if (this.scene !== scene) return;
    const finds = finderOf(scene.selection.find);
    const rows = answer.rows.filter((row) => !finds || finds(row.name) || finds(row.place));
    const columns: Column<Row>[] = [
      {
        id: 'name',
        label: 'Thread',
        cell: (row) => h('span', { class: 'name-cell' }, nameWord(row.name), whereWord(row.place)),
      },
      ...answer.sums.flatMap((sum, i): Column<Row>[] => [
        {
          id: `self-${i}`,
          label: sum.metric,
          isNumber: true,
          sorts: true,
          data: (row) => row.cells[i]!.self,
          cell: (row) => barCell(row.cells[i]!.self, sum.value, sum.unit, i),
        },
        {
          id: `count-${i}`,
          label: 'count',
          isNumber: true,
          isWide: true,
          sorts: true,
          data: (row) => row.cells[i]!.count,
          cell: (row) => countText(row.cells[i]!.count),
        },
      ]),
    ];
    const sort = sortOf(columns, scene.selection.sort, 'self-0');
    this.beside.show(scene);
    fill(
      this.words,
      ...sumWords(answer.sums),
      h('span', { class: 'hint' }, `${countText(rows.length)} thread${rows.length === 1 ? '' : 's'}`),
      rows.length === 0 && h('p', { class: 'empty' }, noneText('thread', scene)),
    );
    this.seen = { ...answer, rows: sortRows(rows, sort) };
    this.grid.set(columns, this.seen.rows, sort);
  }

  asTable(): Table | null {
    return this.seen && tableOf(this.seen, ['name', '', 'thread']);
  }
}
