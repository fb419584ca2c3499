// Paints the lanes of the timeline: memory, allocation rate, call sites, marks over all of them.
import type { Timeline } from '../api_types';
import { SANS, ticks, timeTicks } from '../canvas';
import type { Pen } from '../export/seen';
import type { Theme } from '../theme';
import { bytesText, durationText, rateText, shortCountText, valueText } from '../units';

export interface Lane {
  title: string;
  top: number;
  height: number;
}

export interface Plan {
  width: number;
  height: number;
  marks: Lane;
  memory: Lane;
  rate: Lane | null;
  sites: Lane | null;
  axis: number;
}

const MARKS = 18,
  AXIS = 22,
  GAP = 10,
  HEAD = 17;

export function planOf(data: Timeline, width: number): Plan {
  const isNarrow = width < 560;
  const hasRate = data.columns.allocated.some((bytes) => bytes > 0);
  const hasSites = data.sites.length > 0;
  let top = 0;
  const lane = (title: string, height: number): Lane => {
    const made = { title, top: top + HEAD, height };
    top += HEAD + height + GAP;
    return made;
  };
  const marks = { title: '', top: 0, height: data.marks.length ? MARKS : 0 };
  top = marks.height;
  const memory = lane('Memory', isNarrow ? 84 : 104);
  const rate = hasRate ? lane('Allocation rate', isNarrow ? 34 : 42) : null;
  const sites = hasSites
    ? lane(`${data.metric} by call site${data.is_rate ? ', per second' : ''}`, isNarrow ? 74 : 92)
    : null;
  return { width, height: top + AXIS - GAP + 4, marks, memory, rate, sites, axis: top - GAP + 4 };
}

export function xOf(data: Timeline, plan: Plan, ns: number): number {
  return ((ns - data.from_ns) / Math.max(1, data.to_ns - data.from_ns)) * plan.width;
}

export function timeAt(data: Timeline, plan: Plan, x: number): number {
  const share = Math.min(1, Math.max(0, x / plan.width));
  return Math.round(data.from_ns + share * (data.to_ns - data.from_ns));
}

function most(values: readonly (number | null)[]): number {
  let largest = 0;
  for (const value of values) if (value !== null && value > largest) largest = value;
  return largest;
}

interface Scale {
  lane: Lane;
  top: number; // the value at the upper edge
}

function yOf(scale: Scale, value: number): number {
  return scale.lane.top + scale.lane.height * (1 - Math.max(0, value) / scale.top);
}

function paintScale(pen: Pen, plan: Plan, scale: Scale, theme: Theme, isBytes: boolean): void {
  const { lane } = scale;
  pen.font = `600 11px ${SANS}`;
  pen.textBaseline = 'alphabetic';
  pen.textAlign = 'left';
  pen.fillStyle = theme.soft;
  pen.fillText(lane.title, 0, lane.top - 5);
  pen.font = `10.5px ${SANS}`;
  pen.lineWidth = 1;
  for (const tick of ticks(scale.top, lane.height < 60 ? 1.6 : 4, isBytes)) {
    const y = Math.round(yOf(scale, tick)) + 0.5;
    pen.strokeStyle = theme.line;
    pen.beginPath();
    pen.moveTo(0, y);
    pen.lineTo(plan.width, y);
    pen.stroke();
  }
}

/** Over what is painted, as the largest values are often at the right. */
function paintNumbers(
  pen: Pen,
  plan: Plan,
  scale: Scale,
  theme: Theme,
  isBytes: boolean,
  text: (value: number) => string,
): void {
  pen.font = `10.5px ${SANS}`;
  pen.textAlign = 'right';
  pen.textBaseline = 'alphabetic';
  pen.lineJoin = 'round';
  pen.lineWidth = 3;
  for (const tick of ticks(scale.top, scale.lane.height < 60 ? 1.6 : 4, isBytes)) {
    if (tick === 0) continue;
    const y = Math.round(yOf(scale, tick)) - 3;
    pen.strokeStyle = theme.surface;
    pen.globalAlpha = 0.75;
    pen.strokeText(text(tick), plan.width - 3, y);
    pen.globalAlpha = 1;
    pen.fillStyle = theme.soft;
    pen.fillText(text(tick), plan.width - 3, y);
  }
}

/** Lines and areas break where nothing was measured. */
function trace(pen: Pen, xs: readonly number[], ys: readonly (number | null)[], floor: number | null): void {
  let begun = -1;
  const end = (last: number): void => {
    if (begun >= 0 && floor !== null) {
      pen.lineTo(xs[last] ?? 0, floor);
      pen.lineTo(xs[begun] ?? 0, floor);
      pen.closePath();
    }
    begun = -1;
  };
  pen.beginPath();
  for (let i = 0; i < ys.length; i++) {
    const y = ys[i];
    if (y === null || y === undefined) {
      end(i - 1);
    } else if (begun < 0) {
      begun = i;
      pen.moveTo(xs[i] ?? 0, y);
    } else {
      pen.lineTo(xs[i] ?? 0, y);
    }
  }
  end(ys.length - 1);
}

function paintMemory(pen: Pen, data: Timeline, plan: Plan, theme: Theme): void {
  const { rss, heap_live: live, heap_live_max: high, end_ns: ends } = data.columns;
  const scale: Scale = { lane: plan.memory, top: Math.max(most(rss), most(high), most(live), 1) * 1.08 };
  const y = (value: number | null): number | null => (value === null ? null : yOf(scale, value));
  paintScale(pen, plan, scale, theme, true);
  // From the beginning of the first column, with its own value: nothing is known before.
  const xs = [
    xOf(data, plan, data.columns.begin_ns[0] ?? data.from_ns),
    ...ends.map((ns) => xOf(data, plan, ns)),
  ];
  const from = (values: readonly (number | null)[]): (number | null)[] => [
    y(values[0] ?? null),
    ...values.map(y),
  ];
  const floor = plan.memory.top + plan.memory.height;
  pen.globalAlpha = theme.isDark ? 0.22 : 0.16;
  pen.fillStyle = theme.heap;
  trace(pen, xs, from(high), floor);
  pen.fill();
  pen.fillStyle = theme.heap;
  pen.globalAlpha = theme.isDark ? 0.35 : 0.3;
  trace(pen, xs, from(live), floor);
  pen.fill();
  pen.globalAlpha = 1;
  pen.lineJoin = 'round';
  pen.lineWidth = 1.5;
  pen.strokeStyle = theme.heap;
  trace(pen, xs, from(live), null);
  pen.stroke();
  pen.lineWidth = 2;
  pen.strokeStyle = theme.rss;
  trace(pen, xs, from(rss), null);
  pen.stroke();
  paintNumbers(pen, plan, scale, theme, true, bytesText);
  paintPeak(pen, data, plan, scale, theme);
}

function paintPeak(pen: Pen, data: Timeline, plan: Plan, scale: Scale, theme: Theme): void {
  const { heap_live_max: high, end_ns: ends } = data.columns,
    peak = most(high),
    at = high.indexOf(peak);
  if (peak <= 0 || at < 0) return;
  const x = xOf(data, plan, ends[at]!),
    y = yOf(scale, peak),
    isLeft = x > plan.width / 2;
  const text = `peak ${bytesText(peak)}`;
  pen.fillStyle = theme.heap;
  pen.strokeStyle = theme.surface;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(x, y, 4, 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
  pen.font = `600 11px ${SANS}`;
  pen.textAlign = isLeft ? 'right' : 'left';
  pen.lineWidth = 3;
  const place = x + (isLeft ? -8 : 8) - (x > plan.width - 60 ? 52 : 0);
  pen.strokeText(text, place, y - 5);
  pen.fillText(text, place, y - 5);
}

/** A rate needs some pixels and some milliseconds. */
function leastStretch(data: Timeline, plan: Plan): number {
  const whole = data.to_ns - data.from_ns;
  return Math.max((3 * whole) / plan.width, Math.min(1e8, whole / 20));
}

/** Of columns that are too short for a rate, several together. */
function ratesOf(data: Timeline, plan: Plan): { from: number; to: number; rate: number }[] {
  const { begin_ns: begins, end_ns: ends, allocated } = data.columns;
  const least = leastStretch(data, plan);
  const rates: { from: number; to: number; rate: number }[] = [];
  let from = begins[0] ?? 0,
    bytes = 0;
  for (let i = 0; i < ends.length; i++) {
    const to = ends[i]!;
    bytes += allocated[i]!;
    if (to - from < least && i + 1 < ends.length) continue;
    const before = rates.at(-1);
    if (before && to - from < least / 2) {
      // what is left at the end
      before.rate = (before.rate * (before.to - before.from) + bytes * 1e9) / (to - before.from);
      before.to = to;
    } else {
      rates.push({ from, to, rate: (bytes * 1e9) / Math.max(1, to - from) });
    }
    from = to;
    bytes = 0;
  }
  return rates;
}

function paintRate(pen: Pen, data: Timeline, plan: Plan, lane: Lane, theme: Theme): void {
  const rates = ratesOf(data, plan);
  const scale: Scale = { lane, top: Math.max(most(rates.map((one) => one.rate)), 1) * 1.08 };
  paintScale(pen, plan, scale, theme, true);
  const floor = lane.top + lane.height;
  pen.fillStyle = theme.rate;
  pen.globalAlpha = 0.75;
  for (const { from, to, rate } of rates) {
    const left = xOf(data, plan, from),
      right = xOf(data, plan, to),
      y = yOf(scale, rate);
    pen.fillRect(left, y, Math.max(0.5, right - left - (right - left > 4 ? 1 : 0)), floor - y);
  }
  pen.globalAlpha = 1;
  paintNumbers(pen, plan, scale, theme, true, (value) => rateText(value, 'bytes'));
}

export function siteColor(theme: Theme, index: number, isRest: boolean): string {
  return isRest ? theme.rest : (theme.series[index % theme.series.length] ?? theme.rest);
}

/** Rates over stretches that are long enough for one, as areas with steps; levels as they are. */
function seriesOf(data: Timeline, plan: Plan): { times: number[]; values: number[][] } {
  if (!data.is_rate) return { times: data.instants_ns, values: data.sites.map((site) => site.values) };
  const least = leastStretch(data, plan),
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

function paintSites(pen: Pen, data: Timeline, plan: Plan, lane: Lane, theme: Theme): void {
  const { times, values } = seriesOf(data, plan),
    count = times.length;
  const sums = new Array<number>(count).fill(0);
  for (const one of values)
    for (let i = 0; i < count; i++) sums[i] = (sums[i] ?? 0) + Math.max(0, one[i] ?? 0);
  const scale: Scale = { lane, top: Math.max(most(sums), 1) * 1.04 };
  const text = (value: number): string =>
    data.unit === 'bytes' || data.unit === 'ns' ? valueText(value, data.unit) : shortCountText(value);
  paintScale(pen, plan, scale, theme, data.unit === 'bytes');
  const xs = times.map((ns) => xOf(data, plan, ns));
  let floor = new Array<number>(count).fill(0);
  // The largest lies at the bottom, as it is the one to look at.
  for (const [index, site] of data.sites.entries()) {
    const upper = floor.map((value, i) => value + Math.max(0, values[index]?.[i] ?? 0));
    pen.beginPath();
    upper.forEach((value, i) => pen.lineTo(xs[i] ?? 0, yOf(scale, value)));
    for (let i = count - 1; i >= 0; i--) pen.lineTo(xs[i] ?? 0, yOf(scale, floor[i] ?? 0));
    pen.closePath();
    pen.fillStyle = siteColor(theme, index, site.function === null);
    pen.globalAlpha = 0.85;
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = theme.surface;
    pen.lineWidth = 0.75;
    pen.stroke();
    floor = upper;
  }
  paintNumbers(pen, plan, scale, theme, data.unit === 'bytes', text);
}

function paintMarks(pen: Pen, data: Timeline, plan: Plan, theme: Theme): void {
  const bottom = plan.axis - 2;
  let free = -1,
    drawn = -2;
  pen.font = `10.5px ${SANS}`;
  pen.textAlign = 'left';
  pen.textBaseline = 'alphabetic';
  for (const mark of data.marks) {
    const x = xOf(data, plan, mark.time_ns);
    if (mark.kind === 'phase') {
      const end = xOf(data, plan, mark.end_ns ?? data.to_ns);
      pen.fillStyle = theme.mark;
      pen.globalAlpha = 0.16;
      pen.fillRect(x, 2, Math.max(1.5, end - x), 13);
      pen.globalAlpha = 1;
    } else if (x - drawn >= 1) {
      drawn = x;
      pen.strokeStyle = theme.mark;
      pen.globalAlpha = 0.28;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(Math.round(x) + 0.5, 3);
      pen.lineTo(Math.round(x) + 0.5, bottom);
      pen.stroke();
      pen.globalAlpha = 1;
    }
    const width = pen.measureText(mark.label).width;
    if (x > free && x + width + 8 < plan.width) {
      pen.fillStyle = theme.mark;
      pen.fillText(mark.label, x + 4, 12);
      free = x + width + 16;
    }
  }
}

function paintAxis(pen: Pen, data: Timeline, plan: Plan, theme: Theme): void {
  pen.font = `10.5px ${SANS}`;
  pen.textBaseline = 'alphabetic';
  pen.fillStyle = theme.faint;
  for (const tick of timeTicks(data.from_ns, data.to_ns, Math.max(2, plan.width / 110))) {
    const x = xOf(data, plan, tick);
    pen.textAlign = x < 14 ? 'left' : x > plan.width - 24 ? 'right' : 'center';
    pen.fillText(tick === 0 ? '0 s' : durationText(tick), x, plan.axis + 14);
  }
}

export function paintTimeline(pen: Pen, data: Timeline, plan: Plan, theme: Theme): void {
  paintMemory(pen, data, plan, theme);
  if (plan.rate) paintRate(pen, data, plan, plan.rate, theme);
  if (plan.sites) paintSites(pen, data, plan, plan.sites, theme);
  paintMarks(pen, data, plan, theme);
  paintAxis(pen, data, plan, theme);
}
