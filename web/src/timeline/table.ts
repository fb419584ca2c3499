// The timeline as a table, for those who do not look at pictures: at most a hundred rows.
import type { Timeline } from '../api_types';
import { h } from '../dom';
import type { Table } from '../export/seen';
import { heightAt, heightsOf } from './heights';
import { bytesText, countText, durationText, rateText, valueText } from '../units';

const ROWS = 100;

export function timelineTable(data: Timeline): HTMLElement {
  const { begin_ns: begins, end_ns: ends, rss, pss, heap_live: live, allocated } = data.columns;
  const stride = Math.max(1, Math.ceil(ends.length / ROWS));
  const cell = (
    column: string,
    value: number | null | undefined,
    text: (value: number) => string,
  ): HTMLElement =>
    value === null || value === undefined
      ? h('td', {}, '–')
      : h('td', { 'data-column': column, 'data-value': value }, text(value));
  const hasPss = pss.some((value) => value !== null);
  const heights = heightsOf(data.marks);
  const rows: HTMLElement[] = [];
  for (let i = (ends.length - 1) % stride; i < ends.length; i += stride) {
    const first = Math.max(0, i - stride + 1), // a row tells of all columns since the row before
      end = ends[i] ?? 0,
      seconds = (end - (begins[first] ?? 0)) / 1e9,
      bytes = allocated.slice(first, i + 1).reduce<number>((sum, one) => sum + (one ?? 0), 0);
    const instant = data.instants_ns.findIndex((ns) => ns >= end);
    rows.push(
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, durationText(end)),
        cell('rss', rss[i], bytesText),
        ...(hasPss ? [cell('pss', pss[i], bytesText)] : []),
        cell('heap', live[i], bytesText),
        cell('rate', seconds > 0 ? bytes / seconds : null, (value) => rateText(value, 'bytes')),
        ...heights.map(({ id, steps }) => cell(id, heightAt(steps, end)?.value, countText)),
        ...data.sites.map((site) =>
          cell('site', site.values[instant], (value) => valueText(value, data.unit)),
        ),
      ),
    );
  }
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      { class: 'plain' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ...[
            'Time',
            'Resident',
            ...(hasPss ? ['Proportional'] : []),
            'Live heap',
            'Allocation rate',
            ...heights.map((one) => one.name),
            ...data.sites.map((site) => site.function ?? 'all others'),
          ].map((name) => h('th', { scope: 'col' }, name)),
        ),
      ),
      h('tbody', {}, ...rows),
    ),
  );
}

/** All columns, for a file; call sites at the instant where each ends. */
export function timelineRows(data: Timeline): Table {
  const { columns } = data;
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const heights = heightsOf(data.marks);
  const at = new Map(data.instants_ns.map((ns, i) => [ns, i]));
  return {
    columns: [
      ...names,
      ...heights.map((one) => one.name),
      ...data.sites.map((site) => site.function ?? '[all others]'),
    ],
    rows: columns.end_ns.map((end, i) => [
      ...names.map((name) => columns[name][i] ?? null),
      ...heights.map(({ steps }) => heightAt(steps, end)?.value ?? null),
      ...data.sites.map((site) => site.values[at.get(end) ?? -1] ?? null),
    ]),
  };
}
