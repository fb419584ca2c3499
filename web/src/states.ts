// What stands in place of all views while there is nothing to show yet, or at all.
import type { Target } from './api_types';
import { button, h } from './dom';

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
    h('h2', {}, 'There is nothing to show'),
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
        ? 'memoir knows only what the kernel says about it. To see who allocates:'
        : 'As soon as something is, it is shown here.',
    ),
    isNone && h('pre', {}, `memoir attach ${target.pid}`),
  );
}
