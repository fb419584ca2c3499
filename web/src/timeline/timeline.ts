// The timeline: lanes with a brush over them, a tip beneath the pointer, zoom, the keyboard, and the same as a table.
import type { Timeline } from '../api_types';
import { fit } from '../canvas';
import type { Parameters } from '../client';
import { add, button, fill, h, listen } from '../dom';
import type { Picture, Table } from '../export/seen';
import { rangeText } from '../fields';
import { literally } from '../finder';
import { timely } from '../metrics';
import { whose, type Part, type Scene } from '../scene';
import type { Time } from '../selection';
import { onTheme, theme } from '../theme';
import { fillLegend, LaneMenu } from './bar';
import { paintTimeline, planOf, type Picked, type Plan } from './chart';
import { paintCompared } from './compared';
import { lanesOf, type LaneAbout } from './lanes';
import { spanIn, timeAt, xOf, type Span } from './scale';
import { paintCursor, paintSelected } from './selected';
import { timelineRows, timelineTable } from './table';
import { tipLines } from './tip';
import { moved, Overview, zoomed, type Stretch } from './zoom';

const LARGE = 16 << 20; // bytes of a file
const POINTS = 800,
  SITES = 7,
  EDGE = 7,
  CLICK = 4,
  STEP = 1.6, // of a zoom by key
  SETTLE_MS = 180,
  NAME_MOST = 120;

export class TimelinePart implements Part {
  readonly element = h('section', { class: 'timeline card', 'aria-label': 'Timeline' });
  private readonly lanes = h('canvas', { class: 'lanes' });
  private readonly over = h('canvas', {
    class: 'over',
    tabindex: 0,
    role: 'application',
    'aria-label':
      'Timeline. Left and right move the cursor, with shift they select a range, Enter selects an instant, plus and minus zoom, 0 shows all, Escape clears.',
  });
  private readonly tip = h('div', { class: 'tip', hidden: true, 'aria-live': 'polite' });
  private readonly legend = h('div', { class: 'legend' });
  private readonly menu = new LaneMenu();
  private readonly closeness = h('span', { class: 'switch', role: 'group', 'aria-label': 'Zoom' });
  private readonly table = h('details', { class: 'as-table' }, h('summary', {}, 'As a table'));
  private readonly frame = h('div', { class: 'chart' }, this.lanes, this.over, this.tip);
  private readonly overview = new Overview((stretch) => this.look(stretch));
  private whole: Timeline | null = null;
  private of = ''; // which target that is
  private close: Timeline | null = null; // of the stretch that is seen
  private about: LaneAbout[] = [];
  private picked: Picked | null = null;
  private plan: Plan | null = null;
  private scene: Scene | null = null;
  private stretch: Stretch | null = null; // null: all of it
  private settling = 0;
  private cursor: number | null = null; // ns
  private anchor: number | null = null; // ns: where a brush began
  private grip: number | null = null; // px: where the axis was taken
  private draft: Time | null = null; // while the pointer is down
  private isOther = false; // what is drawn is the time to compare with

  constructor() {
    add(
      this.element,
      this.frame,
      this.overview.element,
      h('div', { class: 'timeline-bar' }, this.legend, this.closeness, this.menu.element),
      this.table,
    );
    fill(
      this.closeness,
      button('−', () => this.zoom(1 / STEP), { 'aria-label': 'Zoom out', title: 'Zoom out (−)' }),
      button('+', () => this.zoom(STEP), { 'aria-label': 'Zoom in', title: 'Zoom in (+, Ctrl + wheel)' }),
      button('All', () => this.look(null), { title: 'The whole time (0)' }),
    );
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
    this.over.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.table.addEventListener('toggle', () => this.fillTable());
    new ResizeObserver(() => this.paint()).observe(this.frame);
    onTheme(() => this.paint());
  }

  /** What is known of the stretch that is seen, as closely as it is. */
  private get data(): Timeline | null {
    const { whole, close, stretch } = this;
    return stretch && close && close.from_ns <= stretch.from && close.to_ns >= stretch.to ? close : whole;
  }

  async show(scene: Scene): Promise<void> {
    const { stretch, filter, focus, picked: chosen } = scene.selection;
    this.scene = scene;
    this.stretch = stretch && stretch.from !== null ? { from: stretch.from, to: stretch.to } : null;
    this.paintOver();
    const question = { ...whose(scene), metric: timely(scene.metric), points: POINTS };
    const between = rangeText(this.stretch);
    const wanted = chosen || focus,
      name = wanted.length <= NAME_MOST ? wanted : '';
    if (this.of !== scene.target.id && (scene.target.bytes ?? 0) > LARGE)
      await this.sketch(scene, { ...question, 'only-gauges': 'true' });
    const [whole, close, picked] = await Promise.all([
      scene.source.get<Timeline>('api/timeline', { ...question, top: SITES, filter }),
      between
        ? scene.source
            .get<Timeline>('api/timeline', { ...question, top: SITES, filter, between })
            .catch(() => null) // all of it is coarser, and there
        : null,
      name
        ? scene.source
            .get<Timeline>('api/timeline', { ...question, top: 1, filter: `^${literally(name)}$`, between })
            .catch(() => null)
        : null,
    ]);
    if (this.scene !== scene) return;
    this.of = scene.target.id;
    this.whole = whole;
    this.close = close;
    this.picked = picked && picked.sites.length ? { name, data: picked } : null;
    fillLegend(this.legend, scene, whole);
    this.fillTable();
    this.paint();
    this.menu.show(scene, this.about);
  }

  /** What costs a moment only; the rest of a large recording may take seconds. */
  private async sketch(scene: Scene, question: Parameters): Promise<void> {
    const gauges = await scene.source.get<Timeline>('api/timeline', question);
    if (this.scene !== scene) return;
    this.whole = gauges;
    this.paint();
  }

  private span(room: number): Span {
    const { whole, stretch } = this;
    return spanIn(room, stretch?.from ?? whole!.from_ns, stretch?.to ?? whole!.to_ns);
  }

  private paint(): void {
    const { data } = this,
      width = this.frame.clientWidth;
    if (!data || width < 10) return;
    this.about = lanesOf(data);
    this.plan = planOf(data, this.about, this.scene?.selection.tracks ?? [], this.span(width));
    this.frame.style.height = `${this.plan.height}px`;
    paintTimeline(fit(this.lanes, width, this.plan.height), data, this.plan, theme(), this.picked);
    this.overview.element.style.marginRight = `${this.plan.gutter}px`; // beneath what it is of
    this.overview.paint(this.whole!, this.stretch, theme());
    this.element.dataset['from'] = String(this.plan.from);
    this.element.dataset['to'] = String(this.plan.to);
    this.paintOver();
  }

  asPicture(): Picture | null {
    const { data, plan, picked } = this;
    if (!data || !plan) return null;
    return {
      width: plan.width + plan.gutter,
      height: plan.height,
      paint: (pen) => paintTimeline(pen, data, plan, theme(), picked),
    };
  }

  asTable(): Table | null {
    return this.data && timelineRows(this.data);
  }

  private paintOver(): void {
    const { plan } = this;
    if (!plan) return;
    const pen = fit(this.over, plan.width + plan.gutter, plan.height);
    const colors = theme();
    const selected = this.scene?.selection;
    const time = (this.isOther ? null : this.draft) ?? selected?.time ?? null;
    const other = (this.isOther ? this.draft : null) ?? selected?.besides ?? null;
    if (time) paintSelected(pen, plan, time, colors);
    if (other && (this.isOther || selected?.view === 'diff')) paintCompared(pen, plan, other, colors);
    if (this.cursor !== null && !this.draft) paintCursor(pen, plan, this.cursor, colors);
  }

  // Closer and further.

  /** At once with what there is; when it rests, with all the detail. */
  private look(stretch: Stretch | null): void {
    this.stretch = stretch;
    this.paint();
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => this.scene?.change({ stretch }, 'replace'), SETTLE_MS);
  }

  private zoom(factor: number, about = this.cursor): void {
    const { plan, whole } = this;
    if (!plan || !whole) return;
    const all = { from: whole.from_ns, to: whole.to_ns };
    this.look(zoomed(plan, all, factor, about ?? (plan.from + plan.to) / 2));
  }

  private shift(ns: number): void {
    const { plan, whole } = this;
    if (plan && whole && this.stretch) this.look(moved(plan, { from: whole.from_ns, to: whole.to_ns }, ns));
  }

  private wheel(event: WheelEvent): void {
    const { plan } = this;
    if (!plan) return;
    if (event.ctrlKey || event.metaKey) {
      const x = event.clientX - this.over.getBoundingClientRect().left;
      this.zoom(Math.exp(-event.deltaY / 240), timeAt(plan, x));
    } else if (this.stretch && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.shift((event.deltaX / plan.width) * (plan.to - plan.from));
    } else return;
    event.preventDefault();
  }

  // The pointer: a brush over the lanes, and a hand on the axis.

  private nsAt(event: PointerEvent): number {
    return this.plan ? timeAt(this.plan, event.clientX - this.over.getBoundingClientRect().left) : 0;
  }

  private press(event: PointerEvent): void {
    const { plan } = this;
    if (event.button !== 0 || !plan) return;
    this.over.setPointerCapture(event.pointerId);
    this.hideTip();
    if (this.stretch && event.clientY - this.over.getBoundingClientRect().top > plan.axis) {
      this.grip = event.clientX;
      return;
    }
    const ns = this.nsAt(event),
      time = this.scene?.selection.time;
    this.anchor = ns;
    this.isOther = event.altKey || event.shiftKey;
    if (time && time.from !== null && !this.isOther) {
      // near an edge: that one is moved
      const x = xOf(plan, ns);
      if (Math.abs(x - xOf(plan, time.from)) < EDGE) this.anchor = time.to;
      else if (Math.abs(x - xOf(plan, time.to)) < EDGE) this.anchor = time.from;
    }
  }

  private move(event: PointerEvent): void {
    const { plan } = this;
    if (!plan) return;
    const ns = this.nsAt(event);
    if (this.grip !== null) {
      const by = ((this.grip - event.clientX) / plan.width) * (plan.to - plan.from);
      this.grip = event.clientX;
      this.shift(by);
    } else if (this.anchor === null) {
      this.cursor = ns;
      this.showTip(ns);
    } else if (Math.abs(xOf(plan, ns) - xOf(plan, this.anchor)) >= CLICK) {
      this.draft = { from: Math.min(ns, this.anchor), to: Math.max(ns, this.anchor) };
    }
    this.paintOver();
  }

  private release(event: PointerEvent): void {
    const isBrush = this.anchor !== null,
      { isOther } = this;
    const time = this.draft ?? { from: null, to: this.nsAt(event) };
    this.drop();
    if (isBrush && isOther) this.compare(time);
    else if (isBrush) this.choose(time);
  }

  private drop(): void {
    this.anchor = this.grip = null;
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

  // Keys.

  private type(event: KeyboardEvent): void {
    const { plan, scene } = this;
    if (!plan || !scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (plan.to - plan.from) / (event.key.startsWith('Page') ? 10 : 100);
    const from = this.cursor ?? scene.selection.time?.to ?? plan.from;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.go(from, from - step, event.shiftKey),
      PageUp: () => this.go(from, from - step, event.shiftKey),
      ArrowRight: () => this.go(from, from + step, event.shiftKey),
      PageDown: () => this.go(from, from + step, event.shiftKey),
      Home: () => this.go(from, plan.from, event.shiftKey),
      End: () => this.go(from, plan.to, event.shiftKey),
      Enter: () => this.choose({ from: null, to: Math.round(from) }),
      '+': () => this.zoom(STEP),
      '=': () => this.zoom(STEP),
      '-': () => this.zoom(1 / STEP),
      '0': () => this.look(null),
    };
    const act = actions[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  /** The stretch follows the cursor. */
  private go(from: number, to: number, selects: boolean): void {
    const { whole, plan, scene } = this;
    if (!whole || !plan || !scene) return;
    const next = Math.round(Math.min(whole.to_ns, Math.max(whole.from_ns, to)));
    const { time } = scene.selection;
    if (next < plan.from) this.shift(next - plan.from);
    else if (next > plan.to) this.shift(next - plan.to);
    if (selects) {
      const anchor = time && time.from !== null ? (from === time.to ? time.from : time.to) : from;
      this.choose({ from: Math.min(anchor, next), to: Math.max(anchor, next) });
    }
    this.cursor = next;
    this.showTip(next);
    this.paintOver();
  }

  // Words.

  private hideTip(): void {
    this.tip.hidden = true;
  }

  private showTip(ns: number): void {
    const { data, plan } = this;
    if (!data || !plan) return;
    fill(this.tip, ...tipLines(data, plan, this.picked, ns));
    this.tip.dataset['time'] = String(ns);
    this.tip.hidden = false;
    const x = xOf(plan, ns),
      width = this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(plan.width - width, x + (x + width + 16 > plan.width ? -width - 12 : 12)))}px`;
  }

  private fillTable(): void {
    if (!this.data || !this.table.open) return;
    this.table.querySelector('.scroll')?.remove();
    this.table.append(timelineTable(this.data));
  }
}
