// Which stretch of the time is seen, and the whole of it beneath, small, with that stretch marked.
import type { Timeline } from '../api_types';
import { fit } from '../canvas';
import { h, listen } from '../dom';
import type { Theme } from '../theme';
import { most, trace, xOf, yOf, type Span } from './scale';

export interface Stretch {
  from: number; // ns
  to: number;
}

const LEAST_NS = 1e6,
  DEEPEST = 1e5, // times
  HEIGHT = 30;

/** Moved inside the whole; null when it is all of it. */
export function within(stretch: Stretch, whole: Stretch): Stretch | null {
  const all = whole.to - whole.from;
  const width = Math.min(all, Math.max(stretch.to - stretch.from, LEAST_NS, all / DEEPEST));
  if (width >= all * 0.999) return null;
  const from = Math.min(Math.max(stretch.from, whole.from), whole.to - width);
  return { from: Math.round(from), to: Math.round(from + width) };
}

/** What is at `about` stays where it is. */
export function zoomed(now: Stretch, whole: Stretch, factor: number, about: number): Stretch | null {
  const at = Math.min(Math.max(about, now.from), now.to);
  return within({ from: at - (at - now.from) / factor, to: at + (now.to - at) / factor }, whole);
}

export function moved(now: Stretch, whole: Stretch, by: number): Stretch | null {
  return within({ from: now.from + by, to: now.to + by }, whole);
}

/** Drag it to move the stretch, click beside it to bring it there. */
export class Overview {
  readonly element = h('div', {
    class: 'timeline-overview',
    hidden: true,
    title: 'The whole time: drag the window',
  });
  private readonly canvas = h('canvas', { 'aria-hidden': 'true' });
  private whole: Stretch = { from: 0, to: 1 };
  private now: Stretch = this.whole;
  private grip: number | null = null; // ns between the pointer and the beginning of the stretch

  constructor(private readonly look: (stretch: Stretch | null) => void) {
    this.element.append(this.canvas);
    listen(this.canvas, {
      pointerdown: (event) => {
        if (event.button !== 0) return;
        this.canvas.setPointerCapture(event.pointerId);
        const ns = this.nsAt(event),
          { from, to } = this.now;
        this.grip = ns >= from && ns <= to ? ns - from : (to - from) / 2;
        this.drag(event);
      },
      pointermove: (event) => this.drag(event),
      pointerup: () => (this.grip = null),
      pointercancel: () => (this.grip = null),
    });
  }

  private nsAt(event: PointerEvent): number {
    const place = this.canvas.getBoundingClientRect();
    const share = (event.clientX - place.left) / Math.max(1, place.width);
    return this.whole.from + share * (this.whole.to - this.whole.from);
  }

  private drag(event: PointerEvent): void {
    if (this.grip === null) return;
    const from = this.nsAt(event) - this.grip;
    this.look(within({ from, to: from + this.now.to - this.now.from }, this.whole));
  }

  paint(data: Timeline, now: Stretch | null, theme: Theme): void {
    this.element.hidden = now === null;
    const width = this.element.clientWidth;
    if (!now || width < 10) return;
    this.whole = { from: data.from_ns, to: data.to_ns };
    this.now = now;
    const span: Span = { ...this.whole, width, gutter: 0 };
    const { rss, heap_live: live, begin_ns: begins, end_ns: ends } = data.columns;
    const scale = {
      lane: { id: '', title: '', top: 2, height: HEIGHT - 4 },
      top: Math.max(most(rss), most(live), 1),
    };
    const xs = [xOf(span, begins[0] ?? 0), ...ends.map((ns) => xOf(span, ns))];
    const pen = fit(this.canvas, width, HEIGHT);
    for (const [values, color] of [
      [rss, theme.rss],
      [live, theme.heap],
    ] as const) {
      pen.fillStyle = color;
      pen.globalAlpha = 0.3;
      trace(
        pen,
        xs,
        [values[0] ?? null, ...values].map((value) => (value === null ? null : yOf(scale, value))),
        HEIGHT,
      );
      pen.fill();
    }
    const left = xOf(span, now.from),
      right = Math.max(left + 3, xOf(span, now.to));
    pen.globalAlpha = 0.6;
    pen.fillStyle = theme.surface;
    pen.fillRect(0, 0, left, HEIGHT);
    pen.fillRect(right, 0, width - right, HEIGHT);
    pen.globalAlpha = 1;
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 1.5;
    pen.strokeRect(left + 0.75, 0.75, right - left - 1.5, HEIGHT - 1.5);
  }
}
