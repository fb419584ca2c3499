// When it happened within each second: pick a stretch of the map, and all views are of that stretch.
import type { HeatAnswer } from '../../api_types';
import { fit } from '../../canvas';
import { add, button, fill, h, listen } from '../../dom';
import type { Picture, Table } from '../../export/seen';
import { heatColor } from '../../heat_colors';
import { isCounter } from '../../metrics';
import { questionOf, type Part, type Scene } from '../../scene';
import { noneText } from '../../states';
import { onTheme, theme } from '../../theme';
import { countText, durationText, rateText, shareText, valueText } from '../../units';
import { cellsOf, slotsOf, sumOf, type Cells } from './cells';
import { heatTable } from './table';
import { heatPlan, outlineSlots, paintHeat, slotAt, warmth, type HeatPlan } from './paint';

const NARROWED = 'time'; // of `zoom`: the map is of the range alone

export class HeatPart implements Part {
  readonly element = h('section', { class: 'heat', 'aria-label': 'Heat map' });
  private readonly bar = h('div', { class: 'toolbar' });
  private readonly boxes = h('canvas', { class: 'boxes', 'aria-hidden': 'true' });
  private readonly over = h('canvas', {
    class: 'over',
    tabindex: 0,
    role: 'application',
    'aria-label':
      'Heat map of time. Up and down walk through a column, left and right to other columns, Shift selects a range, Enter one cell. The same is below as a table.',
  });
  private readonly room = h('div', { class: 'heat-room' }, this.boxes, this.over);
  private readonly tip = h('div', { class: 'tip', hidden: true });
  private readonly frame = h('div', { class: 'flame-frame' }, this.room, this.tip);
  private readonly empty = h('div', { class: 'empty', hidden: true });
  private readonly facts = h('div', { class: 'facts', 'aria-live': 'polite' });
  private readonly legend = h('div', { class: 'legend' });
  private readonly table = h('details', { class: 'as-table' }, h('summary', {}, 'As a table'));
  private scene: Scene | null = null;
  private answer: HeatAnswer | null = null;
  private cells: Cells | null = null;
  private plan: HeatPlan | null = null;
  private at = -1; // the cell that keys walk from
  private begun = -1; // where a range begins, while it is drawn
  private chosen: [number, number] | null = null;

  constructor() {
    add(this.element, this.bar, this.frame, this.empty, this.facts, this.legend, this.table);
    listen(this.over, {
      pointerdown: (event) => this.press(event),
      pointermove: (event) => this.move(event),
      pointerup: (event) => this.release(event),
      pointercancel: () => this.stop(),
      pointerleave: () => (this.tip.hidden = true),
      dblclick: () => this.scene?.change({ time: null, zoom: '' }),
      keydown: (event) => this.type(event),
      keyup: (event) => event.key === 'Shift' && this.begun >= 0 && this.select(),
    });
    this.table.addEventListener('toggle', () => this.fillTable());
    new ResizeObserver(() => this.paint()).observe(this.room);
    onTheme(() => this.element.isConnected && this.paint());
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const isLevel = !isCounter(scene.metric);
    this.showEmpty(scene, isLevel);
    if (isLevel) return;
    const { between, at, ...question } = questionOf(scene);
    const isNarrowed = scene.selection.zoom === NARROWED && between;
    const answer = await scene.source.get<HeatAnswer>(
      'api/heat',
      isNarrowed ? { ...question, between } : question,
    );
    if (this.scene !== scene) return;
    if (answer !== this.answer) {
      this.answer = answer;
      this.cells = cellsOf(answer);
      this.at = -1;
    }
    const { time } = scene.selection;
    this.begun = -1;
    this.chosen = time ? slotsOf(this.cells!, time.from ?? 0, time.to) : null;
    if (this.chosen && !this.chosen.includes(this.at)) this.at = this.chosen[1];
    this.fillBar(scene, answer, Boolean(isNarrowed));
    this.fillLegend(answer);
    this.fillTable();
    this.fillFacts();
    this.paint();
  }

  private showEmpty(scene: Scene, isLevel: boolean): void {
    for (const one of [this.bar, this.frame, this.facts, this.legend, this.table]) one.hidden = isLevel;
    this.empty.hidden = !isLevel;
    if (!isLevel) return;
    const others = (scene.target.metrics ?? []).filter(isCounter).slice(0, 4);
    fill(
      this.empty,
      h(
        'p',
        {},
        `${scene.metric} is a level: it has a value at every time. A heat map shows when events happened${others.length ? '; choose one of' : ': memoir cpu records such metrics.'}`,
      ),
      h(
        'p',
        {},
        ...others.flatMap((metric) => [
          button(metric, () => scene.change({ metric }), { class: 'chip' }),
          ' ',
        ]),
      ),
    );
  }

  private paint(): void {
    const { cells, answer } = this;
    if (!cells || !answer || this.room.clientWidth < 20 || this.frame.hidden) return;
    this.plan = heatPlan(cells, this.room.clientWidth);
    const { width, height, axis } = this.plan;
    this.room.style.height = `${height + axis}px`;
    paintHeat(fit(this.boxes, width, height + axis), cells, this.plan, theme());
    this.paintOver();
  }

  private paintOver(): void {
    const { cells, plan } = this;
    if (!cells || !plan) return;
    const pen = fit(this.over, plan.width, plan.height + plan.axis),
      colors = theme();
    if (this.chosen) outlineSlots(pen, cells, plan, this.chosen, colors.accent, true);
    if (this.at >= 0) outlineSlots(pen, cells, plan, [this.at, this.at], colors.text, false);
  }

  // A range, by pointer and by keys.

  private slotUnder(event: MouseEvent): number {
    const { left, top } = this.over.getBoundingClientRect();
    return this.plan && this.cells
      ? slotAt(this.plan, this.cells, event.clientX - left, event.clientY - top)
      : -1;
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.over.setPointerCapture(event.pointerId);
    this.begun = this.slotUnder(event);
    this.extend(this.begun);
  }

  private move(event: PointerEvent): void {
    const slot = this.slotUnder(event);
    if (slot < 0) return;
    if (this.begun >= 0 && event.buttons) this.extend(slot);
    this.showTip(slot, event);
  }

  private release(event: PointerEvent): void {
    if (this.begun < 0) return;
    this.extend(this.slotUnder(event));
    this.select();
  }

  private stop(): void {
    this.begun = -1;
  }

  private extend(slot: number): void {
    this.at = slot;
    this.chosen = [Math.min(this.begun, slot), Math.max(this.begun, slot)];
    this.fillFacts();
    this.paintOver();
  }

  private select(): void {
    const { chosen, cells } = this;
    this.begun = -1;
    if (!chosen || !cells) return;
    const time = { from: Math.round(cells.from(chosen[0])), to: Math.round(cells.to(chosen[1])) };
    const now = this.scene?.selection.time;
    if (now?.from === time.from && now.to === time.to) return;
    this.scene?.change({ time });
  }

  private type(event: KeyboardEvent): void {
    const { cells } = this;
    if (!cells || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, number> = {
      ArrowUp: 1,
      ArrowDown: -1,
      ArrowRight: cells.rows,
      ArrowLeft: -cells.rows,
      Home: -cells.count,
      End: cells.count,
    };
    const step = steps[event.key];
    if (step !== undefined) this.walk(step, event.shiftKey);
    else if (event.key === 'Enter' && this.at >= 0) {
      if (!this.chosen || this.begun < 0) this.chosen = [this.at, this.at];
      this.select();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private walk(step: number, isRange: boolean): void {
    const last = this.cells!.count - 1;
    const from = this.at < 0 ? 0 : this.at;
    const next = this.at < 0 && Math.abs(step) < last ? 0 : Math.max(0, Math.min(last, from + step));
    if (isRange) {
      if (this.begun < 0) this.begun = this.otherEnd() ?? from;
      this.extend(next);
      return;
    }
    this.begun = -1;
    this.at = next;
    this.fillFacts();
    this.paintOver();
  }

  /** Of the range that is chosen already, if the cell is at one of its ends: it goes on growing. */
  private otherEnd(): number | null {
    const { chosen, at } = this;
    return chosen === null ? null : at === chosen[1] ? chosen[0] : at === chosen[0] ? chosen[1] : null;
  }

  // Words.

  private wordsOf(
    first: number,
    last: number,
  ): { when: string; amount: string; value: number; count: number } {
    const cells = this.cells!,
      answer = this.answer!,
      sum = sumOf(cells, first, last);
    return {
      when: `${durationText(cells.from(first))} – ${durationText(cells.to(last))}`,
      amount: `${valueText(sum.value, answer.unit)}, ${shareText(sum.value, answer.total.value)}`,
      ...sum,
    };
  }

  private showTip(slot: number, event: PointerEvent): void {
    const words = this.wordsOf(slot, slot);
    this.tip.hidden = event.pointerType === 'touch';
    fill(
      this.tip,
      h('div', { class: 'tip-head' }, words.when),
      h('div', { class: 'tip-line' }, h('span', {}, this.answer!.metric), h('b', {}, words.amount)),
      h('div', { class: 'tip-line' }, h('span', {}, 'count'), h('b', {}, countText(words.count))),
    );
    const frame = this.frame.getBoundingClientRect();
    const x = event.clientX - frame.left;
    this.tip.style.left = `${Math.max(0, x + 16 + this.tip.offsetWidth > frame.width ? x - this.tip.offsetWidth - 12 : x + 16)}px`;
    this.tip.style.top = `${Math.max(0, event.clientY - frame.top + 14)}px`;
  }

  private fillFacts(): void {
    const { cells, chosen, scene } = this;
    const range: [number, number] | null = chosen ?? (this.at >= 0 ? [this.at, this.at] : null);
    this.facts.hidden = !range;
    if (!range || !cells || !scene) return;
    const isCellOnly =
      this.begun < 0 && this.at >= 0 && chosen !== null && (this.at < chosen[0] || this.at > chosen[1]);
    const [first, last] = isCellOnly ? [this.at, this.at] : range;
    const words = this.wordsOf(first, last);
    fill(
      this.facts,
      h('div', { class: 'tip-head' }, words.when),
      h(
        'div',
        { class: 'tip-line' },
        h('b', { 'data-name': 'range-value', 'data-value': words.value }, words.amount),
      ),
      h(
        'div',
        { class: 'tip-line' },
        h('span', {}, 'count'),
        h('b', { 'data-name': 'range-count', 'data-value': words.count }, countText(words.count)),
      ),
      scene.selection.time
        ? button('Flame graph of the range', () => scene.change({ view: 'flame', zoom: '' }), {
            class: 'small',
          })
        : null,
    );
  }

  private fillBar(scene: Scene, answer: HeatAnswer, isNarrowed: boolean): void {
    const scope = (label: string, zoom: string, isNow: boolean): HTMLButtonElement =>
      button(label, () => scene.change({ zoom }), { 'aria-pressed': String(isNow) });
    const cell =
      answer.kind === 'instants'
        ? `a column is ${durationText(answer.column_ns)}, a cell ${durationText(answer.column_ns / answer.rows)} of it, from bottom to top`
        : `this metric has no times of single events: a cell is one interval of the recording, at most ${durationText(answer.resolution_ns)} long, and its colour is a rate`;
    fill(
      this.bar,
      scene.selection.time && scene.selection.time.from !== null
        ? h(
            'div',
            { class: 'switch', role: 'group', 'aria-label': 'Map of' },
            scope('Whole recording', '', !isNarrowed),
            scope('The range', NARROWED, isNarrowed),
          )
        : null,
      h(
        'span',
        { class: 'total', 'data-name': 'heat-total', 'data-value': answer.total.value },
        `${answer.metric} ${valueText(answer.total.value, answer.unit)}`,
      ),
      h('span', { class: 'hint', 'data-name': 'heat-kind', 'data-value': answer.resolution_ns }, cell),
      answer.timeless.value
        ? h(
            'span',
            { class: 'hint', 'data-name': 'timeless', 'data-value': answer.timeless.value },
            `${valueText(answer.timeless.value, answer.unit)} without a known time are in no cell`,
          )
        : null,
    );
    const isNothing = answer.slots.length === 0;
    this.frame.hidden = this.legend.hidden = this.table.hidden = isNothing;
    this.empty.hidden = !isNothing;
    if (isNothing) fill(this.empty, h('p', {}, noneText('cell', scene)));
  }

  private fillLegend(answer: HeatAnswer): void {
    const { most } = this.cells!;
    const scale = h('span', { class: 'heat-scale', 'aria-hidden': 'true' });
    for (let i = 0; i <= 8; i++) {
      const step = h('i', {});
      step.style.background = heatColor(warmth((most * i * i) / 64, most)).fill;
      scale.append(step);
    }
    const amount = answer.kind === 'buckets' ? rateText(most, answer.unit) : valueText(most, answer.unit);
    fill(
      this.legend,
      h('span', { class: 'key' }, 'nothing', scale, `${amount} in a cell`),
      h(
        'span',
        { class: 'hint' },
        'drag or Shift + arrows: select a range for all views; a double click clears it',
      ),
    );
  }

  private fillTable(): void {
    if (!this.answer || !this.cells || !this.table.open) return;
    this.table.querySelector('.scroll')?.remove();
    this.table.append(heatTable(this.answer, this.cells));
  }

  key(event: KeyboardEvent): boolean {
    if (!event.key.startsWith('Arrow')) return false;
    this.over.focus();
    this.type(event);
    return true;
  }

  asPicture(): Picture | null {
    const { cells, plan } = this;
    if (!cells || !plan || this.frame.hidden) return null;
    return {
      width: plan.width,
      height: plan.height + plan.axis,
      paint: (pen) => {
        paintHeat(pen, cells, plan, theme());
        if (this.chosen) outlineSlots(pen, cells, plan, this.chosen, theme().accent, true);
      },
    };
  }

  asTable(): Table | null {
    const { cells, answer } = this;
    if (!cells || !answer) return null;
    return {
      columns: ['from_ns', 'to_ns', 'value', 'count'],
      rows: answer.slots.map((slot) => [
        cells.from(slot),
        cells.to(slot),
        cells.value[slot] ?? 0,
        cells.tally[slot] ?? 0,
      ]),
    };
  }
}
