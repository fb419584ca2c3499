// How a value of the selection is written in the address, and read from it: one kind of field for each kind of value.
import type { Parameters } from './client';

/** ns since the recording began; without `from` it is an instant. */
export interface Time {
  from: number | null;
  to: number;
}

export interface Field<T> {
  readonly keys: readonly string[]; // in the address
  readonly usual: T; // is left out of the address
  encode(value: T): readonly string[]; // a text for each key, or for the first ones; empty: none
  decode(texts: readonly (string | null)[]): T; // the text of each key; whatever it is, the value is a valid one
  ask?(value: T): Parameters; // what it adds to every question to the server
}

/** Of several keys the first is written; the others are read in old links. */
export function text(...keys: string[]): Field<string> {
  return {
    keys,
    usual: '',
    encode: (value) => [value],
    decode: (texts) => texts.find((one) => one !== null) ?? '',
  };
}

/** Text that is nothing unless all of it matches. */
export function textLike(key: string, pattern: RegExp): Field<string> {
  return { ...text(key), decode: ([given]) => pattern.exec(given ?? '')?.[0] ?? '' };
}

export function flag(key: string): Field<boolean> {
  return {
    keys: [key],
    usual: false,
    encode: (value) => [value ? '1' : ''],
    decode: ([given]) => given === '1',
  };
}

export function choice<T extends string>(key: string, known: readonly T[], usual: NoInfer<T>): Field<T> {
  return {
    keys: [key],
    usual,
    encode: (value) => [value],
    decode: ([given]) => known.find((one) => one === given) ?? usual,
  };
}

function wholeNumber(given: string | null | undefined): number | null {
  return given && /^\d{1,16}$/.test(given) ? Number(given) : null;
}

export function count(key: string, usual: number, least: number, most: number): Field<number> {
  return {
    keys: [key],
    usual,
    encode: (value) => [String(value)],
    decode: ([given]) => Math.min(Math.max(wholeNumber(given) ?? usual, least), most),
  };
}

/** At most so many words, with commas between them. */
export function words(key: string, most: number): Field<readonly string[]> {
  return {
    keys: [key],
    usual: [],
    encode: (value) => [value.join(',')],
    decode: ([given]) => (given ?? '').split(',').filter(Boolean).slice(0, most),
  };
}

/** A range has one key, an instant the other; without `at` it cannot be an instant. */
export function time(between: string, at?: string): Field<Time | null> {
  return {
    keys: at === undefined ? [between] : [between, at],
    usual: null,
    encode: (value) => {
      if (!value) return [];
      return value.from === null ? ['', String(value.to)] : [`${value.from},${value.to}`];
    },
    decode: ([range, instant]) => {
      const when = wholeNumber(instant);
      if (when !== null) return { from: null, to: when };
      const [from = null, to = null] = (range ?? '').split(',').map(wholeNumber);
      return from !== null && to !== null && from < to ? { from, to } : null;
    },
  };
}

/** A field that every question to the server has in it. */
export function asked<T>(field: Field<T>, ask: (value: T) => Parameters): Field<T> {
  return { ...field, ask };
}

/** As the server wants to be told a range of time; null: none, or an instant. */
export function rangeText(value: Time | null): string | null {
  return value && value.from !== null ? `${value.from}ns,${value.to}ns` : null;
}

/** The same of an instant. */
export function instantText(value: Time | null): string | null {
  return value && value.from === null ? `${value.to}ns` : null;
}
