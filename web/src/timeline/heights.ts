// Marks that count upwards ("block 178", "block 179"): how far a program has come, as steps over time.
import type { Mark, Timeline } from '../api_types';
import type { Pen } from '../export/seen';
import type { Theme } from '../theme';
import { countText, durationText } from '../units';
import { paintNumber, paintRule, paintTitle, xOf, yOf, type Lane, type Scale, type Span } from './scale';

export interface Height {
  ns: number;
  value: number;
}

export interface Heights {
  id: string;
  name: string; // what is counted
  steps: readonly Height[]; // by time
}

const LEAST = 3, // marks
  LANES = 4,
  BACK = 0.1; // of all steps: a chain may go back a little now and then

const NUMBERED = /^(.*?)[\s#:=._-]*(\d{1,15})$/;

/** Several kinds at a time: those with the most marks. */
export function heightsOf(marks: readonly Mark[]): Heights[] {
  const all = new Map<string, Height[]>();
  for (const mark of marks) {
    const found = mark.kind === 'mark' || mark.kind === 'phase' ? NUMBERED.exec(mark.label) : null;
    if (!found) continue;
    const name = found[1] || 'mark',
      steps = all.get(name) ?? [];
    steps.push({ ns: mark.time_ns, value: Number(found[2]) });
    all.set(name, steps);
  }
  return [...all]
    .map(([name, steps]) => ({ id: idOf(name), name, steps: steps.sort((a, b) => a.ns - b.ns) }))
    .filter(({ steps }) => isGrowing(steps))
    .sort((a, b) => b.steps.length - a.steps.length)
    .slice(0, LANES);
}

function idOf(name: string): string {
  return `height-${name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}`;
}

function isGrowing(steps: readonly Height[]): boolean {
  const first = steps[0],
    last = steps.at(-1);
  if (!first || !last || steps.length < LEAST || last.value <= first.value) return false;
  const back = steps.filter((step, i) => i > 0 && step.value < steps[i - 1]!.value).length;
  return back <= (steps.length - 1) * BACK;
}

/** What was reached at an instant, and when; null: nothing yet. */
export function heightAt(steps: readonly Height[], ns: number): Height | null {
  let low = 0,
    high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]!.ns <= ns) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1] ?? null;
}

/** With how long it has been so: a stall is a long time. */
export function heightText(height: Height, ns: number): string {
  return `${countText(height.value)}, for ${durationText(Math.max(0, ns - height.ns))}`;
}

/** The steps in what is seen, from the one that it begins with. */
function stepsIn(steps: readonly Height[], span: Span): Height[] {
  const before = heightAt(steps, span.from);
  return [
    ...(before ? [{ ns: span.from, value: before.value }] : []),
    ...steps.filter((step) => step.ns > span.from && step.ns <= span.to),
  ];
}

export function paintHeights(
  pen: Pen,
  data: Timeline,
  span: Span,
  lane: Lane,
  { steps }: Heights,
  theme: Theme,
): void {
  const seen = stepsIn(steps, span),
    values = seen.map((step) => step.value),
    least = Math.min(...values),
    most = Math.max(...values);
  const scale: Scale = { lane, bottom: least, top: Math.max(most, least + 1) };
  paintTitle(pen, lane, theme);
  if (!seen.length) return;
  const numbered = most > least ? [least, most] : [most];
  for (const value of numbered) paintRule(pen, span, yOf(scale, value), theme);
  pen.strokeStyle = theme.mark;
  pen.lineWidth = 2;
  pen.lineJoin = 'round';
  pen.beginPath();
  seen.forEach((step, i) => {
    const x = xOf(span, step.ns);
    if (i > 0) pen.lineTo(x, yOf(scale, seen[i - 1]!.value));
    else pen.moveTo(x, yOf(scale, step.value));
    pen.lineTo(x, yOf(scale, step.value));
  });
  pen.lineTo(xOf(span, Math.min(span.to, data.to_ns)), yOf(scale, values.at(-1) ?? least));
  pen.stroke();
  for (const value of numbered)
    paintNumber(pen, span, yOf(scale, value), theme, value < 1e7 ? countText(value) : String(value));
}
