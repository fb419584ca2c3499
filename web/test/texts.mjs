// Numbers as people read them: what stands in the page beside each number that it has (data-value) is that number, with its
// unit and its sign.  Written anew here: the page's own way to write numbers is what is tested.
import { check } from './browser.mjs';

const units = {
  ...{ B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 },
  ...{ ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9, d: 86400e9 },
  ...{ k: 1e3, M: 1e6, G: 1e9 },
};
const LONG = /(?<![\w.,])(\d+) (d|h|min) (\d+) (h|min|s)(?!\w)/g; // 2 min 05 s
const PLAIN =
  /(?<![\w.,])([+−-]?)(\d[\d,]*)(?:\.(\d+))?(?: ?(KiB|MiB|GiB|TiB|B|ns|µs|ms|s|k|M|G|%))?(?![\w%])/g;

/** All numbers in a text: how much, how far it may be off, and how it is written. */
export function numbersIn(text) {
  const long = [...text.matchAll(LONG)].map(([, most, unit, rest, last]) => ({
    value: most * units[unit] + rest * units[last],
    off: units[last],
    sign: '',
    unit: last,
  }));
  const plain = [...text.replace(LONG, '').matchAll(PLAIN)].map(([, sign, digits, part = '', unit = '']) => {
    const size = Number(`${digits.replaceAll(',', '')}.${part || 0}`) * (units[unit] ?? 1);
    return {
      value: sign && sign !== '+' ? -size : size,
      off: (0.5000001 * (units[unit] ?? 1)) / 10 ** part.length,
      sign,
      unit,
    };
  });
  return [...long, ...plain];
}

const COUNTS =
  /count|calls|^lines|lag$|^height|^gaps$|nodes$|^runs$|^found$|^down$|^diff-(new|gone|grown|shrunk|chance)$|-scale$|^(sizes|lifetimes)(-sum)?$/;
const SHARES = /(^|-)share$|^explained$|confidence|complete_stacks|unresolved_frames|^percent$/;
const CHANGES = /^(change|growth|diff-change|explain-gap)$/;
// Numbers that are beside the text, not in it.
const BESIDE =
  /^(callers-sum|callees-sum|heat-kind|left-out|map-kernel|lost_events|damaged|complete|summary-(temporary|growth))$/;

/** '' or what is wrong with the text of a number.  `whole`: what shares in it are of. */
export function faultOf(key, value, text, { factors = {}, whole = null } = {}) {
  const fault = (why) => `${key} is ${value} and says “${text}”: ${why}`;
  const found = numbersIn(text);
  if (found.length === 0) return value === 0 || /^(new|gone)$/.test(text) ? '' : fault('no number is in it');
  const isCount = COUNTS.test(key),
    isShare = SHARES.test(key);
  const meant = value * (isShare && key !== 'percent' ? 100 : (factors[key] ?? 1));
  const own = found.find(
    (one) =>
      (isShare ? one.unit === '%' : isCount === /^[kMG]?$/.test(one.unit) && one.unit !== '%') &&
      (Math.abs(one.value - meant) <= one.off || (/^more than/.test(text) && meant > one.value)),
  );
  if (value === 0 && !own)
    return found.some((one) => one.value === 0 && !one.sign) ? '' : fault('it is not zero');
  if (!own) return fault(`that is another number, or has another unit`);
  if (own.sign === '+' ? value <= 0 : value > 0 && CHANGES.test(key)) return fault('its sign is wrong');
  const part = found.find((one) => one.unit === '%');
  return isShare ||
    !whole ||
    !part ||
    /[<>]/.test(text) ||
    Math.abs(part.value - (100 * value) / whole) <= 0.0501
    ? ''
    : fault(`it is another share of ${whole}`);
}

/** Of all numbers in a part of the page.  `factors`: by which those of a name are shown, such as 60 for a rate per minute. */
export async function testTexts(page, name, options = {}) {
  const { within = '#view' } = options;
  const numbers = page.locator(within).locator('[data-value]').filter({ visible: true });
  const all = await numbers.evaluateAll((found) =>
    found
      .filter((one) => one instanceof HTMLElement)
      .map((one) => [
        one.dataset.name ??
          one.dataset.column ??
          one.dataset.figure ??
          one.closest('[data-lane], [data-name]')?.dataset.lane ??
          one.closest('[data-name]')?.dataset.name ??
          '',
        one.dataset.value,
        one.innerText.replace(/\s+/g, ' ').trim(),
      ]),
  );
  const told = all.filter(
    ([key, value]) => value !== '' && !Number.isNaN(Number(value)) && !BESIDE.test(key),
  );
  const faults = told.map(([key, value, text]) => faultOf(key, Number(value), text, options)).filter(Boolean);
  check(
    name,
    told.length > 0 && faults.length === 0,
    `${faults.length} of ${told.length}: ${faults.slice(0, 3).join('; ')}`,
  );
}

/** That a sentence has a number in it, in a unit. */
export function testSays(name, text, value, unit) {
  check(
    name,
    numbersIn(text.replace(/\s+/g, ' ')).some(
      (one) => unit.test(one.unit) && Math.abs(one.value - value) <= one.off,
    ),
    `${value} is not in “${text}”`,
  );
}

export const BYTES = /B$/,
  TIME = /^(ns|µs|ms|s|min|h)$/,
  COUNT = /^[kMG]?$/,
  SHARE = /^%$/;
