// The timeline: what is drawn, a brush over it, a tip beneath the pointer, the keyboard, and the same as a table.
import type { Timeline } from '../api_types';
import { fit } from '../canvas';
import { add, button, fill, h, listen } from '../dom';
import type { Picture, Table } from '../export/seen';
import { timely } from '../metrics';
import { whose, type Part, type Scene } from '../scene';
import type { Time } from '../selection';
import { onTheme, theme } from '../theme';
import { bytesText, durationText, rateText, valueText } from '../units';
import { paintCompared } from './compared';
import { paintTimeline, planOf, siteColor, timeAt, xOf, type Plan } from './chart';
import { timelineRows, timelineTable } from './table';

const POINTS = 800,
  SITES = 7,
  EDGE = 7,
  CLICK = 4;

function lastOf(values: readonly (number | null)[]): number | null {
  return [...values].reverse().find((value) => value !== null) ?? null;
}

export class TimelinePart implements Part {
  readonly element = h('section', { class: 'timeline card', 'aria-label': 'Timeline' });
  private readonly lanes = h('canvas', { class: 'lanes' });
  private readonly over = h('canvas', {
    class: 'over',
    tabindex: 0,
    role: 'application',
    'aria-label':
      'Timeline. Left and right move the cursor, with shift they select a range, Enter selects an instant, Escape clears.',
  });
  private readonly tip = h('div', { class: 'tip', hidden: true });
  private readonly legend = h('div', { class: 'legend' });
  private readonly table = h('details', { class: 'as-table' }, h('summary', {}, 'As a table'));
  private readonly frame = h('div', { class: 'chart' }, this.lanes, this.over, this.tip);
  private data: Timeline | null = null;
  private plan: Plan | null = null;
  private scene: Scene | null = null;
  private cursor: number | null = null; // ns
  private anchor: number | null = null; // ns: where a brush began
  private draft: Time | null = null; // while the pointer is down
  private isOther = false; // what is drawn is the time to compare with

  constructor() {
    add(this.element, this.frame, this.legend, this.table);
    listen(this.over, {
      pointerdown: (event) => this.press(event),
      pointermove: (event) => this.move(event),
      pointerup: (event) => this.release(event),
      pointercancel: () => this.drop(),
      pointerleave: () => this.leave(),
      keydown: (event) => this.type(event),
      blur: () => this.leave(),
      dblclick: () => this.scene?.change({ time: null }),
    });
    this.table.addEventListener('toggle', () => this.fillTable());
    new ResizeObserver(() => this.paint()).observe(this.frame);
    onTheme(() => this.paint());
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    this.paintOver();
    const data = await scene.source.get<Timeline>('api/timeline', {
      ...whose(scene),
      metric: timely(scene.metric),
      points: POINTS,
      top: SITES,
    });
    if (this.scene !== scene) return;
    this.data = data;
    this.fillLegend();
    this.fillTable();
    this.paint();
  }

  private paint(): void {
    const width = this.frame.clientWidth;
    if (!this.data || width < 10) return;
    this.plan = planOf(this.data, width);
    this.frame.style.height = `${this.plan.height}px`;
    paintTimeline(fit(this.lanes, width, this.plan.height), this.data, this.plan, theme());
    this.paintOver();
  }

  asPicture(): Picture | null {
    const { data, plan } = this;
    return (
      data &&
      plan && {
        width: plan.width,
        height: plan.height,
        paint: (pen) => paintTimeline(pen, data, plan, theme()),
      }
    );
  }

  asTable(): Table | null {
    return this.data && timelineRows(this.data);
  }

  private paintOver(): void {
    const { data, plan } = this;
    if (!data || !plan) return;
    const pen = fit(this.over, plan.width, plan.height);
    const colors = theme();
    const selected = this.scene?.selection;
    const time = (this.isOther ? null : this.draft) ?? selected?.time ?? null;
    const other = (this.isOther ? this.draft : null) ?? selected?.besides ?? null;
    if (time) {
      const to = xOf(data, plan, time.to),
        from = time.from === null ? to : xOf(data, plan, time.from);
      if (time.from !== null) {
        pen.fillStyle = colors.surface;
        pen.globalAlpha = 0.62;
        pen.fillRect(0, 0, from, plan.axis);
        pen.fillRect(to, 0, plan.width - to, plan.axis);
        pen.globalAlpha = 0.09;
        pen.fillStyle = colors.accent;
        pen.fillRect(from, 0, to - from, plan.axis);
        pen.globalAlpha = 1;
      }
      pen.fillStyle = colors.accent;
      for (const x of [from, to]) {
        pen.fillRect(Math.min(plan.width - 2, Math.max(0, x - 1)), 0, 2, plan.axis);
        pen.fillRect(Math.min(plan.width - 6, Math.max(0, x - 3)), plan.axis / 2 - 11, 6, 22);
      }
    }
    if (other && (this.isOther || selected?.view === 'diff')) paintCompared(pen, data, plan, other, colors);
    if (this.cursor !== null && !this.draft) {
      pen.strokeStyle = colors.soft;
      pen.setLineDash([3, 3]);
      pen.beginPath();
      const x = Math.round(xOf(data, plan, this.cursor)) + 0.5;
      pen.moveTo(x, 0);
      pen.lineTo(x, plan.axis);
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  private nsAt(event: PointerEvent): number {
    if (!this.data || !this.plan) return 0;
    return timeAt(this.data, this.plan, event.clientX - this.over.getBoundingClientRect().left);
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0 || !this.data || !this.plan) return;
    this.over.setPointerCapture(event.pointerId);
    const ns = this.nsAt(event),
      time = this.scene?.selection.time;
    this.anchor = ns;
    this.isOther = event.altKey || event.shiftKey;
    if (time && time.from !== null && !this.isOther) {
      // near an edge: that one is moved
      const x = xOf(this.data, this.plan, ns);
      if (Math.abs(x - xOf(this.data, this.plan, time.from)) < EDGE) this.anchor = time.to;
      else if (Math.abs(x - xOf(this.data, this.plan, time.to)) < EDGE) this.anchor = time.from;
    }
    this.hideTip();
  }

  private move(event: PointerEvent): void {
    if (!this.data || !this.plan) return;
    const ns = this.nsAt(event);
    if (this.anchor === null) {
      this.cursor = ns;
      this.showTip(ns);
    } else if (Math.abs(xOf(this.data, this.plan, ns) - xOf(this.data, this.plan, this.anchor)) >= CLICK) {
      this.draft = { from: Math.min(ns, this.anchor), to: Math.max(ns, this.anchor) };
    }
    this.paintOver();
  }

  private release(event: PointerEvent): void {
    if (this.anchor === null) return;
    const time = this.draft ?? { from: null, to: this.nsAt(event) };
    const { isOther } = this;
    this.drop();
    if (isOther) this.compare(time);
    else this.choose(time);
  }

  private drop(): void {
    this.anchor = null;
    this.draft = null;
    this.isOther = false;
    this.paintOver();
  }

  private leave(): void {
    if (this.anchor !== null) return;
    this.cursor = null;
    this.hideTip();
    this.paintOver();
  }

  private compare(time: Time): void {
    const scene = this.scene;
    scene?.change({ view: 'diff', besides: time, metric: timely(scene.metric), swap: false, zoom: '' });
  }

  /** What is known at one instant only cannot be asked at another: the same thing at any time can. */
  private choose(time: Time | null): void {
    const scene = this.scene;
    if (!scene) return;
    scene.change(
      time
        ? { time, metric: timely(scene.metric), beside: scene.selection.beside.map(timely), zoom: '' }
        : { time },
    );
  }

  private type(event: KeyboardEvent): void {
    const { data, scene } = this;
    if (!data || !scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const step =
      (data.to_ns - data.from_ns) / (event.key === 'PageUp' || event.key === 'PageDown' ? 10 : 100);
    const time = scene.selection.time;
    const from = this.cursor ?? time?.to ?? data.from_ns;
    const go = (ns: number): void => {
      const next = Math.round(Math.min(data.to_ns, Math.max(data.from_ns, ns)));
      if (event.shiftKey) {
        const anchor = time && time.from !== null ? (from === time.to ? time.from : time.to) : from;
        this.choose({ from: Math.min(anchor, next), to: Math.max(anchor, next) });
      }
      this.cursor = next;
      this.showTip(next);
      this.paintOver();
    };
    if (event.key === 'ArrowLeft' || event.key === 'PageUp') go(from - step);
    else if (event.key === 'ArrowRight' || event.key === 'PageDown') go(from + step);
    else if (event.key === 'Home') go(data.from_ns);
    else if (event.key === 'End') go(data.to_ns);
    else if (event.key === 'Enter') this.choose({ from: null, to: Math.round(from) });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private hideTip(): void {
    this.tip.hidden = true;
  }

  private showTip(ns: number): void {
    const { data, plan } = this;
    if (!data || !plan) return;
    const { end_ns: ends, begin_ns: begins, rss, heap_live: live, allocated } = data.columns;
    let column = ends.findIndex((end) => end >= ns);
    if (column < 0) column = ends.length - 1;
    const line = (color: string | null, name: string, text: string): HTMLElement => {
      const dot = h('i', { class: 'dot' });
      if (color) dot.style.background = color;
      return h('div', { class: 'tip-line' }, color ? dot : null, h('span', {}, name), h('b', {}, text));
    };
    const colors = theme();
    const seconds = ((ends[column] ?? 0) - (begins[column] ?? 0)) / 1e9;
    let instant = data.instants_ns.findIndex((time) => time >= ns);
    if (instant < 0) instant = data.instants_ns.length - 1;
    const resident = rss[column],
      heap = live[column];
    fill(
      this.tip,
      h('div', { class: 'tip-head' }, durationText(ns)),
      resident !== null && resident !== undefined ? line(colors.rss, 'Resident', bytesText(resident)) : null,
      heap !== null && heap !== undefined ? line(colors.heap, 'Live heap', bytesText(heap)) : null,
      plan.rate && seconds > 0
        ? line(colors.rate, 'Allocating', rateText((allocated[column] ?? 0) / seconds, 'bytes'))
        : null,
      ...data.sites
        .map((site, i) => ({ site, i, value: site.values[instant] ?? 0 }))
        .filter((one) => one.value > 0)
        .sort((a, b) => b.value - a.value)
        .slice(0, 6)
        .map(({ site, i, value }) =>
          line(
            siteColor(colors, i, site.function === null),
            site.function ?? 'all others',
            data.is_rate ? rateText(value, data.unit) : valueText(value, data.unit),
          ),
        ),
    );
    this.tip.hidden = false;
    const x = xOf(data, plan, ns),
      width = this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(plan.width - width, x + (x + width + 16 > plan.width ? -width - 12 : 12)))}px`;
  }

  private fillLegend(): void {
    const data = this.data,
      colors = theme();
    if (!data) return;
    const entry = (variable: string, name: string, value: number | null): HTMLElement | null =>
      value === null
        ? null
        : h(
            'span',
            { class: `key ${variable}` },
            h('i', { class: 'dot' }),
            name,
            h('b', { 'data-value': value }, ` ${bytesText(value)}`),
          );
    fill(
      this.legend,
      entry('key-rss', 'Resident', lastOf(data.columns.rss)),
      entry('key-heap', 'Live heap', lastOf(data.columns.heap_live)),
      ...data.sites.map((site, i) => {
        const dot = h('i', { class: 'dot' });
        dot.style.background = siteColor(colors, i, site.function === null);
        const name = site.function;
        if (name === null) return h('span', { class: 'key' }, dot, 'all others');
        const key = button(
          '',
          () => this.scene?.change({ find: this.scene.selection.find === name ? '' : name }),
          { class: 'key mono', title: `Find ${name} in the views below` },
        );
        add(key, dot, name);
        return key;
      }),
    );
  }

  private fillTable(): void {
    if (!this.data || !this.table.open) return;
    this.table.querySelector('.scroll')?.remove();
    this.table.append(timelineTable(this.data));
  }
}
