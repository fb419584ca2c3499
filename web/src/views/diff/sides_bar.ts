// Which two sides are compared: a target and a time for each, some usual pairs, and how the older is scaled.
import type { Target, Timeline } from '../../api_types';
import { button, fill, h, listen } from '../../dom';
import { isCounter, timely } from '../../metrics';
import type { Scene } from '../../scene';
import { scales, type Scale, type Time } from '../../selection';
import {
  choose,
  lastInstant,
  lengthOf,
  targetText,
  timeText,
  usualTimes,
  type Side,
  type Sides,
} from './sides';

const MARKS_MOST = 60;

interface Choice {
  name: string;
  time: Time | null;
}

const scaleNames: Record<Scale, string> = {
  none: 'as recorded',
  time: 'to the same time',
  total: 'to the same total',
};

function isSame(a: Time | null, b: Time | null): boolean {
  return a === null || b === null ? a === b : a.from === b.from && a.to === b.to;
}

/** Times that have a name: of a level instants, of a counter stretches. */
function choicesOf(target: Target, metric: string, marks: Timeline['marks']): Choice[] {
  const end = lengthOf(target),
    middle = Math.round(end / 2);
  const some = marks.slice(0, MARKS_MOST);
  if (!isCounter(metric))
    return [
      { name: 'the middle', time: { from: null, to: middle } },
      ...(target.recording === 'ended'
        ? [{ name: 'shortly before the end', time: { from: null, to: lastInstant(target) } }]
        : []),
      { name: 'the end', time: { from: null, to: end } },
      ...some.map((mark) => ({
        name: mark.kind === 'phase' ? `end of ${mark.label}` : mark.label,
        time: { from: null, to: mark.end_ns ?? mark.time_ns },
      })),
    ];
  return [
    { name: 'first half', time: { from: 0, to: middle } },
    { name: 'second half', time: { from: middle, to: end } },
    ...some.map((mark, i) => ({
      name: mark.kind === 'phase' ? `phase ${mark.label}` : `from ${mark.label}`,
      time: { from: mark.time_ns, to: mark.end_ns ?? some[i + 1]?.time_ns ?? end },
    })),
  ].filter(({ time }) => time.from < time.to);
}

export class SidesBar {
  readonly element = h('div', { class: 'sides' });
  private shown = ''; // it is left alone while nothing changes: somebody may have it open

  show(scene: Scene, sides: Sides, marks: Timeline['marks']): void {
    const shown = JSON.stringify([scene.selection, sides, marks.length]);
    if (shown === this.shown) return;
    this.shown = shown;
    fill(
      this.element,
      this.sideOf(scene, sides, 'before', marks),
      button('⇄', () => scene.change({ ...choose(scene, sides.after, sides.before) }), {
        class: 'icon',
        title: 'Swap the sides (x)',
        'aria-label': 'Swap the sides',
      }),
      this.sideOf(scene, sides, 'after', marks),
      this.scaleOf(scene),
      ...this.pairsOf(scene, sides),
    );
  }

  private sideOf(
    scene: Scene,
    sides: Sides,
    which: 'before' | 'after',
    marks: Timeline['marks'],
  ): HTMLElement {
    const side = sides[which];
    const name = which === 'before' ? 'Before' : 'After';
    const put = (part: Partial<Side>): void => {
      const next = { ...side, ...part };
      scene.change(which === 'before' ? choose(scene, next, sides.after) : choose(scene, sides.before, next));
    };
    return h(
      'fieldset',
      { class: `side ${which}` },
      h('legend', {}, name),
      scene.targets.length > 1 && this.targetsOf(scene, side, name, put),
      this.timesOf(scene, side, sides, name, marks, put),
    );
  }

  private targetsOf(
    scene: Scene,
    side: Side,
    name: string,
    put: (part: Partial<Side>) => void,
  ): HTMLSelectElement {
    const select = listen(
      h(
        'select',
        { 'aria-label': `${name}: recording` },
        ...scene.targets
          .filter((one) => one.metrics?.length)
          .map((one) => h('option', { value: one.id, selected: one === side.target }, targetText(one))),
      ),
      {
        change: () => {
          const target = scene.targets.find((one) => one.id === select.value);
          if (target) put({ target, time: null });
        },
      },
    );
    return select;
  }

  private timesOf(
    scene: Scene,
    side: Side,
    sides: Sides,
    name: string,
    marks: Timeline['marks'],
    put: (part: Partial<Side>) => void,
  ): HTMLSelectElement {
    const all: Choice[] = choicesOf(side.target, sides.metric, side.target === scene.target ? marks : []);
    if (sides.before.target !== sides.after.target) all.unshift({ name: 'the whole recording', time: null });
    if (!all.some((one) => isSame(one.time, side.time)))
      all.unshift({ name: timeText(side.time), time: side.time });
    const now = all.findIndex((one) => isSame(one.time, side.time));
    const select = listen(
      h(
        'select',
        { 'aria-label': `${name}: time` },
        ...all.map((one, i) =>
          h(
            'option',
            { value: i, selected: i === now },
            one.time && one.name !== timeText(one.time) ? `${one.name} (${timeText(one.time)})` : one.name,
          ),
        ),
      ),
      { change: () => put({ time: all[Number(select.value)]?.time ?? null }) },
    );
    return select;
  }

  private scaleOf(scene: Scene): HTMLElement {
    const select = listen(
      h(
        'select',
        { 'aria-label': 'Scale the older side', title: 'What the older side is multiplied by' },
        ...scales.map((scale) =>
          h('option', { value: scale, selected: scale === scene.selection.scale }, scaleNames[scale]),
        ),
      ),
      { change: () => scene.change({ scale: scales.find((one) => one === select.value) ?? 'none' }) },
    );
    return h('label', { class: 'side' }, h('span', { class: 'soft' }, 'Scaled'), select);
  }

  /** What one often wants, in one step. */
  private pairsOf(scene: Scene, sides: Sides): HTMLElement[] {
    const { time } = scene.selection,
      { target } = scene;
    const chip = (text: string, before: Time, after: Time): HTMLElement =>
      button(text, () => scene.change(choose(scene, { target, time: before }, { target, time: after })), {
        class: 'chip',
      });
    const all: HTMLElement[] = [];
    if (time && time.from !== null && isCounter(sides.metric)) {
      const from = Math.max(0, time.from - (time.to - time.from));
      if (from < time.from) all.push(chip('the same length before', { from, to: time.from }, time));
    }
    if (time && time.from !== null && !isCounter(sides.metric))
      all.push(chip('its beginning and end', { from: null, to: time.from }, { from: null, to: time.to }));
    const isOwn = sides.before.target === sides.after.target;
    if (!isOwn) {
      const [first, second] = usualTimes(target, null, timely(sides.metric));
      all.push(chip('only this recording', first, second));
    }
    return all;
  }
}
