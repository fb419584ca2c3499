// A canvas as sharp as the screen.
import type { Pen } from './export/seen';

export const MONO = 'ui-monospace, "SFMono-Regular", "DejaVu Sans Mono", Menlo, Consolas, monospace';
export const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

const DAY = 86400, // seconds
  APART = 8; // px between words

export function fit(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  const wide = Math.max(1, Math.round(width * ratio)),
    high = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error('This browser has no canvas.');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/** Round numbers between 0 and `most`, in steps that people like: powers of two for bytes, of ten for others. */
export function ticks(most: number, wanted: number, isBytes: boolean): number[] {
  if (!(most > 0)) return [0];
  const base = isBytes ? 2 ** (10 * Math.floor(Math.log2(Math.max(most, 1)) / 10)) : 1;
  const raw = most / base / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const nice = [0.5, 1, 2, 5, 10].map((n) => n * power);
  const place = nice.findIndex((n) => n >= raw);
  const step = base * ((nice[place]! * base < most * 0.92 ? nice[place] : nice[place - 1]) ?? raw);
  const all: number[] = [];
  for (let tick = 0; tick <= most * 1.0001; tick += step) all.push(tick);
  return all;
}

/** The same for a stretch of time, in ns. */
export function timeTicks(from: number, to: number, wanted: number): number[] {
  const steps = [
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    21600,
    43200,
    DAY,
    2 * DAY,
    4 * DAY,
  ];
  const seconds = (to - from) / 1e9 / wanted;
  const small = 10 ** Math.floor(Math.log10(Math.max(seconds, 1e-9)));
  const step =
    1e9 *
    (seconds < 1
      ? ([1, 2, 5, 10].find((n) => n * small >= seconds) ?? 10) * small
      : (steps.find((n) => n >= seconds) ?? 7 * DAY * Math.ceil(seconds / 7 / DAY)));
  const all: number[] = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) all.push(tick);
  return all;
}

/** Words under an axis: each beneath its place but within the drawing, and none where the one before still stands. */
export function paintTicks(
  pen: Pen,
  words: readonly { x: number; text: string }[],
  width: number,
  y: number,
): void {
  let free = 0;
  pen.textAlign = 'left';
  for (const { x, text } of words) {
    const wide = pen.measureText(text).width,
      left = Math.max(0, Math.min(width - wide, x - wide / 2));
    if (left < free) continue;
    pen.fillText(text, left, y);
    free = left + wide + APART;
  }
}
