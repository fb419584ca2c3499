// Call sites over time: who has how much when, as areas, lines or shares; and a table of where each began and ended.
import type { Report, Timeline } from '../../api_types';
import { fit, paintTicks, SANS, timeTicks } from '../../canvas';
import { add, button, fill, h, listen } from '../../dom';
import type { Pen, Picture, Table } from '../../export/seen';
import { finderOf, literally } from '../../finder';
import { timely } from '../../metrics';
import { plainTable, type PlainColumn } from '../../plain_table';
import { questionOf, type Part, type Scene } from '../../scene';
import { areas, type Areas } from '../../selection';
import { noneText } from '../../states';
import { onTheme, theme, type Theme } from '../../theme';
import { isNarrow, spanIn, timeAt, xOf, type Lane, type Span } from '../../timeline/scale';
import { paintSites, siteAt, siteColor, type StackLook } from '../../timeline/stacked';
import { durationText, rateText, signedText, valueText } from '../../units';
import { Order } from './order';
import { rowsOf, type SiteRow } from './rows';

const POINTS = 600,
  TOPS = [4, 8, 12, 16],
  HEIGHT = 320,
  NARROW = 220,
  AXIS = 22,
  HEAD = 18;

const labels: Record<Areas, string> = { stacked: 'Stacked', lines: 'Lines', share: 'Share' };

export class SitesPart implements Part {
  readonly element = h('section', { class: 'sites', 'aria-label': 'Call sites over time' });
  private readonly bar = h('div', { class: 'toolbar' });
  private readonly picture = h('canvas', {});
  private readonly over = h('canvas', {
    class: 'over',
    tabindex: 0,
    role: 'application',
    'aria-label':
      'Call sites over time. Left and right move the cursor, up and down go from site to site, Enter keeps only stacks through that one. The numbers are in the table below.',
  });
  private readonly frame = h('div', { class: 'chart sites-chart' }, this.picture, this.over);
  private readonly table = h('div', { class: 'scroll sites-table' });
  private readonly order = new Order();
  private scene: Scene | null = null;
  private data: Timeline | null = null;
  private totals: Report | null = null;
  private instant = -1; // place of the cursor
  private chosen = -1; // site

  constructor() {
    add(this.element, this.bar, this.frame, this.table);
    listen(this.over, {
      pointermove: (event) => this.hover(event),
      pointerleave: () => this.point(-1, -1),
      click: () => this.only(this.chosen),
      keydown: (event) => this.type(event),
      blur: () => this.point(-1, -1),
    });
    new ResizeObserver(() => this.paint()).observe(this.frame);
    onTheme(() => this.showAll());
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const metric = timely(scene.metric),
      question = questionOf(scene, metric),
      { top, filter } = scene.selection;
    const data = await scene.source.get<Timeline>('api/timeline', {
      ...question,
      by: 'function',
      points: POINTS,
      top,
    });
    const totals = data.is_rate
      ? await scene.source.get<Report>('api/report', { ...question, by: 'function' })
      : null;
    if (this.scene !== scene) return;
    const about = [scene.target.id, metric, top, filter, question['between'], question['at']].join('\n');
    this.data = this.order.of(data, about);
    this.totals = totals;
    if (this.instant >= data.instants_ns.length) this.instant = -1;
    this.showAll();
  }

  private get isEmpty(): boolean {
    return !this.data?.sites.some((site) => site.values.some((value) => value !== 0));
  }

  private showAll(): void {
    if (!this.data || !this.scene) return;
    this.fillBar();
    this.frame.hidden = this.table.hidden = this.isEmpty;
    this.paint();
    this.fillTable();
  }

  // The picture.

  private get span(): Span {
    return spanIn(Math.max(this.frame.clientWidth, 10), this.data!.from_ns, this.data!.to_ns);
  }

  private look(colors: Theme): StackLook {
    const span = this.span;
    const lane: Lane = {
      id: 'sites',
      title: '',
      top: HEAD,
      height: (isNarrow(span) ? NARROW : HEIGHT) - AXIS - HEAD,
    };
    const finds = finderOf(this.scene?.selection.find ?? '');
    const found = finds
      ? this.data!.sites.findIndex((site) => site.function !== null && finds(site.function))
      : -1;
    return {
      span,
      lane,
      theme: colors,
      areas: this.scene?.selection.areas ?? 'stacked',
      hue: (site) => site,
      chosen: this.chosen >= 0 ? this.chosen : found,
    };
  }

  private draw(pen: Pen, data: Timeline, look: StackLook): void {
    paintSites(pen, data, look);
    pen.font = `10.5px ${SANS}`;
    pen.textBaseline = 'alphabetic';
    pen.fillStyle = look.theme.faint;
    const { span, lane } = look;
    const ticks = timeTicks(span.from, span.to, Math.max(2, span.width / 110));
    const words = ticks.map((tick) => ({
      x: xOf(span, tick),
      text: tick === 0 ? '0 s' : durationText(tick),
    }));
    paintTicks(pen, words, span.width, lane.top + lane.height + 15);
  }

  private paint(): void {
    const { data } = this;
    if (!data || this.isEmpty || this.frame.clientWidth < 10) return;
    const look = this.look(theme()),
      height = look.lane.top + look.lane.height + AXIS;
    this.frame.style.height = `${height}px`;
    this.draw(fit(this.picture, look.span.width + look.span.gutter, height), data, look);
    this.paintOver(look);
  }

  private paintOver(look: StackLook): void {
    const { data } = this,
      { lane, span } = look,
      pen = fit(this.over, span.width + span.gutter, lane.top + lane.height + AXIS);
    const ns = data?.instants_ns[this.instant];
    if (ns === undefined) return;
    const x = Math.round(xOf(span, ns)) + 0.5;
    pen.strokeStyle = look.theme.text;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    pen.moveTo(x, lane.top);
    pen.lineTo(x, lane.top + lane.height);
    pen.stroke();
  }

  asPicture(): Picture | null {
    const { data } = this;
    if (!data || this.isEmpty) return null;
    const look = { ...this.look(theme()), chosen: -1 };
    return {
      width: look.span.width + look.span.gutter,
      height: look.lane.top + look.lane.height + AXIS,
      paint: (pen) => this.draw(pen, data, look),
    };
  }

  /** Every instant, one column for each site. */
  asTable(): Table | null {
    const { data } = this;
    return (
      data && {
        columns: ['time_ns', ...data.sites.map((site) => site.function ?? '[all others]')],
        rows: data.instants_ns.map((ns, i) => [ns, ...data.sites.map((site) => site.values[i] ?? null)]),
      }
    );
  }

  // Pointer and keys.

  private hover(event: PointerEvent): void {
    const { data } = this;
    if (!data) return;
    const place = this.over.getBoundingClientRect(),
      look = this.look(theme()),
      ns = timeAt(look.span, event.clientX - place.left);
    let instant = data.instants_ns.findIndex((time) => time >= ns);
    if (instant < 0) instant = data.instants_ns.length - 1;
    this.point(instant, siteAt(data, { ...look, chosen: -1 }, ns, event.clientY - place.top));
  }

  private point(instant: number, site: number): void {
    if (instant === this.instant && site === this.chosen) return;
    this.instant = instant;
    this.chosen = site;
    this.over.classList.toggle('points', site >= 0 && this.data?.sites[site]?.function !== null);
    this.paint();
    this.fillTable();
  }

  private only(site: number): void {
    const name = this.data?.sites[site]?.function;
    if (name) this.scene?.change({ filter: literally(name), zoom: '' });
  }

  private type(event: KeyboardEvent): void {
    const { data } = this;
    if (!data || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = data.instants_ns.length - 1,
      sites = data.sites.length,
      step = Math.max(1, Math.round(last / 100));
    const at = this.instant < 0 ? last : this.instant;
    const to = (instant: number): void => this.point(Math.min(last, Math.max(0, instant)), this.chosen);
    const actions: Record<string, () => void> = {
      ArrowLeft: () => to(at - (event.shiftKey ? 1 : step)),
      ArrowRight: () => to(at + (event.shiftKey ? 1 : step)),
      Home: () => to(0),
      End: () => to(last),
      ArrowUp: () => this.point(at, (this.chosen + sites - (this.chosen < 0 ? 0 : 1)) % sites),
      ArrowDown: () => this.point(at, (this.chosen + 1) % sites),
      Enter: () => this.only(this.chosen),
    };
    const act = actions[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  // Words and numbers.

  private text(value: number): string {
    const { unit, is_rate: isRate } = this.data!;
    return isRate ? rateText(value, unit) : valueText(value, unit);
  }

  private fillBar(): void {
    const scene = this.scene!,
      { selection } = scene,
      data = this.data!;
    const top = listen(
      h(
        'select',
        { 'aria-label': 'How many call sites' },
        ...[...new Set([...TOPS, selection.top])]
          .sort((a, b) => a - b)
          .map((n) => h('option', { value: n, selected: n === selection.top }, `${n} largest`)),
      ),
      { change: () => scene.change({ top: Number(top.value) }) },
    );
    fill(
      this.bar,
      h(
        'div',
        { class: 'switch', role: 'group', 'aria-label': 'Drawn as' },
        ...areas.map((one) =>
          button(labels[one], () => scene.change({ areas: one }), {
            'aria-pressed': String(selection.areas === one),
          }),
        ),
      ),
      top,
      h('span', { class: 'hint' }, `${data.metric}${data.is_rate ? ' per second' : ''} by function`),
      this.isEmpty && h('p', { class: 'empty' }, noneText('call site', scene, data.metric)),
    );
  }

  private fillTable(): void {
    const { data, scene } = this;
    if (!data || !scene || this.isEmpty) return;
    const instant = data.instants_ns[this.instant];
    fill(
      this.table,
      plainTable(
        this.columnsOf(data, finderOf(scene.selection.find)),
        rowsOf(data, this.instant, this.totals),
        {
          attributes: { 'data-instant': instant },
          rowAttributes: (row) => ({
            'data-name': row.name ?? '',
            'data-site': row.site,
            'aria-selected': row.site === this.chosen ? 'true' : null,
          }),
        },
      ),
    );
  }

  private columnsOf(data: Timeline, finds: ((text: string) => boolean) | null): PlainColumn<SiteRow>[] {
    const instant = data.instants_ns[this.instant];
    const number = (
      id: 'at' | 'begin' | 'end' | 'growth' | 'total',
      label: string,
      text = (value: number): string => this.text(value),
    ): PlainColumn<SiteRow> => ({
      id,
      label,
      isNumber: true,
      isWide: id === 'at' || id === 'begin', // the first to go where there is little room
      data: (row) => row[id],
      cell: (row) => (row[id] === null ? '' : text(row[id])),
    });
    return [
      { label: 'Function', cell: (row) => this.keyOf(row, finds) },
      number('at', instant === undefined ? 'At the cursor' : `At ${durationText(instant)}`),
      number('begin', 'Begin'),
      number('end', 'End'),
      data.is_rate
        ? number('total', 'Total', (value) => valueText(value, data.unit))
        : number('growth', 'Growth', (value) => signedText(value, (one) => this.text(one))),
    ];
  }

  private keyOf({ name, site }: SiteRow, finds: ((text: string) => boolean) | null): HTMLElement {
    const dot = h('i', { class: 'dot' });
    dot.style.background = siteColor(theme(), site, name === null);
    if (name === null) return h('span', { class: 'key' }, dot, 'all others');
    const key = button('', () => this.only(site), {
      class: 'key mono',
      title: `Only stacks through ${name}`,
    });
    add(key, dot, h('span', { class: finds?.(name) ? 'hit' : null }, name));
    return key;
  }

  key(event: KeyboardEvent): boolean {
    if (!event.key.startsWith('Arrow')) return false;
    this.over.focus();
    this.type(event);
    return true;
  }
}
