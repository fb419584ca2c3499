// Each node over time, one below the other on one axis: a brush selects time for all views, arrows choose a node.
import { fit, paintTicks, SANS, timeTicks } from '../../canvas';
import { add, h, listen } from '../../dom';
import type { Pen, Picture } from '../../export/seen';
import type { Time } from '../../selection';
import { onTheme, theme } from '../../theme';
import { bytesText, durationText } from '../../units';
import type { Line } from './rows';
import { paintCurve, spanOf, xIn, type Place, type Span } from './spark';

const LANE = 46,
  HEAD = 15,
  AXIS = 22,
  CLICK = 4;

export interface LanesOptions {
  choose(time: Time | null): void;
  open(line: Line): void;
  isOwnScale?: true; // each lane has its own; else all have one
  lost?: string; // after the name of one that is not there any more; ' (down)'
  timeText?(ns: number): string;
  valueText?(line: Line, value: number): string;
}

export class Lanes {
  private readonly canvas = h('canvas', {
    class: 'node-lanes',
    tabindex: 0,
    role: 'application',
    'aria-label':
      'Each node over time. Up and down choose a node, Enter opens it, left and right move the cursor, with shift they select a range. The numbers are in the table above.',
  });
  private readonly height = h('div', { class: 'node-lanes-height' }, this.canvas);
  private readonly tip = h('div', { class: 'hint node-lanes-tip', 'aria-live': 'polite' });
  private readonly scroller = h('div', { class: 'node-lanes-scroller' }, this.height);
  readonly element = h('div', { class: 'node-lanes-frame' }, this.scroller, this.tip);
  private lines: readonly Line[] = [];
  private span: Span = { from: 0, to: 1, top: 1 };
  private color = '';
  private time: Time | null = null;
  private draft: Time | null = null;
  private anchor: number | null = null;
  private cursor: number | null = null;
  private chosen = 0;

  constructor(private readonly options: LanesOptions) {
    add(this.element);
    listen(this.canvas, {
      pointerdown: (event) => this.press(event),
      pointermove: (event) => this.move(event),
      pointerup: (event) => this.release(event),
      pointercancel: () => this.drop(),
      pointerleave: () => this.leave(),
      dblclick: () => this.options.choose(null),
      keydown: (event) => this.type(event),
    });
    listen(this.scroller, { scroll: () => this.paint() });
    new ResizeObserver(() => this.paint()).observe(this.scroller);
    onTheme(() => this.paint());
  }

  show(lines: readonly Line[], until: number, color: string, time: Time | null): void {
    this.lines = lines.filter((line) => line.node !== null);
    this.span = spanOf(
      this.lines.map((line) => line.curve),
      until,
    );
    this.color = color;
    this.time = time;
    this.chosen = Math.max(0, Math.min(this.chosen, this.lines.length - 1));
    this.height.style.height = `${this.lines.length * LANE + AXIS}px`;
    this.paint();
  }

  asPicture(): Picture | null {
    const width = this.scroller.clientWidth,
      height = this.lines.length * LANE + AXIS;
    if (!this.lines.length || width < 10) return null;
    return { width, height, paint: (pen) => this.draw(pen, width, 0, height) };
  }

  private spanFor(line: Line): Span {
    return this.options.isOwnScale ? { ...this.span, top: spanOf([line.curve], 0).top } : this.span;
  }

  private valueText(line: Line, value: number): string {
    return this.options.valueText?.(line, value) ?? bytesText(value);
  }

  private timeText(ns: number): string {
    return this.options.timeText?.(ns) ?? (ns === 0 ? '0 s' : durationText(ns));
  }

  private place(width: number, index: number, top: number): Place {
    return { x: 0, y: index * LANE - top + HEAD, width, height: LANE - HEAD };
  }

  /** What is in sight from `top` on, and the axis at the lower edge. */
  private draw(pen: Pen, width: number, top: number, height: number): void {
    const colors = theme(),
      last = Math.min(this.lines.length, Math.ceil((top + height) / LANE));
    for (let i = Math.max(0, Math.floor(top / LANE)); i < last; i++) {
      const line = this.lines[i]!,
        place = this.place(width, i, top),
        value = line.numbers.get('last');
      if (i === this.chosen && document.activeElement === this.canvas) {
        pen.fillStyle = colors.accent;
        pen.globalAlpha = 0.07;
        pen.fillRect(0, place.y - HEAD, width, LANE);
        pen.globalAlpha = 1;
      }
      paintCurve(pen, line.curve, place, this.spanFor(line), {
        theme: colors,
        color: this.color,
        time: this.draft ?? this.time,
        isFilled: true,
      });
      pen.fillStyle = colors.line;
      pen.fillRect(0, place.y + place.height - 1, width, 1);
      pen.font = `600 11px ${SANS}`;
      pen.textBaseline = 'alphabetic';
      pen.textAlign = 'left';
      pen.fillStyle = line.node?.up ? colors.soft : colors.hit;
      pen.fillText(`${line.name}${line.node?.up ? '' : (this.options.lost ?? ' (down)')}`, 2, place.y - 3);
      pen.textAlign = 'right';
      pen.font = `11px ${SANS}`;
      pen.fillStyle = colors.soft;
      pen.fillText(value === undefined ? '–' : this.valueText(line, value), width - 2, place.y - 3);
    }
    this.drawAxis(pen, width, height);
  }

  private drawAxis(pen: Pen, width: number, height: number): void {
    const colors = theme(),
      all: Place = { x: 0, y: 0, width, height };
    pen.fillStyle = colors.surface;
    pen.fillRect(0, height - AXIS, width, AXIS);
    pen.font = `10.5px ${SANS}`;
    pen.fillStyle = colors.faint;
    const ticks = timeTicks(this.span.from, this.span.to, Math.max(2, width / 110));
    const words = ticks.map((tick) => ({ x: xIn(all, this.span, tick), text: this.timeText(tick) }));
    paintTicks(pen, words, width, height - 7);
    if (this.cursor === null) return;
    pen.strokeStyle = colors.soft;
    pen.lineWidth = 1;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    const x = Math.round(xIn(all, this.span, this.cursor)) + 0.5;
    pen.moveTo(x, 0);
    pen.lineTo(x, height - AXIS);
    pen.stroke();
    pen.setLineDash([]);
  }

  private paint(): void {
    const width = this.scroller.clientWidth,
      height = this.scroller.clientHeight;
    if (width < 10 || height < 10) return;
    this.draw(fit(this.canvas, width, height), width, this.scroller.scrollTop, height);
  }

  private nsAt(event: PointerEvent): number {
    const width = this.scroller.clientWidth,
      x = event.clientX - this.canvas.getBoundingClientRect().left;
    const share = Math.min(1, Math.max(0, x / Math.max(1, width)));
    return Math.max(0, Math.round(this.span.from + share * (this.span.to - this.span.from)));
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.anchor = this.nsAt(event);
  }

  private move(event: PointerEvent): void {
    const ns = this.nsAt(event);
    const y = event.clientY - this.canvas.getBoundingClientRect().top + this.scroller.scrollTop;
    const least = ((this.span.to - this.span.from) * CLICK) / Math.max(1, this.scroller.clientWidth);
    if (this.anchor === null) {
      this.cursor = ns;
      this.tell(Math.min(this.lines.length - 1, Math.floor(y / LANE)), ns);
    } else if (Math.abs(ns - this.anchor) >= least)
      this.draft = { from: Math.min(ns, this.anchor), to: Math.max(ns, this.anchor) };
    this.paint();
  }

  private release(event: PointerEvent): void {
    if (this.anchor === null) return;
    const time = this.draft ?? { from: null, to: this.nsAt(event) };
    this.drop();
    this.options.choose(time);
  }

  private drop(): void {
    this.anchor = null;
    this.draft = null;
    this.paint();
  }

  private leave(): void {
    if (this.anchor !== null) return;
    this.cursor = null;
    this.tip.textContent = '';
    this.paint();
  }

  private tell(index: number, ns: number): void {
    const line = this.lines[index];
    if (!line) return;
    let at = line.curve.times.findIndex((time) => time >= ns);
    if (at < 0) at = line.curve.times.length - 1;
    const value = line.curve.values[at] ?? null;
    this.tip.textContent = `${line.name} at ${this.timeText(Math.max(0, line.curve.times[at] ?? ns))}: ${value === null ? 'a gap' : this.valueText(line, value)}`;
  }

  private type(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (this.span.to - this.span.from) / 100,
      from = this.cursor ?? this.time?.to ?? 0;
    const go = (ns: number): void => {
      const next = Math.round(Math.min(this.span.to, Math.max(0, ns))),
        time = this.time;
      const anchor = time && time.from !== null ? (from === time.to ? time.from : time.to) : from;
      this.cursor = next;
      this.tell(this.chosen, next);
      if (event.shiftKey && anchor !== next) {
        this.time = { from: Math.min(anchor, next), to: Math.max(anchor, next) }; // the next key may come before the answer
        this.options.choose(this.time);
      }
      this.paint();
    };
    const walk = (to: number): void => {
      this.chosen = Math.max(0, Math.min(this.lines.length - 1, to));
      const y = this.chosen * LANE,
        room = this.scroller.clientHeight - LANE - AXIS;
      if (y < this.scroller.scrollTop) this.scroller.scrollTop = y;
      else if (y > this.scroller.scrollTop + room) this.scroller.scrollTop = y - room;
      this.tell(this.chosen, this.cursor ?? this.span.to);
      this.paint();
    };
    const line = this.lines[this.chosen];
    if (event.key === 'ArrowLeft') go(from - step);
    else if (event.key === 'ArrowRight') go(from + step);
    else if (event.key === 'ArrowUp') walk(this.chosen - 1);
    else if (event.key === 'ArrowDown') walk(this.chosen + 1);
    else if (event.key === 'Enter' && line) this.options.open(line);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
