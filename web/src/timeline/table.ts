// The timeline as a table, for those who do not look at pictures: at most a hundred rows.
import type { Timeline } from '../api_types';
import { h } from '../dom';
import type { Table } from '../export/seen';
import { plainTable, type PlainColumn } from '../plain_table';
import { heightAt, heightsOf } from './heights';
import { bytesText, countText, durationText, rateText, valueText } from '../units';

const ROWS = 100;

interface Row {
  place: number; // of the last column that it tells of
  end: number;
  rate: number | null;
  instant: number; // place in the instants of call sites
}

/** Each row tells of all columns since the row before. */
function rowsOf(data: Timeline): Row[] {
  const { begin_ns: begins, end_ns: ends, allocated } = data.columns;
  const stride = Math.max(1, Math.ceil(ends.length / ROWS));
  const rows: Row[] = [];
  for (let place = (ends.length - 1) % stride; place < ends.length; place += stride) {
    const first = Math.max(0, place - stride + 1),
      end = ends[place] ?? 0,
      seconds = (end - (begins[first] ?? 0)) / 1e9,
      bytes = allocated.slice(first, place + 1).reduce<number>((sum, one) => sum + (one ?? 0), 0);
    rows.push({
      place,
      end,
      rate: seconds > 0 ? bytes / seconds : null,
      instant: data.instants_ns.findIndex((ns) => ns >= end),
    });
  }
  return rows;
}

function number(
  id: string,
  label: string,
  data: (row: Row) => number | null | undefined,
  text: (value: number) => string,
): PlainColumn<Row> {
  return {
    id,
    label,
    data,
    cell: (row) => {
      const value = data(row);
      return value === null || value === undefined ? '–' : text(value);
    },
  };
}

export function timelineTable(data: Timeline): HTMLElement {
  const { rss, pss, heap_live: live } = data.columns;
  const hasPss = pss.some((value) => value !== null);
  return h(
    'div',
    { class: 'scroll' },
    plainTable(
      [
        { label: 'Time', cell: (row) => durationText(row.end) },
        number('rss', 'Resident', (row) => rss[row.place], bytesText),
        ...(hasPss ? [number('pss', 'Proportional', (row) => pss[row.place], bytesText)] : []),
        number('heap', 'Live heap', (row) => live[row.place], bytesText),
        number(
          'rate',
          'Allocation rate',
          (row) => row.rate,
          (value) => rateText(value, 'bytes'),
        ),
        ...heightsOf(data.marks).map(({ id, name, steps }) =>
          number(id, name, (row) => heightAt(steps, row.end)?.value, countText),
        ),
        ...data.sites.map((site) =>
          number(
            'site',
            site.function ?? 'all others',
            (row) => site.values[row.instant],
            (value) => valueText(value, data.unit),
          ),
        ),
      ],
      rowsOf(data),
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
