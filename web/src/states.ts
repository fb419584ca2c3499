// What stands in place of a view, or of all views, while there is nothing to show.
import type { Target } from './api_types';
import { button, h } from './dom';
import type { Scene } from './scene';

export function waiting(sentence: string): HTMLElement {
  return h(
    'div',
    { class: 'card state', 'aria-busy': 'true' },
    h('div', { class: 'spinner' }),
    h('p', {}, sentence),
  );
}

/** A node of a run that cannot be read. */
export function unread(sentence: string, leave: () => void): HTMLElement {
  return h(
    'div',
    { class: 'card state' },
    h('h2', {}, 'This node cannot be shown'),
    h('p', { 'data-name': 'unread' }, sentence),
    button('All nodes', leave, { class: 'primary' }),
  );
}

/** A process without a recording, or one that has only begun. */
export function nothingYet(target: Target | undefined): HTMLElement {
  const isNone = target?.recording === 'none';
  return h(
    'div',
    { class: 'card state' },
    h('h2', {}, isNone ? 'This process is not recorded' : 'Nothing is recorded yet'),
    h(
      'p',
      {},
      isNone
        ? 'memoir shows only what the kernel knows about this process. To record its allocations:'
        : 'The recording is shown here as soon as it has data.',
    ),
    isNone && h('pre', {}, `memoir attach ${target.pid}`),
  );
}

/** Of a view whose selection has nothing of the metric. */
export function noneText(what: string, { metric, selection }: Scene, shown = metric): string {
  const how = `Choose another metric${selection.time ? ' or more time' : ''}${selection.filter ? ', or clear the filter' : ''}.`;
  return `No ${what} has any ${shown} in the selection. ${how}`;
}
