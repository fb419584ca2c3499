// Keys, on `?`.
import { button, h } from './dom';
import { aboutView, viewNames } from './views/list';

const keys: readonly [string, string][] = [
  [
    'g …',
    `a view: ${viewNames.map((view) => `${aboutView(view).letter} ${aboutView(view).tab.toLowerCase()}`).join(', ')}`,
  ],
  ['1 … 9', 'one of the first nine views'],
  ['[ ]', 'the view before, the next view'],
  ['t', 'go to the timeline: ← → move, Shift + ← → select a range, Enter an instant, + − 0 zoom'],
  ['f', 'go to the view: arrows walk, Enter zooms in or narrows down, Backspace zooms out'],
  ['/', 'find: marks frames and narrows tables'],
  ['s', 'filter stacks by a regular expression, in all views'],
  ['m', 'choose the metric'],
  [
    '+ − 0',
    'call graph: zoom; arrows walk along calls, Enter shows the graph around a function, Backspace shows the whole graph',
  ],
  ['n p', 'source: the next line with a cost or that was found, the one before; Backspace all files'],
  ['Shift + arrows', 'heat map: select a range of cells, Enter one cell; all views follow'],
  ['↑ ↓', 'resident memory: from owner to owner; Enter opens one'],
  ['← → ↑ ↓', 'sites: the cursor, and from site to site; Enter keeps only stacks through one'],
  ['e', 'save: pictures, tables, files for other programs, all views as one page'],
  ['v x b', 'diff: table or flame graph, swap the sides, keep the selected time to compare with'],
  ['l', 'nodes: each over time, below each other; arrows choose one, Enter opens it'],
  ['r', 'flame graph and tree: switch between top down and bottom up'],
  ['Ctrl, Shift', 'with the wheel: zoom into a flame graph, pan it'],
  ['c', 'callers and callees of the function; there Enter moves on, z zooms, Backspace goes back'],
  ['← → ↑ ↓', 'map: from mapping to mapping; Enter shows its pages, Backspace goes back'],
  ['Esc', 'clear find, then zoom, filter and time'],
  ['d', 'dark or light'],
  ['?', 'this'],
];

export function helpDialog(): HTMLDialogElement {
  const dialog = h('dialog', { class: 'dialog help', 'aria-label': 'Keys' });
  dialog.append(
    h('h2', {}, 'Keys'),
    h('dl', {}, ...keys.flatMap(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)])),
    h(
      'p',
      { class: 'hint' },
      'Drag over the timeline to select a range: all views follow. Click it for one instant. A double click clears it. Everything you select is in the address, so a link shows the same.',
    ),
    button('Close', () => dialog.close(), { class: 'primary' }),
  );
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  return dialog;
}

export function openHelp(dialog: HTMLDialogElement): void {
  dialog.showModal();
  dialog.scrollTop = 0; // not at the button, which has the focus and stands at the end
}
