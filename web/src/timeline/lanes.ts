// Which lanes there are, and the curve of each.
import type { Timeline } from '../api_types';
import type { Theme } from '../theme';
import { heightsOf, type Heights } from './heights';
import { bytesText, rateText, shortCountText } from '../units';

export interface Curve {
  values: readonly (number | null)[]; // one for each column: a level at its end, or what was added within it
  isRate: boolean;
  isBytes: boolean;
  scale: number; // of what is added in a second, to what is shown
  color(theme: Theme): string;
  text(value: number): string; // of a level, or of a rate after scaling
}

export interface LaneAbout {
  id: string;
  title: string;
  isUsual: boolean; // shown unless somebody chooses
  curve: Curve | null; // null: it has a painter of its own
  heights?: Heights;
}

const series =
  (place: number) =>
  (theme: Theme): string =>
    theme.series[place] ?? theme.rest;

const cores = (value: number): string => `${value < 9.95 ? value.toFixed(2) : value.toFixed(1)}`;

interface Known {
  metric: string;
  id: string;
  title: string;
  isUsual: boolean;
  place: number;
}

const metrics: readonly Known[] = [
  { metric: 'cpu.on', id: 'cpu', title: 'Processors in use', isUsual: true, place: 1 },
  { metric: 'cpu.off', id: 'waiting', title: 'Threads waiting', isUsual: false, place: 6 },
  { metric: 'heap.held', id: 'held', title: 'Held by live blocks, not used', isUsual: false, place: 3 },
  { metric: 'pages.cache', id: 'cache', title: 'Page cache', isUsual: false, place: 2 },
  { metric: 'pool.live', id: 'pools', title: 'Own pools of the program', isUsual: false, place: 4 },
  { metric: 'maps.live', id: 'maps', title: 'Mapped by the program', isUsual: false, place: 7 },
];

function metricLane(known: Known, data: Timeline): LaneAbout[] {
  const found = data.lanes.find((lane) => lane.metric === known.metric);
  if (!found || !found.values.some((value) => value)) return [];
  const isTime = found.unit === 'ns';
  return [
    {
      id: known.id,
      title: known.title,
      isUsual: known.isUsual,
      curve: {
        values: found.values,
        isRate: found.is_rate,
        isBytes: !isTime,
        scale: isTime ? 1e-9 : 1,
        color: series(known.place),
        text: isTime ? cores : bytesText,
      },
    },
  ];
}

function counted(
  id: string,
  title: string,
  values: readonly number[],
  isBytes: boolean,
  color: (theme: Theme) => string,
): LaneAbout[] {
  if (!values.some((value) => value > 0)) return [];
  const text = (value: number): string => (isBytes ? rateText(value, 'bytes') : `${shortCountText(value)}/s`);
  return [{ id, title, isUsual: true, curve: { values, isRate: true, isBytes, scale: 1, color, text } }];
}

/** Those that have something in them, from above. */
export function lanesOf(data: Timeline): LaneAbout[] {
  const { columns } = data;
  const own = (id: string, title: string): LaneAbout => ({ id, title, isUsual: true, curve: null });
  const memory = [...columns.rss, ...columns.pss, ...columns.heap_live, ...columns.heap_live_max];
  const others = otherLanes(data, own);
  return memory.some((bytes) => bytes) || others.length === 0 ? [own('memory', 'Memory'), ...others] : others;
}

function otherLanes(data: Timeline, own: (id: string, title: string) => LaneAbout): LaneAbout[] {
  const { columns } = data;
  return [
    ...metrics.slice(2).flatMap((known) => metricLane(known, data)),
    ...counted('rate', 'Allocation rate', columns.allocated, true, (theme) => theme.rate),
    ...metrics.slice(0, 2).flatMap((known) => metricLane(known, data)),
    ...heightsOf(data.marks).map((heights) => ({ ...own(heights.id, heights.name), heights })),
    ...counted('lost', 'Events lost', columns.lost_events, false, series(5)),
    ...(data.sites.length
      ? [own('sites', `${data.metric} by call site${data.is_rate ? ', per second' : ''}`)]
      : []),
  ];
}

export function shownLanes(all: readonly LaneAbout[], chosen: readonly string[]): LaneAbout[] {
  const shown = all.filter((lane) => (chosen.length ? chosen.includes(lane.id) : lane.isUsual));
  return shown.length ? shown : all.filter((lane) => lane.isUsual);
}

/** What a curve has in one column, as it is shown; null: not known. */
export function valueIn(curve: Curve, data: Timeline, column: number): number | null {
  const value = curve.values[column] ?? null;
  if (value === null || !curve.isRate) return value;
  const seconds = ((data.columns.end_ns[column] ?? 0) - (data.columns.begin_ns[column] ?? 0)) / 1e9;
  return seconds > 0 ? (value * curve.scale) / seconds : null;
}
