// A history: what a service had of memory over days, series below each other on one axis, and as a table.
import type { History, HistorySeries, HistoryService, NodeRow, Target } from '../../api_types';
import { button, fill, h, listen } from '../../dom';
import { finderOf } from '../../finder';
import { Grid, numberColumn, sortOf, type Column } from '../../grid';
import { nameWord, whereWord } from '../../names';
import { Lanes } from '../nodes/lanes';
import type { Curve, Line } from '../nodes/rows';
import type { Selection, Time } from '../../selection';
import type { Source } from '../../source';
import { theme } from '../../theme';
import { bytesText, countText, durationText, signedText } from '../../units';

const MS_NS = 1e6,
  BLOCKS = 'heap.blocks';

const kinds: Readonly<Record<HistorySeries['kind'], string>> = {
  total: 'total',
  category: 'category',
  site: 'call site',
};

function stampText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** Broken where the service was started anew. */
function curveOf(series: HistorySeries, begin: number): Curve {
  const times: number[] = [],
    values: (number | null)[] = [];
  series.points.forEach((point, i) => {
    const end = (point.time_ms + point.span_ms - begin) * MS_NS,
      before = series.points[i - 1];
    if (before && before.run !== point.run) {
      times.push((point.time_ms - begin) * MS_NS);
      values.push(null);
    }
    times.push(end);
    values.push(point.last);
  });
  return { times, values };
}

function changeIn(curve: Curve, time: Time | null): number | null {
  const within = curve.values.filter((value, i): value is number => {
    const at = curve.times[i] ?? 0;
    return value !== null && (!time || (at >= (time.from ?? 0) && at <= time.to));
  });
  return within.length ? within[within.length - 1]! - within[0]! : null;
}

function beginOf(service: HistoryService): number {
  return Math.min(...service.series.flatMap((series) => series.points.slice(0, 1).map((one) => one.time_ms)));
}

function endOf(service: HistoryService): number {
  return Math.max(
    ...service.series.flatMap((series) => series.points.slice(-1).map((one) => one.time_ms + one.span_ms)),
  );
}

interface Row extends Line {
  series: HistorySeries;
}

function rowOf(series: HistorySeries, begin: number, time: Time | null): Row {
  const curve = curveOf(series, begin),
    change = changeIn(curve, time);
  const node: NodeRow = {
    name: series.name,
    nick: '',
    role: series.kind,
    class: '',
    gaps: 0,
    up: series.current,
    last_ns: null,
    missing: 0,
    height: null,
    lag: null,
    targets: [],
    summary: {},
  };
  const numbers = new Map([
    ['last', series.now],
    ['low', series.low],
    ['high', series.high],
  ]);
  if (change !== null) numbers.set('change', change);
  if (series.growth.verdict !== 'unknown') numbers.set('growth', series.growth.bytes_per_second);
  return { name: series.name, role: series.kind, members: [node], node, curve, numbers, series };
}

function growthCell(perSecond: number, row: Row): HTMLElement {
  const text = (perDay: number): string =>
    row.name === BLOCKS ? `${countText(perDay)}/d` : `${bytesText(perDay)}/d`;
  const { verdict } = row.series.growth;
  return h(
    'span',
    { class: 'growth-cell' },
    signedText(perSecond * 86400, text),
    h('span', { class: `verdict ${verdict}` }, verdict),
  );
}

export class HistoryView {
  readonly element = h('section', { class: 'history card view', id: 'view', 'aria-label': 'History' });
  private readonly bar = h('div', { class: 'toolbar' });
  private readonly empty = h('p', { class: 'empty', hidden: true });
  private readonly lanes = new Lanes({
    choose: (time) => this.change?.({ time }),
    open: () => undefined,
    isOwnScale: true,
    lost: ' (gone)',
    timeText: (ns) => stampText(this.begin + ns / MS_NS).slice(5),
    valueText: (line, value) => this.valueText(line, value),
  });
  private readonly grid = new Grid<Row>({
    label: 'Totals, categories and call sites',
    nameOf: (row) => row.name,
    onSort: (column) => this.change?.({ sort: column }),
  });
  private readonly words = h(
    'p',
    { class: 'hint' },
    'A history has sums over days and no call stacks. Flame graph, call tree and the other views need a recording: memoir run makes one, memoir serve shows it.',
  );
  private begin = 0;
  private change: ((part: Partial<Selection>) => void) | null = null;

  constructor() {
    this.element.append(this.bar, this.empty, this.lanes.element, this.grid.element, this.words);
  }

  async show(
    target: Target,
    selection: Selection,
    source: Source,
    change: (part: Partial<Selection>) => void,
  ): Promise<void> {
    this.change = change;
    const history = await source.get<History>('api/history', { target: target.id });
    const service = history.services.find((one) => one.name === selection.series) ?? history.services[0];
    this.empty.hidden = service !== undefined;
    this.empty.textContent = 'This history is empty: memoir run --history writes to it about once a minute.';
    if (!service) return;
    const finds = finderOf(selection.find),
      { time } = selection;
    this.begin = beginOf(service);
    const rows = service.series
      .filter((series) => !finds || finds(series.name))
      .map((series) => rowOf(series, this.begin, time));
    this.fillBar(history, service, time);
    this.lanes.show(rows, (endOf(service) - this.begin) * MS_NS, theme().heap, time);
    this.fillGrid(rows, selection.sort);
  }

  private valueText(line: Line, value: number): string {
    return line.name === BLOCKS ? countText(value) : bytesText(value);
  }

  private fillBar(history: History, service: HistoryService, time: Time | null): void {
    const choice = listen(
      h(
        'select',
        { 'aria-label': 'Service' },
        ...history.services.map((one) =>
          h('option', { value: one.name, selected: one === service }, `${one.name} on ${one.host}`),
        ),
      ),
      { change: () => this.change?.({ series: choice.value, time: null }) },
    );
    const from = this.begin + (time?.from ?? 0) / MS_NS,
      to = time ? this.begin + time.to / MS_NS : endOf(service);
    fill(
      this.bar,
      h('label', { class: 'control' }, h('span', {}, 'Service'), choice),
      h(
        'span',
        { class: 'hint' },
        `${stampText(from)} – ${stampText(to)} UTC, ${durationText((to - from) * MS_NS)}`,
      ),
      time && button('The whole time', () => this.change?.({ time: null }), { class: 'chip' }),
      h('span', { class: 'spring' }),
      h(
        'span',
        { 'data-name': 'runs', 'data-value': service.runs.length },
        `started ${countText(service.runs.length)} time${service.runs.length === 1 ? '' : 's'}`,
      ),
    );
  }

  private fillGrid(rows: Row[], wanted: string): void {
    const text = (value: number, row: Row): string => this.valueText(row, value);
    const columns: Column<Row>[] = [
      {
        id: 'name',
        label: 'Series',
        cell: (row) =>
          h(
            'span',
            { class: 'name-cell' },
            nameWord(row.name),
            whereWord(`${kinds[row.series.kind]}${row.series.current ? '' : ', gone'}`),
          ),
      },
      numberColumn('last', 'Now', 'The last value', text),
      numberColumn(
        'change',
        'Change',
        'From the first to the last value in the selected time',
        (value, row) => signedText(value, (one) => text(one, row)),
      ),
      numberColumn('low', 'Least', 'Over the whole time', text, true),
      numberColumn('high', 'Most', 'Over the whole time', text, true),
      numberColumn('growth', 'Growth', 'The trend of the newest run', growthCell, true),
    ];
    const sort = sortOf(columns, wanted, '');
    const of = (row: Row): number => row.numbers.get(sort) ?? -Infinity;
    this.grid.set(columns, sort ? [...rows].sort((a, b) => of(b) - of(a)) : rows, sort);
  }
}
