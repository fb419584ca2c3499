// What a test reads of the page, a person sees.  Whatever reads through a locator looks first (look.mjs); what is not seen is a
// failure of the test, whether or not its text or number is right.
import { basename } from 'node:path';
import { inPage, notePaintedTexts } from './look.mjs';

const READS = [
  ...['allInnerTexts', 'allTextContents', 'boundingBox', 'count', 'evaluate', 'evaluateAll', 'getAttribute'],
  ...['innerText', 'inputValue', 'isChecked', 'isVisible', 'textContent', 'waitFor'],
];

/** How long to look: a view that is being shown anew is seen soon. */
export const patience = { ms: 2000 };

const ENOUGH = 8; // a page of which so much is not seen is not waited for
const faults = new Map(); // what is wrong: where it was read first
const unwatched = new WeakSet();
let looks = 0,
  isWatching = false,
  evaluateAll;

/** For what is read and not for eyes: the test says so, here. */
export function forNobody(locator) {
  unwatched.add(locator);
  return locator;
}

/** Where in the tests that was. */
const callerOf = (stack) =>
  /\/([\w-]+\.mjs:\d+)/.exec(
    stack.split('\n').find((line) => /\/test\/(?!seen|look|browser)[\w-]+\.mjs/.test(line)) ?? '',
  )?.[1] ?? '';

/** What is not seen of a locator's elements, or of all that is in them: [name, why] of each. */
export function unseenOf(locator, isAll = false) {
  return evaluateAll.call(locator, inPage, isAll);
}

/** A page that is closed or goes elsewhere shows nothing. */
function whenGone(error) {
  if (/destroyed|closed|navigat/i.test(error.message)) return [];
  throw error;
}

/** Looks until all of it is seen; notes what is not after some time, and returns it. */
async function look(locator, stack, isAll = false) {
  looks++;
  const end = Date.now() + (faults.size < ENOUGH ? patience.ms : 0);
  for (;;) {
    const found = await unseenOf(locator, isAll).catch(whenGone);
    if (found.length === 0) return [];
    if (Date.now() > end) {
      const all = found.map(([name, why]) => (isAll ? `${name}: ${why}` : `${locator} ${name}: ${why}`));
      for (const fault of all) faults.set(fault, faults.get(fault) ?? callerOf(stack));
      return all;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** From now on all locators look at what they read.  Before the page has been opened. */
export async function watch(page) {
  await page.addInitScript(notePaintedTexts);
  if (isWatching) return;
  isWatching = true;
  const kind = Object.getPrototypeOf(page.locator('html'));
  ({ evaluateAll } = kind);
  for (const name of READS) {
    const read = kind[name];
    kind[name] = async function (...words) {
      const { stack } = new Error(),
        answer = await read.apply(this, words);
      const isGone =
        name === 'isVisible'
          ? !answer
          : name === 'waitFor' && /hidden|detached|attached/.test(words[0]?.state);
      if (!isGone && !unwatched.has(this)) await look(this, stack);
      return answer;
    };
  }
}

/** At all that the page shows, or the dialog over it.  Returns what is not seen. */
export async function lookAround(page) {
  const { stack } = new Error(),
    dialog = page.locator('dialog[open]');
  const isOver = await evaluateAll.call(dialog, (all) => all.length > 0);
  return look(isOver ? dialog : page.locator('#app'), stack, true);
}

/** What was noted so far; it is forgotten then. */
export function takeFaults() {
  const all = [...faults.keys()];
  faults.clear();
  return all;
}

/** [name, whether all was seen, what was not]; none if nothing was opened. */
export function seenCases() {
  if (!isWatching) return [];
  const script = process.argv.slice(1, 3).map((word) => basename(word, '.mjs')),
    name = script[0] === 'one' ? script[1] : script[0],
    list = [...faults].map(([fault, where]) => `${where} ${fault}`);
  return [[`${name}-is-seen`, looks > 0 && list.length === 0, list]];
}
