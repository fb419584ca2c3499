// What all views are about, and which is shown.  One table has its fields; the type, the address and the questions to
// the server are made of the table.
import type { Parameters } from './client';
import {
  asked,
  choice,
  count,
  flag,
  instantText,
  rangeText,
  text,
  textLike,
  time,
  words,
  type Field,
} from './fields';
import { viewNames } from './views/list';

export type { Time } from './fields';

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

/** Each with its key in the address, its default, how it is written and read, and whether questions have it. */
const fields = {
  target: text('target', 'pid'), // empty: the first
  view: choice('view', viewNames, 'flame'),
  metric: text('metric'), // empty: what suits the recording
  beside: words('beside', 3), // further metrics in tables
  // Null: all of it.
  time: asked(time('between', 'at'), (value) => ({ between: rangeText(value), at: instantText(value) })),
  filter: asked(text('filter'), (filter) => ({ filter })), // regular expression over stacks, for the server
  find: text('find'), // words to mark, for the page
  callers: flag('callers'), // the flame graph begins with the innermost function
  zoom: text('zoom'), // which frame of the flame graph fills the width
  // What part of its width is seen instead, after the wheel: "from,to" in billionths.
  span: textLike('span', /^\d{1,10},\d{1,10}$/),
  by: choice('by', groupings, 'function'),
  rows: choice('rows', diffGroupings, 'function'), // of what changed
  sort: text('sort'), // column of the table
  frames: count('frames', 25000, 100, 2000000), // at most so many in the flame graph
  focus: text('focus'), // the one function that a view is about
  // What is seen of the call graph, if not as usual: the middle, and a thousand times the scale.
  camera: textLike('camera', /^-?\d{1,6},-?\d{1,6},\d{1,5}$/),
  // Percent that a box of the call graph has at least; empty: as usual.
  least: textLike('least', /^\d{1,2}(\.\d{1,3})?$/),
  file: text('file'), // whose source lines are shown
  colour: choice('colour', colourings, 'module'), // of the flame graph
  other: text('other'), // what to compare with: another target
  besides: time('with', 'with-at'), // and its time, or another time of the same target
  scale: choice('scale', scales, 'none'), // of the older side
  owner: text('owner'), // of resident memory, whose call sites are shown: its metric
  series: text('series'), // of all nodes: what is shown over time; empty: as usual
  lanes: flag('lanes'), // each node over time, below each other
  alone: flag('alone'), // nodes are not grouped by role
  // Of the map: the number of the mapping whose pages are shown, or of a row that stands for several: "first-count".
  region: text('region'),
  picked: text('picked'), // a function whose time is drawn over the timeline
  tracks: words('tracks', 12), // lanes of the timeline; empty: the usual ones
  stretch: time('stretch'), // of the timeline, that fills its width; null: all of it
  top: count('top', 8, 1, 16), // call sites over time, so many
  areas: choice('areas', areas, 'stacked'), // how they are drawn
  swap: flag('swap'), // the older is the newer
  drawn: flag('drawn'), // what changed, as a flame graph
  shape: text('shape'), // of the map: empty or treemap
};

export type Selection = { [Name in keyof typeof fields]: (typeof fields)[Name]['usual'] };

const rows = Object.entries(fields) as [keyof Selection, Field<unknown>][];

export function parseSelection(hash: string): Selection {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  return Object.fromEntries(
    rows.map(([name, field]) => [name, field.decode(field.keys.map((key) => given.get(key)))]),
  ) as Selection;
}

export function formatSelection(selection: Selection): string {
  const address = new URLSearchParams();
  for (const [name, { keys, usual, encode }] of rows) {
    const left = encode(usual);
    encode(selection[name]).forEach((one, i) => {
      if (one && one !== left[i]) address.set(keys[i]!, one);
    });
  }
  return address.toString().replace(/%2C/g, ',');
}

/** What every question to the server says about the selection. */
export function questionOfSelection(selection: Selection): Parameters {
  return Object.assign({}, ...rows.map(([name, field]) => field.ask?.(selection[name]))) as Parameters;
}
