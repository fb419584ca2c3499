// How large blocks are, and how long they live.
import type { Report } from '../../api_types';
import { add, fill, h } from '../../dom';
import type { Table } from '../../export/seen';
import { plainTable } from '../../plain_table';
import { headOf, type Part, type Scene } from '../../scene';
import { bytesText, countText, durationText } from '../../units';

interface Class {
  from: number;
  below: number | null;
  count: number;
}

function chart(
  title: string,
  note: string,
  name: string,
  classes: Class[],
  text: (value: number) => string,
): HTMLElement {
  const all = classes.reduce((sum, one) => sum + one.count, 0);
  const most = classes.reduce((largest, one) => Math.max(largest, one.count), 0);
  const range = (one: Class): string =>
    one.below === null
      ? `${text(one.from)} and more`
      : one.from === 0
        ? `below ${text(one.below)}`
        : `${text(one.from)} – ${text(one.below)}`;
  const barOf = (one: Class): HTMLElement => {
    const bar = h('i', { class: 'column-bar', 'aria-hidden': 'true' });
    bar.style.width = `${most ? (100 * one.count) / most : 0}%`;
    return bar;
  };
  const table = plainTable<Class>(
    [
      { label: title, cell: range },
      { label: 'Bar', cell: barOf },
      { label: 'Blocks', isNumber: true, data: (one) => one.count, cell: (one) => countText(one.count) },
      {
        label: 'Share',
        isNumber: true,
        class: 'soft',
        cell: (one) => `${((100 * one.count) / Math.max(1, all)).toFixed(1)} %`,
      },
    ],
    classes,
    { class: '', isHeadHidden: true, rowAttributes: (one) => ({ 'data-from': one.from }) },
  );
  return h(
    'section',
    { class: 'card histogram', 'data-name': name },
    h('h3', {}, title),
    h('p', { class: 'hint' }, note),
    classes.length ? table : h('p', { class: 'empty' }, 'There are no such blocks in the selection.'),
    h(
      'p',
      { class: 'hint', 'data-name': `${name}-sum`, 'data-value': all },
      `${countText(all)} blocks in total`,
    ),
  );
}

export class HistogramsPart implements Part {
  readonly element = h('section', { class: 'histograms', 'aria-label': 'Histograms' });
  private scene: Scene | null = null;
  private seen: Report['histogram'] | null = null;

  asTable(): Table | null {
    if (!this.seen) return null;
    return {
      columns: ['histogram', 'from', 'below', 'count'],
      rows: [
        ...this.seen.sizes.map((one) => ['bytes', one.from_bytes, one.below_bytes, one.count]),
        ...this.seen.lifetimes.map((one) => ['ns', one.from_ns, one.below_ns, one.count]),
      ],
    };
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const report = await scene.source.get<Report>('api/report', headOf(scene));
    if (this.scene !== scene) return;
    const { sizes, lifetimes } = report.histogram;
    this.seen = report.histogram;
    fill(this.element);
    add(
      this.element,
      chart(
        'Sizes',
        'Allocations by requested size',
        'sizes',
        sizes.map((one) => ({ from: one.from_bytes, below: one.below_bytes, count: one.count })),
        bytesText,
      ),
      chart(
        'Lifetimes',
        'Freed blocks by lifetime',
        'lifetimes',
        lifetimes.map((one) => ({ from: one.from_ns, below: one.below_ns, count: one.count })),
        durationText,
      ),
    );
  }
}
