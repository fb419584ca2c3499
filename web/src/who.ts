// What is shown, in the header: its name, how long it is, and a choice when there are several.
import type { Target } from './api_types';
import { button, fill, h, listen } from './dom';
import { island } from './export/island';
import type { Selection } from './selection';
import { baseName, clockText, durationText } from './units';

export function nameOf(target: Target): string {
  if (target.kind === 'run') return `all nodes of ${target.run ?? 'the run'}`;
  if (target.kind === 'node') return target.node ?? 'a node';
  if (target.kind === 'history') return target.file ?? 'a history';
  return target.program ? baseName(target.program) : `process ${target.pid}`;
}

/** A part of a run that the server has not read yet. */
export function isClosed(target: Target): boolean {
  return (target.kind === 'run' || target.kind === 'node') && !target.open;
}

function optionText(target: Target): string {
  if (target.kind === 'run') return `${target.run ?? 'run'}: all nodes`;
  if (target.kind === 'node') return `${target.node} · ${target.profile}`;
  return `${nameOf(target)}${target.pid ? ` (${target.pid})` : ''}`;
}

function factsOf(target: Target): string {
  return [
    target.kind === 'node' ? `${target.profile} profiles` : target.pid ? `pid ${target.pid}` : '',
    target.time_ns === undefined ? '' : durationText(target.time_ns),
    target.start_unix_ns ? `from ${clockText(target.start_unix_ns)}` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

export function fillWho(
  into: HTMLElement,
  target: Target | undefined,
  targets: readonly Target[],
  change: (part: Partial<Selection>) => void,
): void {
  if (!target) return;
  const saved = island();
  const state = saved
    ? h('span', { class: 'hint', 'data-name': 'saved' }, `as saved ${clockText(saved.saved_unix_ns)}`)
    : target.recording === 'being written'
      ? h('span', { class: 'live', 'data-name': 'live' }, 'live')
      : null;
  const facts = factsOf(target);
  document.title = `${nameOf(target)} – memoir`;
  if (targets.length === 1) {
    fill(
      into,
      h('b', { title: target.program }, nameOf(target)),
      state,
      h('span', { class: 'hint', 'data-name': 'length', 'data-value': target.time_ns }, facts),
    );
    return;
  }
  const choice = listen(
    h(
      'select',
      { 'aria-label': 'Process' },
      ...targets.map((one) => h('option', { value: one.id, selected: one === target }, optionText(one))),
    ),
    {
      change: () => {
        const next = targets.find((one) => one.id === choice.value);
        // All nodes of a run have one clock; recordings have each their own.
        const isOneRun = next?.run !== undefined && next.run === target.run;
        change({
          target: choice.value,
          zoom: '',
          ...(isOneRun ? {} : { time: null }),
          ...(next?.kind === 'run' ? { view: 'nodes' } : {}),
        });
      },
    },
  );
  if (!(document.activeElement instanceof HTMLSelectElement && into.contains(document.activeElement)))
    fill(
      into,
      choice,
      state,
      h('span', { class: 'hint' }, facts),
      target.kind === 'node' && button('All nodes', () => change({ view: 'nodes' }), { class: 'chip' }),
    );
}
