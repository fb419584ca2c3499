// Which function a view is about, as a word of the address: its name; with its module where two share it.
import type { Parameters } from '../../client';
import type { Row } from '../../rows';

const LONGEST = 200; // bytes of a parameter that the server takes, and some to spare

/** Rows by total, the largest first. */
export function byTotal(rows: readonly Row[]): Row[] {
  return [...rows]
    .filter((row) => row.name !== '[no stack]')
    .sort((a, b) => (b.cells[0]?.total ?? 0) - (a.cells[0]?.total ?? 0));
}

/** `rows` by total.  The word that means one of them and no other. */
export function focusOf(row: Row, rows: readonly Row[]): string {
  return rows.find((other) => other.name === row.name) === row ? row.name : `${row.name}@${row.module}`;
}

/** `rows` by total.  Nothing chosen yet: the one that has most itself. */
export function rowOfFocus(focus: string, rows: readonly Row[]): Row | null {
  if (focus)
    return (
      rows.find((row) => row.name === focus) ??
      rows.find((row) => `${row.name}@${row.module}` === focus) ??
      null
    );
  return rows.reduce<Row | null>(
    (best, row) => (best && (best.cells[0]?.self ?? 0) >= (row.cells[0]?.self ?? 0) ? best : row),
    null,
  );
}

/** A name too long for a parameter: its beginning and its end. */
function shortened(name: string): string {
  const bytes = new TextEncoder().encode(name);
  if (bytes.length <= LONGEST) return name;
  const part = (from: number, to?: number): string =>
    new TextDecoder().decode(bytes.slice(from, to)).replace(/^\uFFFD+|\uFFFD+$/g, '');
  return `${part(0, LONGEST / 2)}…${part(bytes.length - LONGEST / 2)}`;
}

export function questionAbout(row: Row): Parameters {
  return { function: shortened(row.name), module: row.module ? shortened(row.module) : null };
}
