// From the resident size to its owners, step by step: each bar begins where the one above ended.
import type { Explain, Frame, Owner, OwnerRow } from '../../api_types';
import { add, button, h } from '../../dom';
import type { Pen } from '../../export/seen';
import { SANS } from '../../canvas';
import type { Theme } from '../../theme';
import { baseName, bytesText, countText, shareText } from '../../units';
import { aboutOwner, isEstimated, ownerColor, ownerVariable } from './owners';

export interface Step {
  owner: Owner;
  from: number; // bytes of those before it
}

export function stepsOf(explanation: Explain): Step[] {
  let from = 0;
  return explanation.owners
    .filter((owner) => owner.value !== 0)
    .map((owner) => {
      const step = { owner, from };
      from += owner.value;
      return step;
    });
}

export interface Actions {
  opened: string; // metric of the owner that is open
  isSampled: boolean;
  finds: ((name: string) => boolean) | null;
  open(metric: string): void;
  show(view: 'flame' | 'callers', metric: string, site: string): void;
}

const CALLERS = 4;
const starts = /^(_start|__libc_start|start_thread|clone|__clone)/;

function placeOf(frame: Frame): string {
  return frame.file ? `${baseName(frame.file)}${frame.line ? `:${frame.line}` : ''}` : '';
}

/** Whose it is and who called it, as memoir explain writes it. */
function siteWords(row: OwnerRow, actions: Actions): HTMLElement {
  const [frame, ...callers] = row.stack;
  const name = frame?.function || (frame ? baseName(frame.module) : '') || '[no stack]';
  const by = callers
    .filter((one) => one.function && !starts.test(one.function))
    .slice(0, CALLERS)
    .map((one) => ` < ${one.function}`)
    .join('');
  return h(
    'span',
    { class: 'site-words', title: [name, frame && placeOf(frame), by].filter(Boolean).join(' ') },
    h('span', { class: `mono${actions.finds?.(name) ? ' hit' : ''}` }, name),
    frame && placeOf(frame) ? h('span', { class: 'where' }, placeOf(frame)) : null,
    by ? h('span', { class: 'where mono' }, by) : null,
  );
}

function siteLines(owner: Owner, rows: OwnerRow[], metric: string, actions: Actions): HTMLElement[] {
  const most = rows.reduce((largest, row) => Math.max(largest, Math.abs(row.value)), 1);
  return rows.map((row) => {
    const name = row.stack[0]?.function ?? '';
    const isStack = row.stack.length > 1;
    const bar = h('i', { class: 'site-bar', 'aria-hidden': 'true' });
    bar.style.width = `${(100 * Math.abs(row.value)) / most}%`;
    bar.style.background = ownerVariable(owner.metric);
    return h(
      'li',
      { 'data-site': name, 'data-value': row.value },
      h('span', { class: 'site-value' }, bytesText(row.value)),
      h('span', { class: 'site-track' }, bar),
      siteWords(row, actions),
      isStack
        ? h(
            'span',
            { class: 'site-buttons' },
            button('Flame', () => actions.show('flame', metric, name), {
              class: 'small',
              'aria-label': `Flame graph of ${metric} in ${name}`,
            }),
            button('Callers', () => actions.show('callers', metric, name), {
              class: 'small',
              'aria-label': `Callers of ${name} by ${metric}`,
            }),
          )
        : null,
    );
  });
}

function details(owner: Owner, actions: Actions): HTMLElement {
  const shown = owner.rows.reduce((sum, row) => sum + row.value, 0);
  const box = h('div', { class: 'owner-sites', 'data-owner': owner.metric });
  add(
    box,
    h(
      'div',
      { class: 'owner-actions' },
      h('code', {}, owner.metric),
      button('Flame graph of this owner', () => actions.show('flame', owner.metric, ''), { class: 'small' }),
      h(
        'span',
        { class: 'hint' },
        owner.rows.length
          ? `${countText(owner.rows.length)} largest${owner.value > shown ? `; all other call sites have ${bytesText(owner.value - shown)}` : ''}`
          : '',
      ),
    ),
    h('ul', { class: 'owner-list' }, ...siteLines(owner, owner.rows, owner.metric, actions)),
  );
  if (owner.touched?.length) {
    const metric = `${owner.metric.replace(/\.resident$/, '')}.touched`;
    add(
      box,
      h(
        'p',
        { class: 'hint' },
        'No allocation of this memory was recorded. These call sites touched it first:',
      ),
      h('ul', { class: 'owner-list' }, ...siteLines(owner, owner.touched, metric, actions)),
    );
  }
  return box;
}

function barOf(from: number, value: number, whole: number, color: string): HTMLElement {
  const bar = h('i', { class: 'step-bar', 'aria-hidden': 'true' });
  bar.style.left = `${(100 * from) / whole}%`;
  bar.style.width = `${(100 * value) / whole}%`;
  bar.style.background = color;
  return h('span', { class: 'step-track' }, bar);
}

function stepLine(step: Step, whole: number, actions: Actions): HTMLElement {
  const { owner, from } = step,
    { title, meaning } = aboutOwner(owner.metric, owner.name),
    isOpen = actions.opened === owner.metric,
    estimated = actions.isSampled && isEstimated(owner.metric);
  const head = button('', () => actions.open(isOpen ? '' : owner.metric), {
    class: 'step',
    'aria-expanded': String(isOpen),
    'data-name': owner.metric,
    'data-value': owner.value,
    'data-owner-button': owner.metric,
  });
  add(
    head,
    h('span', { class: 'step-name' }, h('span', { class: 'twisty' }, isOpen ? '▾' : '▸'), title),
    barOf(from, owner.value, whole, ownerVariable(owner.metric)),
    h('span', { class: 'step-value' }, `${estimated ? '≈ ' : ''}${bytesText(owner.value)}`),
    h('span', { class: 'step-share' }, shareText(owner.value, whole)),
    h(
      'span',
      { class: `step-meaning${actions.finds?.(title) ? ' hit' : ''}` },
      estimated ? `${meaning} (estimated: the heap was sampled)` : meaning,
    ),
  );
  return h('li', {}, head, isOpen ? details(owner, actions) : null);
}

export function waterfall(explanation: Explain, actions: Actions): HTMLElement {
  const whole = Math.max(1, explanation.residency.resident_bytes);
  const top = h('div', { class: 'step whole', 'data-name': 'resident', 'data-value': whole });
  add(
    top,
    h('span', { class: 'step-name' }, 'Resident'),
    barOf(0, whole, whole, 'var(--rss)'),
    h('span', { class: 'step-value' }, bytesText(whole)),
    h('span', { class: 'step-share' }, '100 %'),
    h('span', { class: 'step-meaning' }, 'as counted by the kernel: VmRSS'),
  );
  return h(
    'ul',
    { class: 'waterfall', 'aria-label': 'Owners of the resident memory' },
    h('li', {}, top),
    ...stepsOf(explanation).map((step) => stepLine(step, whole, actions)),
  );
}

const LINE = 30,
  NAME = 110,
  NUMBER = 90;

/** The same as a picture, for files. */
export function paintWaterfall(pen: Pen, explanation: Explain, width: number, colors: Theme): void {
  const whole = Math.max(1, explanation.residency.resident_bytes),
    room = width - NAME - NUMBER;
  const line = (y: number, name: string, from: number, value: number, color: string): void => {
    pen.fillStyle = colors.text;
    pen.font = `600 12px ${SANS}`;
    pen.textBaseline = 'middle';
    pen.textAlign = 'left';
    pen.fillText(name, 0, y + LINE / 2);
    pen.textAlign = 'right';
    pen.fillText(bytesText(value), width, y + LINE / 2);
    pen.fillStyle = color;
    pen.fillRect(NAME + (room * from) / whole, y + 5, Math.max(1, (room * value) / whole), LINE - 10);
  };
  line(0, 'Resident', 0, whole, colors.rss);
  stepsOf(explanation).forEach(({ owner, from }, i) =>
    line(
      (i + 1) * LINE,
      aboutOwner(owner.metric, owner.name).title,
      from,
      owner.value,
      ownerColor(colors, owner.metric),
    ),
  );
}

export function waterfallHeight(explanation: Explain): number {
  return (stepsOf(explanation).length + 1) * LINE;
}
