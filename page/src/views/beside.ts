// Which further metrics stand beside the chosen one in tables.
import { button, h, listen } from '../dom';
import { isTimeless } from '../metrics';
import type { Scene } from '../scene';

const MOST = 3;

export function besideChooser(scene: Scene): HTMLElement {
  const { beside, time } = scene.selection;
  const free = (scene.target.metrics ?? []).filter((metric) =>
    metric !== scene.metric && !beside.includes(metric) && !(time && isTimeless(metric)));
  const select = listen(h('select', { 'aria-label': 'Add a metric beside it' }, h('option', { value: '' }, '+ metric'),
    ...free.map((metric) => h('option', { value: metric }, metric))), {
    change: () => select.value && scene.change({ beside: [...beside, select.value] }),
  });
  return h('span', { class: 'beside' },
    ...beside.filter((metric) => metric !== scene.metric).map((metric) =>
      button(`${metric} ×`, () => scene.change({ beside: beside.filter((other) => other !== metric) }), { class: 'chip', 'aria-label': `Remove ${metric}` })),
    beside.length < MOST && free.length ? select : null);
}
