// The owners over time, stacked: a step at each look at the pages.  A brush selects time, as on the timeline.
import type { OwnersOverTime } from '../../api_types';
import { fit, paintTicks, SANS, ticks, timeTicks } from '../../canvas';
import { add, fill, h, listen } from '../../dom';
import type { Time } from '../../selection';
import { onTheme, theme, type Theme } from '../../theme';
import { bytesText, durationText } from '../../units';
import { aboutOwner, ownerColor } from './owners';

const HEIGHT = 128,
  AXIS = 20,
  CLICK = 4;

export class OwnersChart {
  readonly element = h('div', { class: 'owners-chart' });
  private readonly areas = h('canvas', {});
  private readonly over = h('canvas', {
    class: 'over',
    tabindex: 0,
    role: 'application',
    'aria-label':
      'Owners over time. Left and right go from snapshot to snapshot, Enter selects its time, with shift they select a range, Escape clears.',
  });
  private readonly tip = h('div', { class: 'tip', hidden: true });
  private data: OwnersOverTime = { time_ns: [], heap_live: [], owners: [] };
  private most = 1;
  private end = 1; // ns
  private time: Time | null = null;
  private cursor = -1; // place of a look
  private anchor: number | null = null; // ns
  private draft: Time | null = null;

  constructor(private readonly choose: (time: Time | null) => void) {
    add(this.element, this.areas, this.over, this.tip);
    listen(this.over, {
      pointerdown: (event) => this.press(event),
      pointermove: (event) => this.move(event),
      pointerup: (event) => this.release(event),
      pointercancel: () => this.drop(),
      pointerleave: () => this.leave(),
      blur: () => this.leave(),
      keydown: (event) => this.type(event),
      dblclick: () => this.choose(null),
    });
    new ResizeObserver(() => this.paint()).observe(this.element);
    onTheme(() => this.paint());
  }

  set(data: OwnersOverTime, end: number, time: Time | null): void {
    this.data = { ...data, owners: data.owners.filter((owner) => owner.values.some((value) => value > 0)) };
    this.most = data.time_ns.reduce((most, _, i) => Math.max(most, this.sum(i)), 1);
    this.end = Math.max(end, data.time_ns.at(-1) ?? 1, 1);
    this.time = time;
    this.cursor = Math.min(this.cursor, data.time_ns.length - 1);
    this.paint();
    if (this.cursor >= 0) this.point(this.cursor);
  }

  private sum(place: number): number {
    return this.data.owners.reduce((sum, owner) => sum + Math.max(0, owner.values[place] ?? 0), 0);
  }

  private x(ns: number): number {
    return (ns / this.end) * this.element.clientWidth;
  }

  private paint(): void {
    const width = this.element.clientWidth;
    if (width < 10) return;
    const pen = fit(this.areas, width, HEIGHT),
      colors = theme();
    this.paintAreas(pen, colors);
    this.paintAxes(pen, colors, width);
    this.paintOver();
  }

  private paintAreas(pen: CanvasRenderingContext2D, colors: Theme): void {
    const { time_ns: times, owners } = this.data,
      high = HEIGHT - AXIS;
    times.forEach((time, i) => {
      const from = Math.round(this.x(time)),
        to = Math.round(i + 1 < times.length ? this.x(times[i + 1] ?? time) : this.x(this.end));
      let y = high;
      for (const owner of owners) {
        const tall = (Math.max(0, owner.values[i] ?? 0) / this.most) * (high - 6);
        pen.fillStyle = ownerColor(colors, owner.metric);
        pen.fillRect(from, y - tall, Math.max(1, to - from), tall);
        y -= tall;
      }
    });
  }

  private paintAxes(pen: CanvasRenderingContext2D, colors: Theme, width: number): void {
    const high = HEIGHT - AXIS;
    pen.font = `11px ${SANS}`;
    pen.textBaseline = 'middle';
    pen.lineWidth = 1;
    for (const tick of ticks(this.most, 3, true).slice(1)) {
      const y = Math.round(high - (tick / this.most) * (high - 6)) + 0.5;
      const text = bytesText(tick);
      pen.strokeStyle = colors.line;
      pen.globalAlpha = 0.7;
      pen.beginPath();
      pen.moveTo(0, y);
      pen.lineTo(width, y);
      pen.stroke();
      pen.globalAlpha = 0.82;
      pen.fillStyle = colors.surface;
      pen.fillRect(2, y - 8, pen.measureText(text).width + 8, 16);
      pen.globalAlpha = 1;
      pen.fillStyle = colors.soft;
      pen.fillText(text, 6, y);
    }
    pen.fillStyle = colors.faint;
    const times = timeTicks(0, this.end, Math.max(2, width / 110));
    const words = times.map((tick) => ({ x: this.x(tick), text: tick === 0 ? '0 s' : durationText(tick) }));
    paintTicks(pen, words, width, high + AXIS / 2 + 2);
  }

  private paintOver(): void {
    const width = this.element.clientWidth,
      pen = fit(this.over, width, HEIGHT),
      colors = theme(),
      time = this.draft ?? this.time,
      high = HEIGHT - AXIS;
    if (time) {
      const to = this.x(time.to),
        from = time.from === null ? to : this.x(time.from);
      pen.fillStyle = colors.surface;
      pen.globalAlpha = 0.55;
      if (time.from !== null) {
        pen.fillRect(0, 0, from, high);
        pen.fillRect(to, 0, width - to, high);
      }
      pen.globalAlpha = 1;
      pen.fillStyle = colors.accent;
      for (const x of [from, to]) pen.fillRect(Math.min(width - 2, Math.max(0, x - 1)), 0, 2, high);
    }
    if (this.cursor >= 0 && !this.draft) {
      pen.fillStyle = colors.text;
      pen.fillRect(Math.min(width - 1, this.x(this.data.time_ns[this.cursor] ?? 0)), 0, 1, high);
    }
  }

  private nsAt(event: PointerEvent): number {
    const share =
      (event.clientX - this.over.getBoundingClientRect().left) / Math.max(1, this.element.clientWidth);
    return Math.round(Math.min(1, Math.max(0, share)) * this.end);
  }

  private lookAt(ns: number): number {
    let place = this.data.time_ns.length - 1;
    while (place > 0 && (this.data.time_ns[place] ?? 0) > ns) place--;
    return place;
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.over.setPointerCapture(event.pointerId);
    this.anchor = this.nsAt(event);
    this.tip.hidden = true;
  }

  private move(event: PointerEvent): void {
    const ns = this.nsAt(event);
    if (this.anchor === null) this.point(this.lookAt(ns));
    else if (Math.abs(this.x(ns) - this.x(this.anchor)) >= CLICK) {
      this.draft = { from: Math.min(ns, this.anchor), to: Math.max(ns, this.anchor) };
      this.paintOver();
    }
  }

  private release(event: PointerEvent): void {
    if (this.anchor === null) return;
    const time = this.draft ?? { from: null, to: this.nsAt(event) };
    this.drop();
    this.choose(time);
  }

  private drop(): void {
    this.anchor = null;
    this.draft = null;
    this.paintOver();
  }

  private leave(): void {
    if (this.anchor !== null) return;
    this.cursor = -1;
    this.tip.hidden = true;
    this.paintOver();
  }

  private type(event: KeyboardEvent): void {
    const { time_ns: times } = this.data;
    if (event.ctrlKey || event.metaKey || event.altKey || !times.length) return;
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      PageUp: -10,
      PageDown: 10,
      Home: -times.length,
      End: times.length,
    };
    const step = steps[event.key];
    const now = this.cursor < 0 ? this.lookAt(this.time?.to ?? this.end) : this.cursor;
    if (step !== undefined) {
      const next = Math.min(times.length - 1, Math.max(0, now + step));
      if (event.shiftKey) {
        const anchor = this.time?.from ?? times[now] ?? 0,
          to = times[next] ?? 0;
        if (anchor !== to) this.choose({ from: Math.min(anchor, to), to: Math.max(anchor, to) });
      }
      this.point(next);
    } else if (event.key === 'Enter') this.choose({ from: null, to: times[now] ?? 0 });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private point(place: number): void {
    const { time_ns: times, owners, heap_live: live } = this.data;
    this.cursor = place;
    this.paintOver();
    if (place < 0) return;
    const line = (color: string, id: string, name: string, bytes: number): HTMLElement => {
      const dot = h('i', { class: 'dot' });
      dot.style.background = color;
      return h(
        'div',
        { class: 'tip-line' },
        dot,
        h('span', {}, name),
        h('b', { 'data-name': `look-${id}`, 'data-value': bytes }, bytesText(bytes)),
      );
    };
    const colors = theme();
    fill(
      this.tip,
      h('div', { class: 'tip-head' }, `Snapshot at ${durationText(times[place] ?? 0)}`),
      line(colors.rss, 'resident', 'Resident', this.sum(place)),
      (live[place] ?? 0) > 0 ? line(colors.heap, 'profile', 'Heap profile', live[place] ?? 0) : null,
      ...owners
        .filter((owner) => (owner.values[place] ?? 0) > 0)
        .map((owner) =>
          line(
            ownerColor(colors, owner.metric),
            owner.metric,
            aboutOwner(owner.metric, owner.metric).title,
            owner.values[place] ?? 0,
          ),
        ),
    );
    this.tip.hidden = false;
    const x = this.x(times[place] ?? 0),
      width = this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(this.element.clientWidth - width, x + (x + width + 16 > this.element.clientWidth ? -width - 12 : 12)))}px`;
  }
}
