// What all views are about, and which is shown: all of it is in the address, so links and the back button work.

export const views = ['flame', 'functions', 'tree', 'threads', 'histograms', 'quality'] as const;
export type View = (typeof views)[number];
export const groupings = ['function', 'module', 'line'] as const;
export type Grouping = (typeof groupings)[number];

/** ns since the recording began; without `from` it is an instant. */
export interface Time {
  from: number | null;
  to: number;
}

export interface Selection {
  pid: number | null; // the first
  view: View;
  metric: string; // empty: what suits the recording
  beside: readonly string[]; // further metrics in tables
  time: Time | null; // all of it
  filter: string; // regular expression over stacks, for the server
  find: string; // words to mark, for the page
  callers: boolean; // the flame graph begins with the innermost function
  zoom: string; // which of its frames fills the width
  by: Grouping;
  sort: string; // column of the table
  frames: number; // at most so many in the flame graph
}

const FRAMES = 50000;

export const everything: Selection = {
  pid: null,
  view: 'flame',
  metric: '',
  beside: [],
  time: null,
  filter: '',
  find: '',
  callers: false,
  zoom: '',
  by: 'function',
  sort: '',
  frames: FRAMES,
};

function oneOf<T extends string>(known: readonly T[], text: string | null, usual: T): T {
  return known.find((word) => word === text) ?? usual;
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,16}$/.test(text) ? Number(text) : null;
}

function timeOf(between: string | null, at: string | null): Time | null {
  const instant = wholeNumber(at);
  if (instant !== null) return { from: null, to: instant };
  const [from, to] = (between ?? '').split(',').map(wholeNumber);
  return from !== null && from !== undefined && to !== null && to !== undefined && from < to
    ? { from, to }
    : null;
}

export function parseSelection(hash: string): Selection {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    pid: wholeNumber(words.get('pid')),
    view: oneOf(views, words.get('view'), 'flame'),
    metric: words.get('metric') ?? '',
    beside: (words.get('beside') ?? '').split(',').filter(Boolean).slice(0, 3),
    time: timeOf(words.get('between'), words.get('at')),
    filter: words.get('filter') ?? '',
    find: words.get('find') ?? '',
    callers: words.get('callers') === '1',
    zoom: words.get('zoom') ?? '',
    by: oneOf(groupings, words.get('by'), 'function'),
    sort: words.get('sort') ?? '',
    frames: Math.min(Math.max(wholeNumber(words.get('frames')) ?? FRAMES, 100), 2000000),
  };
}

export function formatSelection(selection: Selection): string {
  const words = new URLSearchParams();
  const put = (name: string, text: string): void => {
    if (text) words.set(name, text);
  };
  put('pid', selection.pid === null ? '' : String(selection.pid));
  put('view', selection.view === 'flame' ? '' : selection.view);
  put('metric', selection.metric);
  put('beside', selection.beside.join(','));
  if (selection.time) {
    const { from, to } = selection.time;
    put(from === null ? 'at' : 'between', from === null ? String(to) : `${from},${to}`);
  }
  put('filter', selection.filter);
  put('find', selection.find);
  put('callers', selection.callers ? '1' : '');
  put('zoom', selection.zoom);
  put('by', selection.by === 'function' ? '' : selection.by);
  put('sort', selection.sort);
  put('frames', selection.frames === FRAMES ? '' : String(selection.frames));
  return words.toString().replace(/%2C/g, ',');
}

/** The selection in the address.  `change` is a step that the back button takes back, unless it replaces the last one. */
export class SelectionInAddress {
  current: Selection = parseSelection(location.hash);
  private readonly listeners: ((now: Selection, before: Selection) => void)[] = [];

  constructor() {
    const read = (): void => this.become(parseSelection(location.hash));
    addEventListener('popstate', read);
    addEventListener('hashchange', read);
  }

  onChange(listener: (now: Selection, before: Selection) => void): void {
    this.listeners.push(listener);
  }

  change(part: Partial<Selection>, how: 'step' | 'replace' = 'step'): void {
    const next = { ...this.current, ...part };
    const hash = formatSelection(next);
    if (hash === formatSelection(this.current)) return;
    history[how === 'step' ? 'pushState' : 'replaceState'](
      null,
      '',
      hash ? `#${hash}` : location.pathname + location.search,
    );
    this.become(next);
  }

  private become(next: Selection): void {
    const before = this.current;
    if (formatSelection(next) === formatSelection(before)) return;
    this.current = next;
    for (const listener of this.listeners) listener(next, before);
  }
}
