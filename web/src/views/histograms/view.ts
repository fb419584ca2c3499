// How large blocks are, and how long they live.
import type { Report } from '../../api_types';
import { add, fill, h } from '../../dom';
import type { Table } from '../../export/seen';
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
  const rows = classes.map((one) => {
    const bar = h('i', { class: 'column-bar', 'aria-hidden': 'true' });
    bar.style.width = `${most ? (100 * one.count) / most : 0}%`;
    return h(
      'tr',
      { 'data-from': one.from },
      h('th', { scope: 'row' }, range(one)),
      h('td', { class: 'histogram-bar' }, bar),
      h('td', { class: 'number', 'data-value': one.count }, countText(one.count)),
      h('td', { class: 'number soft' }, `${((100 * one.count) / Math.max(1, all)).toFixed(1)} %`),
    );
  });
  return h(
    'section',
    { class: 'card histogram', 'data-name': name },
    h('h3', {}, title),
    h('p', { class: 'hint' }, note),
    classes.length
      ? h(
          'table',
          {},
          h(
            'thead',
            { class: 'sr-only' },
            h(
              'tr',
              {},
              ...[title, 'Bar', 'Blocks', 'Share'].map((label) => h('th', { scope: 'col' }, label)),
            ),
          ),
          h('tbody', {}, ...rows),
        )
      : h('p', { class: 'empty' }, 'Nothing was counted in the selection.'),
    h(
      'p',
      { class: 'hint', 'data-name': `${name}-sum`, 'data-value': all },
      `${countText(all)} blocks in all`,
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
        'Allocations by the bytes they asked for',
        'sizes',
        sizes.map((one) => ({ from: one.from_bytes, below: one.below_bytes, count: one.count })),
        bytesText,
      ),
      chart(
        'Lifetimes',
        'Freed blocks by how long they lived',
        'lifetimes',
        lifetimes.map((one) => ({ from: one.from_ns, below: one.below_ns, count: one.count })),
        durationText,
      ),
    );
  }
}
