// Where things are in a chart over time: lanes beneath each other, one axis for all.
import { SANS, ticks } from '../canvas';
import type { Pen } from '../export/seen';
import type { Theme } from '../theme';

export interface Lane {
  id: string;
  title: string;
  top: number;
  height: number;
}

/** The stretch of time that is seen, and how wide. */
export interface Span {
  from: number; // ns
  to: number;
  width: number; // px
  gutter: number; // px to the right of it, for numbers; 0: they stand inside
}

const GUTTER = 68,
  TICK = 4,
  NARROW = 560;

/** Numbers beside what they measure, where there is room. */
export function spanIn(room: number, from: number, to: number): Span {
  const gutter = room < NARROW ? 0 : GUTTER;
  return { from, to, width: room - gutter, gutter };
}

export function isNarrow(span: Span): boolean {
  return span.gutter === 0;
}

export function xOf(span: Span, ns: number): number {
  return ((ns - span.from) / Math.max(1, span.to - span.from)) * span.width;
}

export function timeAt(span: Span, x: number): number {
  const share = Math.min(1, Math.max(0, x / span.width));
  return Math.round(span.from + share * (span.to - span.from));
}

export interface Scale {
  lane: Lane;
  top: number; // the value at the upper edge
  bottom?: number; // at the lower one, if it is not 0
}

export function yOf(scale: Scale, value: number): number {
  const bottom = scale.bottom ?? 0;
  return scale.lane.top + scale.lane.height * (1 - Math.max(0, value - bottom) / (scale.top - bottom));
}

export function most(values: readonly (number | null)[]): number {
  let largest = 0;
  for (const value of values) if (value !== null && value > largest) largest = value;
  return largest;
}

function ticksOf(scale: Scale, isBytes: boolean): number[] {
  return ticks(scale.top, scale.lane.height < 60 ? 1.6 : 4, isBytes);
}

export function paintTitle(pen: Pen, lane: Lane, theme: Theme): void {
  pen.font = `600 11px ${SANS}`;
  pen.textBaseline = 'alphabetic';
  pen.textAlign = 'left';
  pen.fillStyle = theme.soft;
  pen.fillText(lane.title, 0, lane.top - 5);
}

export function paintRule(pen: Pen, span: Span, at: number, theme: Theme): void {
  const y = Math.round(at) + 0.5;
  pen.lineWidth = 1;
  pen.strokeStyle = theme.line;
  pen.beginPath();
  pen.moveTo(0, y);
  pen.lineTo(span.width + (span.gutter ? TICK : 0), y);
  pen.stroke();
}

/** The title, and lines at round numbers. */
export function paintScale(pen: Pen, span: Span, scale: Scale, theme: Theme, isBytes: boolean): void {
  paintTitle(pen, scale.lane, theme);
  for (const tick of ticksOf(scale, isBytes)) paintRule(pen, span, yOf(scale, tick), theme);
}

/** In the gutter; without one over what is painted, as the largest values are often at the right. */
export function paintNumber(pen: Pen, span: Span, at: number, theme: Theme, text: string): void {
  pen.font = `10.5px ${SANS}`;
  pen.textAlign = span.gutter ? 'left' : 'right';
  pen.textBaseline = 'alphabetic';
  const x = span.gutter ? span.width + TICK + 4 : span.width - 3,
    y = Math.round(at) + (span.gutter ? 4 : -3); // beside its line, or upon it
  if (!span.gutter) {
    pen.lineJoin = 'round';
    pen.lineWidth = 4;
    pen.strokeStyle = theme.surface;
    pen.globalAlpha = 0.9;
    pen.strokeText(text, x, y);
    pen.globalAlpha = 1;
  }
  pen.fillStyle = span.gutter ? theme.soft : theme.text;
  pen.fillText(text, x, y);
}

export function paintNumbers(
  pen: Pen,
  span: Span,
  scale: Scale,
  theme: Theme,
  isBytes: boolean,
  text: (value: number) => string,
): void {
  const all = ticksOf(scale, isBytes);
  for (const tick of scale.lane.height < 60 ? all.slice(-1) : all)
    if (tick !== 0) paintNumber(pen, span, yOf(scale, tick), theme, text(tick));
}

/** Lines and areas break where nothing was measured. */
export function trace(
  pen: Pen,
  xs: readonly number[],
  ys: readonly (number | null)[],
  floor: number | null,
): void {
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
