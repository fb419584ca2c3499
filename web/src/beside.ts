// Which further metrics stand beside the chosen one in tables.
import { button, fill, h, listen } from './dom';
import { isTimeless } from './metrics';
import type { Scene } from './scene';

const MOST = 3;

export class BesideChooser {
  readonly element = h('span', { class: 'beside' });
  private shown = ''; // it is left alone while nothing changes: somebody may have it open

  show(scene: Scene): void {
    const { beside, time } = scene.selection;
    const free = (scene.target.metrics ?? []).filter(
      (metric) => metric !== scene.metric && !beside.includes(metric) && !(time && isTimeless(metric)),
    );
    const shown = JSON.stringify([scene.selection, scene.metric, free]);
    if (shown === this.shown) return;
    this.shown = shown;
    const select = listen(
      h(
        'select',
        { 'aria-label': 'Add a column for another metric' },
        h('option', { value: '' }, '+ metric'),
        ...free.map((metric) => h('option', { value: metric }, metric)),
      ),
      {
        change: () => select.value && scene.change({ beside: [...beside, select.value] }),
      },
    );
    fill(
      this.element,
      ...beside
        .filter((metric) => metric !== scene.metric)
        .map((metric) =>
          button(`${metric} ×`, () => scene.change({ beside: beside.filter((other) => other !== metric) }), {
            class: 'chip',
            'aria-label': `Remove ${metric}`,
          }),
        ),
      beside.length < MOST && free.length ? select : null,
    );
  }
}
