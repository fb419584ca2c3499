// Call sites over time: areas on top of each other, lines, or shares of the whole.
import type { Timeline } from '../api_types';
import type { Pen } from '../export/seen';
import type { Areas } from '../selection';
import type { Theme } from '../theme';
import { rateText, shareText, shortCountText, valueText } from '../units';
import { most, paintNumbers, paintScale, xOf, yOf, type Lane, type Scale, type Span } from './scale';

const THICK = 2; // px

export function siteColor(theme: Theme, index: number, isRest: boolean): string {
  return isRest ? theme.rest : (theme.series[index % theme.series.length] ?? theme.rest);
}

/** A rate needs some pixels and some milliseconds. */
export function leastStretch(span: Span): number {
  const whole = span.to - span.from;
  return Math.max((3 * whole) / span.width, Math.min(1e8, whole / 20));
}

export interface Series {
  times: readonly number[];
  values: readonly (readonly number[])[]; // by site
}

/** Rates over stretches that are long enough for one, as areas with steps; levels as they are. */
export function seriesOf(data: Timeline, span: Span): Series {
  if (!data.is_rate) return { times: data.instants_ns, values: data.sites.map((site) => site.values) };
  const least = leastStretch(span),
    times: number[] = [],
    values: number[][] = data.sites.map(() => []);
  let from = 0;
  for (let i = 1; i < data.instants_ns.length; i++) {
    const began = data.instants_ns[from]!,
      ended = data.instants_ns[i]!;
    if (ended - began < least && i + 1 < data.instants_ns.length) continue;
    times.push(began, ended);
    data.sites.forEach((site, n) => {
      let sum = 0;
      for (let k = from + 1; k <= i; k++)
        sum += (site.values[k] ?? 0) * (data.instants_ns[k]! - data.instants_ns[k - 1]!);
      const rate = sum / Math.max(1, ended - began);
      values[n]!.push(rate, rate);
    });
    from = i;
  }
  return { times, values };
}

function sumsOf({ times, values }: Series): number[] {
  const sums = new Array<number>(times.length).fill(0);
  for (const one of values)
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + Math.max(0, one[i] ?? 0);
  return sums;
}

export interface StackLook {
  span: Span;
  lane: Lane;
  theme: Theme;
  areas: Areas;
  hue(site: number): number; // which colour a site has
  chosen: number; // site that stands out, or -1
}

/** What lies beneath a point: the site of an area, or of the nearest line; -1: none. */
export function siteAt(data: Timeline, look: StackLook, ns: number, y: number): number {
  const series = seriesOf(data, look.span),
    scale = scaleOf(series, look);
  let place = series.times.findIndex((time) => time >= ns);
  if (place < 0) place = series.times.length - 1;
  const sum = sumsOf(series)[place] ?? 0;
  const value = ((look.lane.top + look.lane.height - y) / look.lane.height) * scale.top;
  let floor = 0,
    best = -1,
    nearest = Infinity;
  for (let site = 0; site < series.values.length; site++) {
    const own = Math.max(0, series.values[site]![place] ?? 0) / (look.areas === 'share' ? sum || 1 : 1);
    if (look.areas === 'lines') {
      if (Math.abs(own - value) < nearest) [best, nearest] = [site, Math.abs(own - value)];
    } else if (value >= floor && value < (floor += own)) return site;
  }
  return best;
}

function scaleOf(series: Series, { lane, areas }: StackLook): Scale {
  if (areas === 'share') return { lane, top: 1 };
  const top = areas === 'lines' ? Math.max(...series.values.map(most), 1) : Math.max(most(sumsOf(series)), 1);
  return { lane, top: top * 1.04 };
}

function paintLines(pen: Pen, data: Timeline, series: Series, look: StackLook, scale: Scale): void {
  const xs = series.times.map((ns) => xOf(look.span, ns));
  pen.lineJoin = 'round';
  for (let site = series.values.length - 1; site >= 0; site--) {
    pen.strokeStyle = siteColor(look.theme, look.hue(site), data.sites[site]!.function === null);
    pen.lineWidth = look.chosen === site ? 3 : 1.75;
    pen.beginPath();
    series.values[site]!.forEach((value, i) => pen.lineTo(xs[i] ?? 0, yOf(scale, value)));
    pen.stroke();
  }
}

/** A thin line over an area, but where that is hardly thicker itself. */
function paintSeam(
  pen: Pen,
  xs: readonly number[],
  tops: readonly number[],
  bottoms: readonly number[],
  color: string,
): void {
  const isThick = (i: number): boolean => (bottoms[i] ?? 0) - (tops[i] ?? 0) >= THICK;
  pen.strokeStyle = color;
  pen.lineWidth = 0.75;
  pen.beginPath();
  tops.forEach((y, i) =>
    i > 0 && isThick(i) && isThick(i - 1) ? pen.lineTo(xs[i] ?? 0, y) : pen.moveTo(xs[i] ?? 0, y),
  );
  pen.stroke();
}

/** The largest lies at the bottom, as it is the one to look at. */
function paintAreas(pen: Pen, data: Timeline, series: Series, look: StackLook, scale: Scale): void {
  const xs = series.times.map((ns) => xOf(look.span, ns)),
    sums = sumsOf(series),
    part = (value: number, i: number): number => (look.areas === 'share' ? value / (sums[i] || 1) : value);
  let floor = new Array<number>(xs.length).fill(0);
  for (const [index, site] of data.sites.entries()) {
    const upper = floor.map((value, i) => value + part(Math.max(0, series.values[index]?.[i] ?? 0), i));
    const tops = upper.map((value) => yOf(scale, value)),
      bottoms = floor.map((value) => yOf(scale, value));
    pen.beginPath();
    tops.forEach((y, i) => pen.lineTo(xs[i] ?? 0, y));
    for (let i = xs.length - 1; i >= 0; i--) pen.lineTo(xs[i] ?? 0, bottoms[i] ?? 0);
    pen.closePath();
    pen.fillStyle = siteColor(look.theme, look.hue(index), site.function === null);
    pen.globalAlpha = look.chosen < 0 || look.chosen === index ? 0.85 : 0.4;
    pen.fill();
    pen.globalAlpha = 1;
    paintSeam(pen, xs, tops, bottoms, look.theme.surface);
    floor = upper;
  }
}

export function paintSites(pen: Pen, data: Timeline, look: StackLook): void {
  const series = seriesOf(data, look.span),
    scale = scaleOf(series, look),
    isShare = look.areas === 'share',
    isBytes = data.unit === 'bytes' && !isShare;
  paintScale(pen, look.span, scale, look.theme, isBytes);
  (look.areas === 'lines' ? paintLines : paintAreas)(pen, data, series, look, scale);
  paintNumbers(pen, look.span, scale, look.theme, isBytes, (value) =>
    isShare
      ? shareText(value, 1)
      : data.is_rate
        ? rateText(value, data.unit).replace(' of a processor', '') // as in the lane above it
        : data.unit === 'bytes' || data.unit === 'ns'
          ? valueText(value, data.unit)
          : shortCountText(value),
  );
}
