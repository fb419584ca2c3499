// A number with a bar behind it.
import { h } from './dom';
import { shareText, valueText } from './units';

export function barCell(value: number, whole: number, unit: string, hue: number): HTMLElement {
  if (value === 0) return h('span', { class: 'bar-cell' }, h('span', { class: 'bar-value nothing' }, '–'));
  const bar = h('i', { class: `bar hue-${hue}${value < 0 ? ' less' : ''}`, 'aria-hidden': 'true' });
  bar.style.width = `${whole ? Math.min(100, Math.abs((100 * value) / whole)).toFixed(2) : 0}%`;
  return h(
    'span',
    { class: 'bar-cell' },
    bar,
    h('span', { class: 'bar-value' }, valueText(value, unit)),
    h('span', { class: 'bar-share' }, shareText(value, whole)),
  );
}
