// What is selected, in one bar: metric, time, filter, find.
import { button, fill, h, listen } from './dom';
import { isTimeless, meaningOf } from './metrics';
import type { Scene } from './scene';
import { durationText } from './units';

const TYPING_MS = 250;

export class Controls {
  readonly element = h('div', { class: 'controls' });
  private scene: Scene | null = null;
  private timer = 0;
  private readonly metric = listen(h('select', { id: 'metric', 'aria-label': 'Metric' }), {
    change: () => this.setMetric(this.metric.value),
  });
  private readonly meaning = h('span', { class: 'hint meaning' });
  private readonly time = h('span', { class: 'time-chip' });
  private readonly counted = h('span', {
    class: 'hint',
    'data-name': 'counted',
    title:
      'The recording has exact sums between fixed points in time; the selected time is widened or moved to those points.',
  });
  private readonly filter = this.input(
    'filter',
    'Filter stacks',
    'Only stacks that match this regular expression',
  );
  private readonly find = this.input('find', 'Find', 'Marks frames and narrows tables');

  constructor() {
    fill(
      this.element,
      h('label', { class: 'control' }, h('span', {}, 'Metric'), this.metric),
      this.meaning,
      this.time,
      this.counted,
      h('span', { class: 'spring' }),
      this.filter,
      this.find,
    );
  }

  private input(id: 'filter' | 'find', label: string, title: string): HTMLInputElement {
    const input = h('input', {
      id,
      type: 'search',
      placeholder: label,
      'aria-label': label,
      title,
      spellcheck: 'false',
      autocomplete: 'off',
      maxlength: 200,
    });
    const apply = (): void => {
      clearTimeout(this.timer);
      if (input.value !== this.scene?.selection[id])
        this.scene?.change(
          id === 'filter' ? { filter: input.value, zoom: '' } : { find: input.value },
          id === 'filter' ? 'step' : 'replace',
        );
    };
    return listen(input, {
      input: () => {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(apply, TYPING_MS);
      },
      change: apply,
      keydown: (event) => {
        if (event.key !== 'Escape') return;
        input.value = '';
        apply();
        input.blur();
        event.stopPropagation();
      },
    });
  }

  private setMetric(metric: string): void {
    const scene = this.scene;
    if (!scene) return;
    const { time } = scene.selection;
    scene.change({ metric, time: time && isTimeless(metric) ? null : time, zoom: '' });
  }

  show(scene: Scene): void {
    this.scene = scene;
    const known = scene.target.metrics ?? [];
    const shown = [...this.metric.options].map((option) => option.value);
    if (shown.join() !== known.join())
      fill(this.metric, ...known.map((metric) => h('option', { value: metric }, metric)));
    this.metric.value = scene.metric;
    this.meaning.textContent = meaningOf(scene.metric);
    for (const [input, text] of [
      [this.filter, scene.selection.filter],
      [this.find, scene.selection.find],
    ] as const)
      if (document.activeElement !== input && input.value !== text) input.value = text;
    const { time } = scene.selection;
    if (!time) this.counted.textContent = '';
    fill(
      this.time,
      time
        ? button(
            `${time.from === null ? `at ${durationText(time.to)}` : `${durationText(time.from)} – ${durationText(time.to)}`} ×`,
            () => scene.change({ time: null, zoom: '' }),
            { class: 'chip on', 'aria-label': 'Clear the time selection', 'data-name': 'time' },
          )
        : null,
    );
  }

  /** What was really counted: times are those of the recording's boundaries. */
  tell(range: { from_ns: number; to_ns: number }): void {
    const time = this.scene?.selection.time;
    if (!time) return;
    const isInstant = time.from === null;
    const text = isInstant
      ? `values are from ${durationText(range.to_ns)}`
      : `sums cover ${durationText(range.from_ns)} – ${durationText(range.to_ns)}`;
    const asked = isInstant
      ? `values are from ${durationText(time.to)}`
      : `sums cover ${durationText(time.from ?? 0)} – ${durationText(time.to)}`;
    this.counted.textContent = text === asked ? '' : text;
  }

  focus(which: 'metric' | 'filter' | 'find'): void {
    this[which].focus();
  }
}
