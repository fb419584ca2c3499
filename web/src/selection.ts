// What all views are about, and which is shown: all of it is in the address, so links and the back button work.

import { island } from './export/island';
import { viewNames, type View } from './views/list';

export const groupings = ['function', 'module', 'line'] as const;
export type Grouping = (typeof groupings)[number];
export const diffGroupings = ['stack', ...groupings] as const;
export type DiffGrouping = (typeof diffGroupings)[number];
export const colourings = ['module', 'function', 'change'] as const;
export type Colouring = (typeof colourings)[number];
export const scales = ['none', 'time', 'total'] as const;
export type Scale = (typeof scales)[number];
export const areas = ['stacked', 'lines', 'share'] as const;
export type Areas = (typeof areas)[number];

/** ns since the recording began; without `from` it is an instant. */
export interface Time {
  from: number | null;
  to: number;
}

export interface Selection {
  target: string; // empty: the first
  view: View;
  metric: string; // empty: what suits the recording
  beside: readonly string[]; // further metrics in tables
  time: Time | null; // all of it
  filter: string; // regular expression over stacks, for the server
  find: string; // words to mark, for the page
  callers: boolean; // the flame graph begins with the innermost function
  zoom: string; // which of its frames fills the width
  span: string; // what part of its width is seen instead, after the wheel: "from,to" in billionths
  by: Grouping;
  rows: DiffGrouping; // of what changed
  sort: string; // column of the table
  frames: number; // at most so many in the flame graph
  focus: string; // the one function that a view is about
  camera: string; // what is seen of the call graph, if not as usual: the middle, and a thousand times the scale
  least: string; // percent that a box of the call graph has at least; empty: as usual
  file: string; // whose source lines are shown
  colour: Colouring; // of the flame graph
  other: string; // what to compare with: another target
  besides: Time | null; // and its time, or another time of the same
  scale: Scale; // of the older side
  owner: string; // of resident memory, whose call sites are shown: its metric
  series: string; // of all nodes: what is shown over time; empty: as usual
  lanes: boolean; // each node over time, below each other
  alone: boolean; // nodes are not grouped by role
  picked: string; // a function whose time is drawn over the timeline
  tracks: readonly string[]; // lanes of the timeline; empty: the usual ones
  stretch: Time | null; // of the timeline, that fills its width; null: all of it
  top: number; // call sites over time, so many
  areas: Areas; // how they are drawn
  swap: boolean; // the older is the newer
  drawn: boolean; // what changed, as a flame graph
  region: string; // of the map: the number of the mapping whose pages are shown, or "from-how many" of a row that stands for several
  shape: string; // of the map: empty or treemap
}

const FRAMES = 25000,
  SITES = 8;

export const everything: Selection = {
  target: '',
  view: 'flame',
  metric: '',
  beside: [],
  time: null,
  filter: '',
  find: '',
  callers: false,
  zoom: '',
  span: '',
  by: 'function',
  rows: 'function',
  sort: '',
  frames: FRAMES,
  focus: '',
  camera: '',
  least: '',
  file: '',
  colour: 'module',
  other: '',
  besides: null,
  scale: 'none',
  owner: '',
  series: '',
  lanes: false,
  alone: false,
  region: '',
  swap: false,
  drawn: false,
  shape: '',
  picked: '',
  tracks: [],
  stretch: null,
  top: SITES,
  areas: 'stacked',
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
    target: words.get('target') ?? words.get('pid') ?? '',
    view: oneOf(viewNames, words.get('view'), 'flame'),
    metric: words.get('metric') ?? '',
    beside: (words.get('beside') ?? '').split(',').filter(Boolean).slice(0, 3),
    time: timeOf(words.get('between'), words.get('at')),
    filter: words.get('filter') ?? '',
    find: words.get('find') ?? '',
    callers: words.get('callers') === '1',
    zoom: words.get('zoom') ?? '',
    span: /^\d{1,10},\d{1,10}$/.exec(words.get('span') ?? '')?.[0] ?? '',
    by: oneOf(groupings, words.get('by'), 'function'),
    rows: oneOf(diffGroupings, words.get('rows'), 'function'),
    sort: words.get('sort') ?? '',
    frames: Math.min(Math.max(wholeNumber(words.get('frames')) ?? FRAMES, 100), 2000000),
    focus: words.get('focus') ?? '',
    camera: /^-?\d{1,6},-?\d{1,6},\d{1,5}$/.exec(words.get('camera') ?? '')?.[0] ?? '',
    least: /^\d{1,2}(\.\d{1,3})?$/.exec(words.get('least') ?? '')?.[0] ?? '',
    file: words.get('file') ?? '',
    colour: oneOf(colourings, words.get('colour'), 'module'),
    other: words.get('other') ?? '',
    besides: timeOf(words.get('with'), words.get('with-at')),
    scale: oneOf(scales, words.get('scale'), 'none'),
    owner: words.get('owner') ?? '',
    series: words.get('series') ?? '',
    lanes: words.get('lanes') === '1',
    alone: words.get('alone') === '1',
    region: words.get('region') ?? '',
    picked: words.get('picked') ?? '',
    tracks: (words.get('tracks') ?? '').split(',').filter(Boolean).slice(0, 12),
    stretch: timeOf(words.get('stretch'), null),
    top: Math.min(Math.max(wholeNumber(words.get('top')) ?? SITES, 1), 16),
    areas: oneOf(areas, words.get('areas'), 'stacked'),
    swap: words.get('swap') === '1',
    drawn: words.get('drawn') === '1',
    shape: words.get('shape') ?? '',
  };
}

export function formatSelection(selection: Selection): string {
  const words = new URLSearchParams();
  const put = (name: string, text: string): void => {
    if (text) words.set(name, text);
  };
  const putTime = (time: Time | null, between: string, at: string): void => {
    if (time)
      put(
        time.from === null ? at : between,
        time.from === null ? String(time.to) : `${time.from},${time.to}`,
      );
  };
  put('target', selection.target);
  put('view', selection.view === 'flame' ? '' : selection.view);
  put('metric', selection.metric);
  put('beside', selection.beside.join(','));
  putTime(selection.time, 'between', 'at');
  put('filter', selection.filter);
  put('find', selection.find);
  put('callers', selection.callers ? '1' : '');
  put('zoom', selection.zoom);
  put('span', selection.span);
  put('by', selection.by === 'function' ? '' : selection.by);
  put('rows', selection.rows === 'function' ? '' : selection.rows);
  put('sort', selection.sort);
  put('frames', selection.frames === FRAMES ? '' : String(selection.frames));
  put('focus', selection.focus);
  put('camera', selection.camera);
  put('least', selection.least);
  put('file', selection.file);
  put('colour', selection.colour === 'module' ? '' : selection.colour);
  put('other', selection.other);
  putTime(selection.besides, 'with', 'with-at');
  put('scale', selection.scale === 'none' ? '' : selection.scale);
  put('owner', selection.owner);
  put('series', selection.series);
  put('lanes', selection.lanes ? '1' : '');
  put('alone', selection.alone ? '1' : '');
  put('region', selection.region);
  put('picked', selection.picked);
  put('tracks', selection.tracks.join(','));
  putTime(selection.stretch, 'stretch', '');
  put('top', selection.top === SITES ? '' : String(selection.top));
  put('areas', selection.areas === 'stacked' ? '' : selection.areas);
  put('swap', selection.swap ? '1' : '');
  put('drawn', selection.drawn ? '1' : '');
  put('shape', selection.shape);
  return words.toString().replace(/%2C/g, ',');
}

/** What was meant for another picture than the one after a change. */
function outdated(part: Partial<Selection>): Partial<Selection> {
  const isSamePicture = Object.keys(part).every((name) => ['camera', 'find', 'picked'].includes(name));
  return { ...('zoom' in part ? { span: '' } : {}), ...(isSamePicture ? {} : { camera: '' }) };
}

/** The selection in the address.  `change` is a step that the back button takes back, unless it replaces the last one. */
export class SelectionInAddress {
  current: Selection = parseSelection(location.hash || (island()?.selection ?? ''));
  private readonly listeners: ((now: Selection, before: Selection) => void)[] = [];

  constructor() {
    const read = (): void => this.become(parseSelection(location.hash || (island()?.selection ?? '')));
    addEventListener('popstate', read);
    addEventListener('hashchange', read);
  }

  onChange(listener: (now: Selection, before: Selection) => void): void {
    this.listeners.push(listener);
  }

  change(part: Partial<Selection>, how: 'step' | 'replace' = 'step'): void {
    const next = { ...this.current, ...outdated(part), ...part };
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
