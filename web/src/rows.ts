// Rows of one metric or of several, in one shape.
import type { Frame, Report, SideRow, Sides, SideValue } from './api_types';
import { h } from './dom';
import type { Table } from './export/seen';
import { questionOf, type Scene } from './scene';
import { baseName, valueText } from './units';

export interface Cell {
  self: number;
  count: number;
  total: number;
  totalCount: number;
}

export interface Row {
  name: string;
  module: string; // path
  place: string; // file and line
  file?: string; // path
  line?: number; // 0: unknown, or several
  cells: Cell[]; // one per metric
  ratios: (number | null)[];
}

export interface Sum {
  metric: string;
  unit: string;
  value: number;
}

export interface Rows {
  sums: Sum[];
  ratios: { of: string; per: string; unit: string }[];
  rows: Row[];
}

export function metricsOf(scene: Scene): string[] {
  const known = scene.target.metrics ?? [];
  return [
    scene.metric,
    ...scene.selection.beside.filter((metric) => metric !== scene.metric && known.includes(metric)),
  ];
}

function nameOf(
  frame: Frame | null | undefined,
  by: string,
): Pick<Row, 'name' | 'module' | 'place' | 'file' | 'line'> {
  if (!frame) return { name: '[no stack]', module: '', place: '' };
  const place = frame.file ? `${baseName(frame.file)}${frame.line ? `:${frame.line}` : ''}` : '';
  return {
    name: by === 'module' ? baseName(frame.module) || '[no file]' : frame.function || '[no name]',
    module: frame.module,
    place,
    file: frame.file,
    line: frame.line,
  };
}

function threadName(
  thread: { tid: number; name: string; merged: number } | undefined,
): Pick<Row, 'name' | 'module' | 'place'> {
  if (!thread) return { name: '[no thread]', module: '', place: '' };
  return {
    name: thread.name || 'thread',
    module: '',
    place: thread.merged > 1 ? `${thread.merged} threads` : String(thread.tid),
  };
}

function cellOf(value: SideValue): Cell {
  return { self: value.value, count: value.count, total: value.total_value, totalCount: value.total_count };
}

function sideRow(row: SideRow, by: string): Row {
  const name =
    by === 'thread'
      ? threadName(row.tid === undefined ? undefined : { tid: row.tid, name: row.name ?? '', merged: 1 })
      : nameOf(row.frame, by);
  return { ...name, cells: row.values.map(cellOf), ratios: row.ratios };
}

export async function loadRows(scene: Scene, by: string): Promise<Rows> {
  const metrics = metricsOf(scene);
  const question = { ...questionOf(scene, metrics.join(',')), by };
  if (metrics.length > 1) {
    const sides = await scene.source.get<Sides>('api/report', question);
    return {
      sums: sides.metrics,
      ratios: sides.ratios,
      rows: (sides.rows ?? []).map((row) => sideRow(row, by)),
    };
  }
  const report = await scene.source.get<Report>('api/report', question);
  return {
    sums: [{ metric: report.metric, unit: report.unit, value: report.total.value }],
    ratios: [],
    rows: report.rows.map((row) => ({
      ...(by === 'thread' ? threadName(row.thread) : nameOf(row.stack[0], by)),
      cells: [
        {
          self: row.value,
          count: row.count,
          total: row.total_value ?? row.value,
          totalCount: row.total_count ?? row.count,
        },
      ],
      ratios: [],
    })),
  };
}

/** By the size of a number, the largest first: `sort` names its column, such as "total-1" for the total of the second metric. */
export function sortRows(rows: readonly Row[], sort: string): Row[] {
  const [kind, place] = sort.split('-'),
    i = Number(place);
  const key = (row: Row): number =>
    kind === 'ratio'
      ? (row.ratios[i] ?? -Infinity)
      : (row.cells[i]?.[kind === 'total' || kind === 'count' ? kind : 'self'] ?? 0);
  return [...rows].sort(
    (a, b) => Math.abs(key(b)) - Math.abs(key(a)) || (b.cells[0]?.total ?? 0) - (a.cells[0]?.total ?? 0),
  );
}

/** The sum of each metric, in words above a table. */
export function sumWords(sums: readonly Sum[]): HTMLElement[] {
  return sums.map((sum, i) =>
    h(
      'span',
      { class: 'total', 'data-name': `sum-${i}`, 'data-value': sum.value },
      `${sum.metric} ${valueText(sum.value, sum.unit)}`,
    ),
  );
}

/** For a file: numbers as they are, under the names that memoir report --csv gives them.  A column without a name is left out. */
export function tableOf(rows: Rows, names: readonly [name: string, module: string, place: string]): Table {
  const isOne = rows.sums.length === 1;
  const text = names
    .map((name, i) => ({ name, of: (['name', 'module', 'place'] as const)[i]! }))
    .filter((one) => one.name);
  return {
    columns: [
      ...rows.sums.flatMap(({ metric }) =>
        isOne
          ? ['value', 'count', 'total_value', 'total_count']
          : [metric, `${metric}.count`, `${metric}.total`, `${metric}.total_count`],
      ),
      ...rows.ratios.map((ratio) => `${ratio.of}/${ratio.per}`),
      ...text.map((one) => one.name),
    ],
    rows: rows.rows.map((row) => [
      ...row.cells.flatMap((cell) => [cell.self, cell.count, cell.total, cell.totalCount]),
      ...row.ratios,
      ...text.map((one) => row[one.of]),
    ]),
  };
}
