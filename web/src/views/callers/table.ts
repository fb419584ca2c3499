// Those right beside a function: who calls it, or whom it calls, and how much came that way.
import type { CallersAnswer, Neighbour } from '../../api_types';
import { barCell } from '../../bars';
import { add, fill, h } from '../../dom';
import { finderOf } from '../../finder';
import { Grid } from '../../grid';
import { nameWord, whereWord } from '../../names';
import { baseName, countText } from '../../units';

export class NeighbourTable {
  readonly element = h('section', { class: 'neighbours' });
  private readonly title = h('h3', {});
  private readonly grid: Grid<Neighbour>;

  constructor(
    private readonly label: string,
    private readonly nobody: string, // what a row without a function is
    onEnter: (function_: string, module: string) => void,
  ) {
    const enter = (row: Neighbour): void => {
      if (row.frame) onEnter(row.frame.function, row.frame.module);
    };
    this.grid = new Grid<Neighbour>({
      label,
      nameOf: (row) => row.frame?.function ?? '',
      onEnter: enter,
      onPress: enter,
    });
    this.element.setAttribute('aria-label', label);
    add(this.element, this.title, this.grid.element);
  }

  show(rows: readonly Neighbour[], answer: CallersAnswer, find: string): void {
    const finds = finderOf(find);
    const sum = rows.reduce((all, row) => all + row.value, 0);
    fill(
      this.title,
      this.label,
      h(
        'span',
        { class: 'hint', 'data-name': `${this.label.toLowerCase()}-sum`, 'data-value': sum },
        countText(rows.filter((row) => row.frame).length),
      ),
    );
    this.grid.set(
      [
        {
          id: 'name',
          label: 'Function',
          cell: (row) =>
            row.frame
              ? h(
                  'span',
                  { class: 'name-cell' },
                  nameWord(
                    row.frame.function || '[no name]',
                    row.frame.function,
                    finds?.(row.frame.function),
                  ),
                  whereWord(baseName(row.frame.module), row.frame.module),
                )
              : h('span', { class: 'hint' }, this.nobody),
        },
        {
          id: 'value',
          label: answer.metric,
          isNumber: true,
          data: (row) => row.value,
          cell: (row) => barCell(row.value, answer.total.value, answer.unit, 0),
        },
        {
          id: 'count',
          label: 'count',
          isNumber: true,
          isWide: true,
          data: (row) => row.count,
          cell: (row) => countText(row.count),
        },
      ],
      rows,
      '',
    );
  }
}
