// Paints the lanes of the timeline beneath each other, and marks over all of them.
import type { Mark, Timeline } from '../api_types';
import { paintTicks, SANS, timeTicks } from '../canvas';
import type { Pen } from '../export/seen';
import type { Theme } from '../theme';
import { bytesText, durationText } from '../units';
import { paintHeights } from './heights';
import { shownLanes, type Curve, type LaneAbout } from './lanes';
import {
  isNarrow,
  most,
  paintNumbers,
  paintScale,
  trace,
  xOf,
  yOf,
  type Lane,
  type Scale,
  type Span,
} from './scale';
import { leastStretch, paintSites } from './stacked';

export interface PlannedLane extends Lane {
  about: LaneAbout;
}

export interface Plan extends Span {
  height: number;
  marks: number; // the height of their row
  lanes: PlannedLane[];
  axis: number;
}

/** One function alone, over the time of the lane of call sites. */
export interface Picked {
  name: string;
  data: Timeline;
}

const MARKS = 18,
  AXIS = 22,
  GAP = 10,
  HEAD = 17,
  NUMBERS = 72; // px that they take at the right, where they have no gutter

function heightOf(lane: LaneAbout, narrow: boolean): number {
  if (lane.id === 'memory') return narrow ? 84 : 104;
  if (lane.id === 'sites') return narrow ? 74 : 92;
  return narrow ? 34 : 42;
}

export function planOf(
  data: Timeline,
  lanes: readonly LaneAbout[],
  chosen: readonly string[],
  span: Span,
): Plan {
  const narrow = isNarrow(span);
  const marks = data.marks.length ? MARKS : 0;
  let top = marks;
  const planned = shownLanes(lanes, chosen).map((about): PlannedLane => {
    const height = heightOf(about, narrow);
    const lane = { id: about.id, title: about.title, top: top + HEAD, height, about };
    top += HEAD + height + GAP;
    return lane;
  });
  return { ...span, height: top + AXIS - GAP + 4, marks, lanes: planned, axis: top - GAP + 4 };
}

/** From the beginning of the first column, with its own value: nothing is known before. */
function stepsOf(
  data: Timeline,
  plan: Plan,
): { xs: number[]; from(values: readonly (number | null)[], scale: Scale): (number | null)[] } {
  const { begin_ns: begins, end_ns: ends } = data.columns;
  return {
    xs: [xOf(plan, begins[0] ?? data.from_ns), ...ends.map((ns) => xOf(plan, ns))],
    from: (values, scale) =>
      [values[0] ?? null, ...values].map((value) => (value === null ? null : yOf(scale, value))),
  };
}

/** Read now and then, so from one that is known to the next. */
function paintProportional(pen: Pen, data: Timeline, plan: Plan, scale: Scale, theme: Theme): void {
  const { pss, end_ns: ends } = data.columns,
    known = ends.map((ns, i) => ({ ns, value: pss[i] ?? null })).filter((one) => one.value !== null);
  const [only] = known;
  if (only && known.length === 1) {
    pen.fillStyle = theme.pss;
    pen.beginPath();
    pen.arc(xOf(plan, only.ns), yOf(scale, only.value ?? 0), 3, 0, 2 * Math.PI);
    pen.fill();
    return;
  }
  pen.lineWidth = 2;
  pen.strokeStyle = theme.pss;
  pen.setLineDash([5, 3]);
  trace(
    pen,
    known.map((one) => xOf(plan, one.ns)),
    known.map((one) => yOf(scale, one.value ?? 0)),
    null,
  );
  pen.stroke();
  pen.setLineDash([]);
}

function paintMemory(pen: Pen, data: Timeline, plan: Plan, lane: Lane, theme: Theme): void {
  const { rss, heap_live: live, heap_live_max: high } = data.columns;
  const scale: Scale = { lane, top: Math.max(most(rss), most(high), most(live), 1) * 1.08 };
  const { xs, from } = stepsOf(data, plan),
    floor = lane.top + lane.height;
  paintScale(pen, plan, scale, theme, true);
  pen.fillStyle = theme.heap;
  pen.globalAlpha = theme.isDark ? 0.22 : 0.16;
  trace(pen, xs, from(high, scale), floor);
  pen.fill();
  pen.globalAlpha = theme.isDark ? 0.35 : 0.3;
  trace(pen, xs, from(live, scale), floor);
  pen.fill();
  pen.globalAlpha = 1;
  pen.lineJoin = 'round';
  pen.lineWidth = 1.5;
  pen.strokeStyle = theme.heap;
  trace(pen, xs, from(live, scale), null);
  pen.stroke();
  pen.lineWidth = 2;
  pen.strokeStyle = theme.rss;
  trace(pen, xs, from(rss, scale), null);
  pen.stroke();
  paintProportional(pen, data, plan, scale, theme);
  paintNumbers(pen, plan, scale, theme, true, bytesText);
  paintPeak(pen, data, plan, scale, theme);
}

function paintPeak(pen: Pen, data: Timeline, plan: Plan, scale: Scale, theme: Theme): void {
  const { heap_live_max: high, end_ns: ends } = data.columns,
    peak = most(high),
    at = high.indexOf(peak);
  if (peak <= 0 || at < 0) return;
  const x = xOf(plan, ends[at]!),
    y = yOf(scale, peak),
    isLeft = x > plan.width / 2;
  if (x < 0 || x > plan.width) return; // of a column that only begins or ends in sight
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
  const place = x + (isLeft ? -8 : 8) - (isNarrow(plan) && x > plan.width - 60 ? 52 : 0);
  const isUnder = !isLeft && y < scale.lane.top + 12; // the title stands above
  pen.strokeText(text, place, isUnder ? y + 14 : y - 5);
  pen.fillText(text, place, isUnder ? y + 14 : y - 5);
}

/** Of columns that are too short for a rate, several together. */
function ratesOf(data: Timeline, plan: Plan, curve: Curve): { from: number; to: number; rate: number }[] {
  const { begin_ns: begins, end_ns: ends } = data.columns;
  const least = leastStretch(plan);
  const rates: { from: number; to: number; rate: number }[] = [];
  let from = begins[0] ?? 0,
    sum = 0;
  for (let i = 0; i < ends.length; i++) {
    const to = ends[i]!;
    sum += (curve.values[i] ?? 0) * curve.scale;
    if (to - from < least && i + 1 < ends.length) continue;
    const before = rates.at(-1);
    if (before && to - from < least / 2) {
      // what is left at the end
      before.rate = (before.rate * (before.to - before.from) + sum * 1e9) / (to - before.from);
      before.to = to;
    } else {
      rates.push({ from, to, rate: (sum * 1e9) / Math.max(1, to - from) });
    }
    from = to;
    sum = 0;
  }
  return rates;
}

function paintCurve(pen: Pen, data: Timeline, plan: Plan, lane: Lane, curve: Curve, theme: Theme): void {
  const rates = curve.isRate ? ratesOf(data, plan, curve) : [];
  const values = curve.isRate ? rates.map((one) => one.rate) : curve.values;
  const scale: Scale = { lane, top: (most(values) || 1) * 1.08 };
  const floor = lane.top + lane.height;
  paintScale(pen, plan, scale, theme, curve.isBytes);
  pen.fillStyle = pen.strokeStyle = curve.color(theme);
  pen.globalAlpha = curve.isRate ? 0.75 : 0.25;
  for (const { from, to, rate } of rates) {
    const left = xOf(plan, from),
      right = xOf(plan, to),
      y = yOf(scale, rate);
    pen.fillRect(left, y, Math.max(0.5, right - left - (right - left > 4 ? 1 : 0)), floor - y);
  }
  if (!curve.isRate) {
    const { xs, from } = stepsOf(data, plan);
    trace(pen, xs, from(curve.values, scale), floor);
    pen.fill();
    pen.globalAlpha = 1;
    pen.lineWidth = 1.5;
    trace(pen, xs, from(curve.values, scale), null);
    pen.stroke();
  }
  pen.globalAlpha = 1;
  paintNumbers(pen, plan, scale, theme, curve.isBytes, curve.text);
}

/** The first of some texts that has room; if none has, as much of the last as there is room for. */
function fitting(pen: Pen, texts: readonly string[], room: number): string {
  const fits = (text: string): boolean => pen.measureText(text).width <= room;
  let last = texts[texts.length - 1] ?? '';
  const found = texts.find(fits);
  if (found !== undefined) return found;
  while (last && !fits(`${last}…`)) last = last.slice(0, -1);
  return last && `${last}…`;
}

/** When it was there: a band at the foot of the lane, as high as its share of the largest it had. */
function paintPicked(pen: Pen, picked: Picked, plan: Plan, lane: Lane, theme: Theme): void {
  const { data } = picked;
  const sums = data.instants_ns.map((_, i) =>
    data.sites.reduce((sum, site) => sum + Math.max(0, site.values[i] ?? 0), 0),
  );
  const scale: Scale = { lane, top: (most(sums) || 1) * 1.08 };
  pen.strokeStyle = theme.hit;
  pen.lineWidth = 2.5;
  pen.lineJoin = 'round';
  pen.beginPath();
  sums.forEach((value, i) => pen.lineTo(xOf(plan, data.instants_ns[i] ?? 0), yOf(scale, value)));
  pen.stroke();
  pen.font = `600 11px ${SANS}`;
  pen.textBaseline = 'alphabetic';
  const title = pen.measureText(lane.title).width + 12,
    room = plan.width - title - (isNarrow(plan) ? NUMBERS : 0);
  pen.fillStyle = theme.hit;
  pen.textAlign = 'left';
  pen.fillText(
    fitting(pen, [`— ${picked.name}, on a scale of its own`, `— ${picked.name}`], room),
    title,
    lane.top - 5,
  );
}

function paintMark(pen: Pen, mark: Mark, plan: Plan, theme: Theme): void {
  const x = xOf(plan, mark.time_ns);
  const isLoud = mark.kind === 'alert' || mark.kind === 'death';
  if (mark.kind === 'phase') {
    pen.fillStyle = theme.mark;
    pen.globalAlpha = 0.16;
    pen.fillRect(x, 2, Math.max(1.5, xOf(plan, mark.end_ns ?? plan.to) - x), 13);
  } else {
    pen.strokeStyle = isLoud ? theme.rss : theme.mark;
    pen.globalAlpha = isLoud ? 0.9 : 0.28;
    pen.lineWidth = isLoud ? 1.5 : 1;
    pen.beginPath();
    pen.moveTo(Math.round(x) + 0.5, 3);
    pen.lineTo(Math.round(x) + 0.5, plan.axis - 2);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function paintMarks(pen: Pen, data: Timeline, plan: Plan, theme: Theme): void {
  let free = -1,
    drawn = -2;
  pen.font = `10.5px ${SANS}`;
  pen.textAlign = 'left';
  pen.textBaseline = 'alphabetic';
  for (const mark of data.marks) {
    const x = xOf(plan, mark.time_ns),
      end = xOf(plan, mark.end_ns ?? mark.time_ns);
    const isLoud = mark.kind === 'alert' || mark.kind === 'death';
    if (end < 0 || x > plan.width) continue;
    if (mark.kind === 'phase' || isLoud || x - drawn >= 1) {
      paintMark(pen, mark, plan, theme);
      if (mark.kind !== 'phase') drawn = x;
    }
    const text = isLoud ? `⚠ ${mark.label}` : mark.label,
      width = pen.measureText(text).width,
      left = Math.max(0, x) + 4;
    if (left > free && left + width + 4 < plan.width) {
      pen.fillStyle = isLoud ? theme.rss : theme.mark;
      pen.fillText(text, left, 12);
      free = left + width + 12;
    }
  }
}

function paintAxis(pen: Pen, plan: Plan, theme: Theme): void {
  pen.font = `10.5px ${SANS}`;
  pen.textBaseline = 'alphabetic';
  pen.fillStyle = theme.faint;
  const ticks = timeTicks(plan.from, plan.to, Math.max(2, plan.width / 110));
  const words = ticks.map((tick) => ({ x: xOf(plan, tick), text: tick === 0 ? '0 s' : durationText(tick) }));
  paintTicks(pen, words, plan.width, plan.axis + 14);
}

export function paintTimeline(
  pen: Pen,
  data: Timeline,
  plan: Plan,
  theme: Theme,
  picked: Picked | null,
): void {
  for (const lane of plan.lanes) {
    const { curve, heights } = lane.about;
    if (heights) paintHeights(pen, data, plan, lane, heights, theme);
    else if (curve) paintCurve(pen, data, plan, lane, curve, theme);
    else if (lane.id === 'memory') paintMemory(pen, data, plan, lane, theme);
    else {
      paintSites(pen, data, { span: plan, lane, theme, areas: 'stacked', hue: (site) => site, chosen: -1 });
      if (picked) paintPicked(pen, picked, plan, lane, theme);
    }
  }
  paintMarks(pen, data, plan, theme);
  paintAxis(pen, plan, theme);
}
