// Floors, the line through them and where it leads, over the curves that they are the floors of.
import type { GrowthAnswer, Timeline, Trend } from '../../api_types';
import { ticks, timeTicks } from '../../canvas';
import { svg } from '../../dom';
import { bytesText, durationText } from '../../units';

const HEIGHT = 250,
  TOP = 14,
  FOOT = 24,
  LETTER = 3.2, // half of its width
  AHEAD = 0.35; // of the time that was seen, for what may come

export interface Series {
  name: 'heap' | 'rss';
  trend: Trend;
  curve: GrowthAnswer['curves']['heap'];
}

interface Space {
  width: number;
  from: number;
  to: number; // with what may come
  now: number;
  most: number;
}

type Numbers = readonly (number | null)[];

function xOf(space: Space, ns: number): number {
  return ((ns - space.from) / Math.max(1, space.to - space.from)) * space.width;
}

function yOf(space: Space, bytes: number): number {
  return TOP + (HEIGHT - TOP - FOOT) * (1 - bytes / space.most);
}

function point(space: Space, ns: number, bytes: number): string {
  return `${xOf(space, ns).toFixed(1)},${yOf(space, bytes).toFixed(1)}`;
}

function pathOf(space: Space, times: readonly number[], values: Numbers): string {
  let path = '',
    isBegun = false;
  values.forEach((value, i) => {
    const ns = times[i]!;
    const isIn = value !== null && ns >= space.from && ns <= space.now;
    if (isIn) path += `${isBegun ? 'L' : 'M'}${point(space, ns, value)}`;
    isBegun = isIn;
  });
  return path;
}

function lineAt({ trend, curve }: Series, ns: number, slope = trend.bytes_per_second): number {
  return (curve.line_bytes[1] ?? 0) + (slope * (ns - trend.to_ns)) / 1e9;
}

function spaceOf(answer: GrowthAnswer, data: Timeline, series: readonly Series[], width: number): Space {
  const { from_ns: from, to_ns: now } = answer.range;
  const grows = series.some(({ trend }) => trend.verdict === 'growing');
  const to = now + (grows ? (now - from) * AHEAD : 0);
  const seen = (values: Numbers): number =>
    values.reduce<number>((most, value, i) => {
      const ns = data.columns.end_ns[i] ?? 0;
      return value !== null && ns >= from && ns <= now ? Math.max(most, value) : most;
    }, 0);
  const ahead = series
    .filter(({ trend }) => trend.verdict === 'growing')
    .map((one) => lineAt(one, to, one.trend.bytes_per_second_high));
  const most = Math.max(1, seen(data.columns.rss), seen(data.columns.heap_live), ...ahead) * 1.06;
  return { width, from, to, now, most };
}

function axes(space: Space): SVGElement[] {
  const parts: SVGElement[] = [];
  for (const tick of ticks(space.most, 4, true)) {
    const y = Math.round(yOf(space, tick)) + 0.5;
    parts.push(svg('line', { class: 'growth-grid', x1: 0, x2: space.width, y1: y, y2: y }));
    if (tick > 0) parts.push(svg('text', { class: 'growth-tick', x: 0, y: y - 4 }, bytesText(tick)));
  }
  for (const tick of timeTicks(space.from, space.to, Math.max(2, space.width / 110))) {
    const text = tick === 0 ? '0 s' : durationText(tick),
      half = text.length * LETTER;
    const x = Math.max(half, Math.min(space.width - half, xOf(space, tick)));
    parts.push(svg('text', { class: 'growth-tick', x, y: HEIGHT - 7, 'text-anchor': 'middle' }, text));
  }
  return parts;
}

/** The line over what was judged, and, where it grows, on: with the steepest and the gentlest that it may be. */
function trendOf(space: Space, one: Series): SVGElement[] {
  const { name, trend, curve } = one;
  const from = Math.max(space.from, trend.from_ns);
  if (curve.line_bytes.length < 2) return [];
  const line = (to: number, from_: number, class_: string): SVGElement =>
    svg('path', {
      class: `${class_} ${name}`,
      d: `M${point(space, from_, lineAt(one, from_))}L${point(space, to, lineAt(one, to))}`,
    });
  const parts = [line(trend.to_ns, from, 'growth-line')];
  if (trend.verdict !== 'growing') return parts;
  const end = lineAt(one, trend.to_ns);
  const high = lineAt(one, space.to, trend.bytes_per_second_high),
    low = lineAt(one, space.to, trend.bytes_per_second_low);
  return [
    svg('path', {
      class: `growth-fan ${name}`,
      d: `M${point(space, trend.to_ns, end)}L${point(space, space.to, high)}L${point(space, space.to, low)}Z`,
    }),
    ...parts,
    line(space.to, trend.to_ns, 'growth-line ahead'),
  ];
}

function limitOf(space: Space, bytes: number): SVGElement[] {
  if (bytes <= 0 || bytes > space.most) return [];
  const y = yOf(space, bytes);
  return [
    svg('line', { class: 'growth-limit', x1: 0, x2: space.width, y1: y, y2: y }),
    svg('text', { class: 'growth-tick', x: space.width / 2, y: y - 4 }, `limit ${bytesText(bytes)}`),
  ];
}

export function growthChart(
  answer: GrowthAnswer,
  data: Timeline,
  series: readonly Series[],
  width: number,
): SVGSVGElement {
  const space = spaceOf(answer, data, series, width),
    now = xOf(space, space.now);
  const raw = { heap: data.columns.heap_live, rss: data.columns.rss };
  const picture = svg(
    'svg',
    {
      class: 'growth-chart',
      width,
      height: HEIGHT,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: 'img',
      'aria-label':
        'Memory over time, its minimums and the line through them; the table below has the same values.',
    },
    ...axes(space),
    ...limitOf(space, answer.growth.limit_bytes),
  );
  if (space.to > space.now)
    picture.append(
      svg('line', { class: 'growth-now', x1: now, x2: now, y1: TOP - 8, y2: HEIGHT - FOOT }),
      svg('text', { class: 'growth-tick', x: now + 5, y: TOP }, 'forecast'),
    );
  for (const one of series) {
    picture.append(
      svg('path', { class: `growth-raw ${one.name}`, d: pathOf(space, data.columns.end_ns, raw[one.name]) }),
      ...trendOf(space, one),
      ...one.curve.bytes.map((bytes, i) =>
        svg('circle', {
          class: `growth-floor ${one.name}`,
          cx: xOf(space, one.curve.time_ns[i] ?? 0).toFixed(1),
          cy: yOf(space, bytes).toFixed(1),
          r: 2.2,
        }),
      ),
    );
  }
  return picture;
}

const SPARK = { width: 120, height: 26 };

/** The live bytes of a site, against the beginning. */
export function sparkline(values: readonly number[]): SVGSVGElement {
  const least = Math.min(0, ...values),
    most = Math.max(1, ...values);
  const y = (value: number): number => 2 + (SPARK.height - 4) * (1 - (value - least) / (most - least));
  const x = (i: number): number => 1 + ((SPARK.width - 2) * i) / Math.max(1, values.length - 1);
  const line = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join('L');
  return svg(
    'svg',
    { class: 'growth-spark', ...SPARK, viewBox: `0 0 ${SPARK.width} ${SPARK.height}`, 'aria-hidden': 'true' },
    svg('path', {
      class: 'growth-spark-area',
      d: `M${x(0)},${y(0).toFixed(1)}L${line}L${x(values.length - 1)},${y(0).toFixed(1)}Z`,
    }),
    svg('path', { class: 'growth-spark-line', d: `M${line}` }),
  );
}
