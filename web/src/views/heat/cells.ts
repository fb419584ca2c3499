// A heat map in the page: cells by slot, in the order of time, and when each is.
import type { HeatAnswer } from '../../api_types';

export interface Cells {
  columns: number;
  rows: number;
  isEven: boolean; // all cells are of one length
  count: number; // of slots that are in the recording
  value: Float64Array; // by slot
  tally: Float64Array; // by slot: samples, waits or calls
  most: number; // the largest shade
  from(slot: number): number; // ns
  to(slot: number): number;
  shade(slot: number): number; // what its colour tells: value, or value per second where cells are of different lengths
}

export function cellsOf(answer: HeatAnswer): Cells {
  const { columns, rows, begin_ns: begin, column_ns: column } = answer;
  const isByBucket = answer.kind === 'buckets';
  const count = isByBucket ? answer.from_ns.length : columns * rows;
  const value = new Float64Array(columns * rows),
    tally = new Float64Array(columns * rows);
  answer.slots.forEach((slot, i) => {
    value[slot] = answer.values[i]!;
    tally[slot] = answer.counts[i]!;
  });
  const from = (slot: number): number =>
    isByBucket ? (answer.from_ns[slot] ?? 0) : begin + (slot * column) / rows;
  const to = (slot: number): number =>
    isByBucket ? (answer.to_ns[slot] ?? 0) : begin + ((slot + 1) * column) / rows;
  const shade = (slot: number): number =>
    isByBucket ? (value[slot]! * 1e9) / Math.max(1, to(slot) - from(slot)) : value[slot]!;
  let most = 0;
  for (const slot of answer.slots) most = Math.max(most, shade(slot));
  return { columns, rows, isEven: !isByBucket, count, value, tally, most, from, to, shade };
}

export function sumOf(cells: Cells, first: number, last: number): { value: number; count: number } {
  let value = 0,
    count = 0;
  for (let slot = first; slot <= last; slot++) {
    value += cells.value[slot] ?? 0;
    count += cells.tally[slot] ?? 0;
  }
  return { value, count };
}

/** The slots that a stretch of time covers, or null: those that lie in it by more than a half. */
export function slotsOf(cells: Cells, fromNs: number, toNs: number): [number, number] | null {
  let first = -1,
    last = -1;
  for (let slot = 0; slot < cells.count; slot++) {
    const middle = (cells.from(slot) + cells.to(slot)) / 2;
    if (middle < fromNs || middle >= toNs) continue;
    if (first < 0) first = slot;
    last = slot;
  }
  return first < 0 ? null : [first, last];
}
