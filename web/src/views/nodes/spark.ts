// A curve as small as a word: broken where nothing was measured, and a tick below where something is missing.
import type { Pen } from '../../export/seen';
import type { Time } from '../../selection';
import type { Theme } from '../../theme';
import type { Curve } from './rows';

export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Span {
  from: number; // ns
  to: number;
  top: number; // the value at the upper edge
  bottom?: number; // at the lower one; 0
}

export function spanOf(curves: readonly Curve[], until: number): Span {
  let from = Infinity,
    top = 0;
  for (const { times, values } of curves) {
    from = Math.min(from, times[0] ?? Infinity);
    for (const value of values) if (value !== null && value > top) top = value;
  }
  return { from: Math.min(from, 0), to: Math.max(until, 1), top: top || 1 };
}

/** From the least to the most, so that the shape is seen; what hardly changes stays flat. */
export function shapeOf(curve: Curve, until: number): Span {
  const span = spanOf([curve], until);
  const least = curve.values.reduce((all: number, value) => Math.min(all, value ?? all), span.top);
  const bottom = Math.max(0, Math.min(least - (span.top - least) / 8, span.top * 0.85));
  return { ...span, bottom };
}

export function xIn(place: Place, span: Span, ns: number): number {
  return place.x + ((ns - span.from) / Math.max(1, span.to - span.from)) * place.width;
}

function paintGaps(pen: Pen, curve: Curve, place: Place, span: Span, theme: Theme): void {
  const first = curve.values.findIndex((value) => value !== null);
  if (first < 0) return;
  pen.fillStyle = theme.hit;
  curve.values.forEach((value, i) => {
    if (value !== null || i < first) return;
    const x = xIn(place, span, curve.times[i] ?? 0);
    pen.fillRect(
      Math.min(place.x + place.width - 2, Math.max(place.x, x - 1)),
      place.y + place.height - 3,
      2,
      3,
    );
  });
}

/** The curve in its place; the time that is selected is shaded. */
export function paintCurve(
  pen: Pen,
  curve: Curve,
  place: Place,
  span: Span,
  look: { theme: Theme; color: string; time: Time | null; isFilled: boolean },
): void {
  const { theme, color, time, isFilled } = look;
  const bottom = span.bottom ?? 0;
  const y = (value: number): number =>
    place.y + 1 + (place.height - 5) * (1 - (value - bottom) / Math.max(1, span.top - bottom));
  if (time) {
    const to = xIn(place, span, time.to),
      from = time.from === null ? to - 1 : xIn(place, span, time.from);
    pen.fillStyle = theme.accent;
    pen.globalAlpha = 0.14;
    pen.fillRect(from, place.y, Math.max(1.5, to - from), place.height);
    pen.globalAlpha = 1;
  }
  pen.strokeStyle = pen.fillStyle = color;
  pen.lineWidth = 1.5;
  pen.lineJoin = 'round';
  for (let i = 0; i < curve.values.length; i++) {
    if ((curve.values[i] ?? null) === null) continue;
    let end = i;
    while ((curve.values[end + 1] ?? null) !== null) end++;
    const points = curve.values
      .slice(i, end + 1)
      .map((value, k): [number, number] => [xIn(place, span, curve.times[i + k] ?? 0), y(value ?? 0)]);
    const [first, last] = [points[0]!, points[points.length - 1]!];
    if (isFilled && points.length > 1) {
      pen.globalAlpha = 0.13;
      pen.beginPath();
      pen.moveTo(first[0], place.y + place.height - 4);
      for (const [x, at] of points) pen.lineTo(x, at);
      pen.lineTo(last[0], place.y + place.height - 4);
      pen.closePath();
      pen.fill();
      pen.globalAlpha = 1;
    }
    pen.beginPath();
    if (points.length === 1) {
      const x = Math.max(place.x + 2, Math.min(place.x + place.width - 2, first[0])); // whole
      pen.arc(x, first[1], 1.6, 0, 2 * Math.PI);
      pen.fill();
    } else {
      points.forEach(([x, at], k) => (k ? pen.lineTo(x, at) : pen.moveTo(x, at)));
      pen.stroke();
    }
    i = end;
  }
  paintGaps(pen, curve, place, span, theme);
}
