// Under the lanes: what the colours are, which lanes are shown, and how close.
import type { Timeline } from '../api_types';
import { add, button, fill, h, listen } from '../dom';
import type { Scene } from '../scene';
import { theme } from '../theme';
import { bytesText } from '../units';
import { shownLanes, type LaneAbout } from './lanes';
import { siteColor } from './stacked';

function lastOf(values: readonly (number | null)[]): number | null {
  return [...values].reverse().find((value) => value !== null) ?? null;
}

function keyOf(kind: string, name: string, value: number | null): HTMLElement | null {
  if (value === null) return null;
  return h(
    'span',
    { class: `key ${kind}` },
    h('i', { class: 'dot' }),
    name,
    h('b', { 'data-value': value }, ` ${bytesText(value)}`),
  );
}

function siteKey(scene: Scene, name: string | null, color: string): HTMLElement {
  const dot = h('i', { class: 'dot' });
  dot.style.background = color;
  if (name === null) return h('span', { class: 'key' }, dot, 'all others');
  const key = button('', () => scene.change({ find: scene.selection.find === name ? '' : name }), {
    class: 'key mono',
    title: `Find ${name} in the views below`,
  });
  add(key, dot, h('span', {}, name));
  return key;
}

/** Filled anew only when something in it changes: somebody may have it open. */
export class LaneMenu {
  readonly element = h('details', { class: 'lane-menu' }, h('summary', {}, 'Lanes'));
  private readonly list = h('div', { class: 'lane-list card', role: 'group', 'aria-label': 'Lanes' });
  private known = '';

  constructor() {
    this.element.append(this.list);
    listen(this.element, {
      keydown: (event) => {
        if (event.key !== 'Escape' || !this.element.open) return;
        this.element.open = false;
        this.element.querySelector('summary')?.focus();
        event.stopPropagation();
      },
      focusout: (event) => {
        const to = event.relatedTarget;
        if (to instanceof Node && !this.element.contains(to)) this.element.open = false;
      },
    });
  }

  show(scene: Scene, lanes: readonly LaneAbout[]): void {
    const { tracks: chosen } = scene.selection;
    const known = `${lanes.map((lane) => lane.id + lane.title).join()} ${chosen.join()}`;
    if (known === this.known) return;
    this.known = known;
    const shown = shownLanes(lanes, chosen).map((lane) => lane.id);
    fill(
      this.list,
      ...lanes.map((lane) => {
        const box = listen(
          h('input', { type: 'checkbox', checked: shown.includes(lane.id), 'data-lane': lane.id }),
          {
            change: () => {
              const next = box.checked ? [...shown, lane.id] : shown.filter((id) => id !== lane.id);
              const usual = lanes.filter((one) => one.isUsual).map((one) => one.id);
              const isUsual = usual.length === next.length && usual.every((id) => next.includes(id));
              scene.change({ tracks: isUsual ? [] : next });
            },
          },
        );
        return h('label', {}, box, lane.title);
      }),
    );
  }
}

export function fillLegend(into: HTMLElement, scene: Scene, data: Timeline): void {
  const colors = theme();
  fill(
    into,
    keyOf('key-rss', 'Resident', lastOf(data.columns.rss)),
    keyOf('key-pss', 'Proportional (PSS)', lastOf(data.columns.pss)),
    keyOf('key-heap', 'Live heap', lastOf(data.columns.heap_live)),
    ...data.sites.map((site, i) =>
      siteKey(scene, site.function, siteColor(colors, i, site.function === null)),
    ),
  );
}
