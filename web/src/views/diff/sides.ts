// The two sides of a comparison: what is selected and what it is compared with, and which of them is the older.
import type { Target } from '../../api_types';
import type { Parameters } from '../../client';
import { instantText, rangeText } from '../../fields';
import { isCounter, timely } from '../../metrics';
import type { Scene } from '../../scene';
import type { Selection, Time } from '../../selection';
import { baseName, durationText } from '../../units';

export interface Side {
  target: Target;
  time: Time | null; // all of it
}

export interface Sides {
  before: Side;
  after: Side;
  metric: string;
  isUsual: boolean; // nobody chose: it is what suits the selection
}

function instant(ns: number): Time {
  return { from: null, to: Math.round(ns) };
}

function stretch(from: number, to: number): Time {
  return { from: Math.round(from), to: Math.round(to) };
}

export function lengthOf(target: Target): number {
  return target.time_ns ?? 0;
}

/** Programs often tidy up before they end: what lived until then is asked for shortly before. */
const TIDY_SHARE = 1 / 24;

export function lastInstant(target: Target): number {
  const length = lengthOf(target);
  return Math.round(target.recording === 'ended' ? length * (1 - TIDY_SHARE) : length);
}

/** Without a choice: the halves of what is selected; of a level two instants of it. */
export function usualTimes(target: Target, time: Time | null, metric: string): [Time, Time] {
  const from = time?.from ?? 0,
    to = time ? time.to : lengthOf(target),
    middle = (from + to) / 2;
  if (isCounter(metric)) return [stretch(from, middle), stretch(middle, to)];
  return [instant(from > 0 ? from : middle), instant(time ? to : lastInstant(target))];
}

export function usualText(target: Target, time: Time | null, metric: string): string {
  const of = time ? 'the selected time' : 'the recording';
  if (isCounter(metric)) return `the halves of ${of}`;
  if (time && time.from) return `the beginning and the end of ${of}`;
  return !time && target.recording === 'ended'
    ? `the middle of ${of} and shortly before its end`
    : `the middle and the end of ${of}`;
}

/** Of two sides without a word on it, the one that began first is the older. */
function isOlder(a: Side, b: Side, targets: readonly Target[]): boolean {
  const began = (side: Side): number =>
    (a.target === b.target ? 0 : (side.target.start_unix_ns ?? 0)) +
    (side.time ? (side.time.from ?? side.time.to) : 0);
  const difference = began(a) - began(b);
  return difference === 0 ? targets.indexOf(a.target) < targets.indexOf(b.target) : difference < 0;
}

function order(a: Side, b: Side, scene: Scene, isUsual: boolean): Sides {
  const metric = a.time || b.time || a.target === b.target ? timely(scene.metric) : scene.metric;
  const isFirst = isOlder(a, b, scene.targets) !== scene.selection.swap;
  return { before: isFirst ? a : b, after: isFirst ? b : a, metric, isUsual };
}

/** A time for a side that has none while the other has one. */
function whole(side: Side, metric: string): Side {
  const end = lengthOf(side.target);
  return { ...side, time: isCounter(metric) ? stretch(0, end) : instant(end) };
}

/** Another run of the same program is what one wants to compare with. */
function isAlike(other: Target, { target, metric }: Scene): boolean {
  return (
    other.kind === target.kind &&
    other.program !== undefined &&
    other.program === target.program &&
    (other.metrics ?? []).includes(metric)
  );
}

export function sidesOf(scene: Scene): Sides {
  const { targets, target, selection } = scene;
  const { time, besides } = selection;
  const chosen = targets.find((one) => one.id === selection.other);
  const other = chosen ?? (besides ? target : targets.find((one) => one !== target && isAlike(one, scene)));
  const isUsual = !chosen && !besides;
  if (!other || (other === target && !besides)) {
    const [first, second] = usualTimes(target, time, timely(scene.metric));
    return order({ target, time: first }, { target, time: second }, scene, true);
  }
  let mine: Side = { target, time },
    theirs: Side = { target: other, time: besides };
  if (mine.time && !theirs.time) theirs = { ...theirs, time: fits(mine.time, other) ? mine.time : null };
  if (!mine.time !== !theirs.time) {
    mine = mine.time ? mine : whole(mine, scene.metric);
    theirs = theirs.time ? theirs : whole(theirs, scene.metric);
  }
  return order(mine, theirs, scene, isUsual);
}

function fits(time: Time, target: Target): boolean {
  return time.to <= lengthOf(target);
}

/** The selection that has these sides, in this order. */
export function choose(scene: Scene, before: Side, after: Side): Partial<Selection> {
  const isSame = before.target === after.target;
  return {
    target: after.target.id,
    time: after.time,
    other: isSame ? (scene.targets.length > 1 ? before.target.id : '') : before.target.id,
    besides: before.time,
    swap: !isOlder(before, after, scene.targets),
    zoom: '',
  };
}

export function questionOfSides(scene: Scene, { before, after, metric }: Sides): Parameters {
  return {
    target: scene.targets.length > 1 ? before.target.id : null,
    metric,
    between: rangeText(before.time),
    at: instantText(before.time),
    other: before.target === after.target ? null : after.target.id,
    with: rangeText(after.time),
    'with-at': instantText(after.time),
    filter: scene.selection.filter,
    normalise: scene.selection.scale === 'none' ? null : scene.selection.scale,
  };
}

export function timeText(time: Time | null): string {
  if (!time) return 'the whole recording';
  return time.from === null
    ? `at ${durationText(time.to)}`
    : `${durationText(time.from)} – ${durationText(time.to)}`;
}

export function targetText(target: Target): string {
  const name = target.node ?? (target.program ? baseName(target.program) : 'process');
  return target.file ? `${name} · ${baseName(target.file)}` : `${name} (${target.pid})`;
}

export function sideText(side: Side, scene: Scene): string {
  return scene.targets.length > 1
    ? `${targetText(side.target)}, ${timeText(side.time)}`
    : timeText(side.time);
}
