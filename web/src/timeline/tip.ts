// What there was at one instant, in all lanes.
import { h } from '../dom';
import type { Timeline } from '../api_types';
import { theme } from '../theme';
import { bytesText, durationText, rateText, valueText } from '../units';
import type { Picked, Plan } from './chart';
import { heightAt, heightText } from './heights';
import { valueIn } from './lanes';
import { siteColor } from './stacked';

const SITES = 6;

function line(color: string, name: string, text: string, value: number, id: string): HTMLElement {
  const dot = h('i', { class: 'dot' });
  dot.style.background = color;
  return h(
    'div',
    { class: 'tip-line', 'data-lane': id },
    dot,
    h('span', {}, name),
    h('b', { 'data-value': value }, text),
  );
}

function placeOf(times: readonly number[], ns: number): number {
  const found = times.findIndex((time) => time >= ns);
  return found < 0 ? times.length - 1 : found;
}

/** Of what is read now and then: the last there was. */
function lastKnown(values: readonly (number | null)[], column: number): number | null {
  for (let i = column; i >= 0; i--) if ((values[i] ?? null) !== null) return values[i]!;
  return null;
}

export function tipLines(data: Timeline, plan: Plan, picked: Picked | null, ns: number): HTMLElement[] {
  const colors = theme(),
    column = placeOf(data.columns.end_ns, ns),
    instant = placeOf(data.instants_ns, ns),
    text = (value: number): string =>
      data.is_rate ? rateText(value, data.unit) : valueText(value, data.unit);
  const lines: HTMLElement[] = [h('div', { class: 'tip-head' }, durationText(ns))];
  const memory = (color: string, name: string, id: string, value: number | null | undefined): void => {
    if (value !== null && value !== undefined) lines.push(line(color, name, bytesText(value), value, id));
  };
  for (const lane of plan.lanes) {
    const { curve, heights } = lane.about,
      height = heights ? heightAt(heights.steps, ns) : null;
    if (lane.id === 'memory') {
      memory(colors.rss, 'Resident', 'rss', data.columns.rss[column]);
      memory(colors.pss, 'Proportional', 'pss', lastKnown(data.columns.pss, column));
      memory(colors.heap, 'Live heap', 'heap', data.columns.heap_live[column]);
    } else if (height) {
      lines.push(line(colors.mark, lane.title, heightText(height, ns), height.value, lane.id));
    } else if (curve) {
      const value = valueIn(curve, data, column);
      if (value !== null)
        lines.push(line(curve.color(colors), lane.title, curve.text(value), value, lane.id));
    }
  }
  if (picked) {
    const at = placeOf(picked.data.instants_ns, ns);
    const value = picked.data.sites.reduce((sum, site) => sum + (site.values[at] ?? 0), 0);
    lines.push(line(colors.hit, picked.name, text(value), value, 'picked'));
  }
  const sites = plan.lanes.some((lane) => lane.id === 'sites') ? data.sites : [];
  lines.push(
    ...sites
      .map((site, i) => ({ site, i, value: site.values[instant] ?? 0 }))
      .filter((one) => one.value > 0)
      .sort((a, b) => b.value - a.value)
      .slice(0, SITES)
      .map(({ site, i, value }) =>
        line(
          siteColor(colors, i, site.function === null),
          site.function ?? 'all others',
          text(value),
          value,
          'sites',
        ),
      ),
  );
  return lines;
}
