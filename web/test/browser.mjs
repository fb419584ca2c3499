// What the tests of the page share: a browser, answers of memoir, and lines that say what is ok.
import { chromium } from 'playwright-core';
import { execFileSync } from 'node:child_process';
import { forNobody, lookAround, seenCases, watch } from './seen.mjs';

export const memoir = process.env.MEMOIR;

let failures = 0;
export function check(name, isSo, why = '') {
  if (!isSo) failures++;
  console.log(isSo ? `ok ${name}` : `not ok ${name}: ${String(why).replace(/\s+/g, ' ').slice(0, 400)}`);
}

export function equal(name, expected, found) {
  check(name, expected === found, `expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}

/** What a command of memoir prints. */
export function printed(...words) {
  return execFileSync(memoir, words, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

export const answer = (...words) => JSON.parse(printed(...words, '--json'));
export const report = (file, ...options) => answer('report', file, ...options);

/** Rows as text that does not depend on their order. */
export function sorted(rows) {
  return rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join(' ');
}

export async function launch(more = []) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    timeout: 60000,
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...more],
  });
}

/** A page that fails the test for whatever goes wrong in it, for any request that leaves the server, and for whatever is read of it
    and is not seen (seen.mjs). */
export async function open(browser, url, options = {}) {
  const { protocol, origin } = new URL(url);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage(),
    close = context.close.bind(context);
  // An answer that is still on its way through a test would end the process.
  context.close = async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await close();
  };
  await watch(page);
  page.setDefaultTimeout(30000);
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on(
    'console',
    (message) =>
      message.type() === 'error' &&
      !/status of (401|0)|ERR_CONNECTION|ERR_EMPTY|ERR_INCOMPLETE_CHUNKED/.test(message.text()) &&
      page.faults.push(message.text()),
  );
  page.on(
    'request',
    (request) =>
      !request.url().startsWith(protocol === 'file:' ? protocol : origin) &&
      !/^(data|about):/.test(request.url()) &&
      page.faults.push(`asks ${request.url()}`),
  );
  await page.goto(url);
  return page;
}

/** Waits until a page that has just been opened shows something. */
export async function shown(page) {
  await page.waitForFunction(
    () =>
      Number(document.querySelector('#app').dataset.shown) > 0 &&
      document.querySelector('#view')?.getAttribute('aria-busy') === 'false',
  );
  await lookAround(page);
}

/** Does something, and waits until the views have been shown once more and nothing is under way. */
export async function after(page, act) {
  const before = await page.evaluate(() => Number(document.querySelector('#app').dataset.shown ?? 0));
  await act();
  await page.waitForFunction(
    (count) =>
      Number(document.querySelector('#app').dataset.shown ?? 0) > count &&
      document.querySelector('#view')?.getAttribute('aria-busy') === 'false',
    before,
  );
  await lookAround(page);
}

/** Waits until an attribute of an element is as it should be, and returns it. */
export async function until(locator, name, isSo) {
  const end = Date.now() + 30000,
    read = forNobody(locator.first()); // what it is not yet need not be seen
  while (!isSo(await read.getAttribute(name))) {
    if (Date.now() > end) throw new Error(`${locator} has ${name} ${await read.getAttribute(name)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return locator.first().getAttribute(name);
}

/** To a view, by keys: the letter is that of web/src/views/list.ts. */
export async function go(page, letter) {
  await page.keyboard.press('g');
  await page.keyboard.press(letter);
}

export async function valueOf(page, selector) {
  const text = await page.locator(selector).first().getAttribute('data-value');
  return text === null || text === '' ? null : Number(text);
}

/** Cells of tables: the name of the row, and the number, null where there is none. */
export function cellsOf(cells) {
  return cells.evaluateAll((all) =>
    all.map((cell) => [
      cell.closest('tr').dataset.name,
      cell.dataset.value === '' ? null : Number(cell.dataset.value),
    ]),
  );
}

/** Of the table that is shown: those of a column. */
export function columnOf(page, column) {
  return cellsOf(page.locator(`#view tr[data-row] [data-column="${column}"]`));
}

/** What the address says. */
export function parameter(page, name) {
  return new URLSearchParams(new URL(page.url()).hash.slice(1)).get(name);
}

/** On a phone, in the dark: as wide as the screen, also after what `act` does with it, and nothing goes wrong. */
export async function testPhone(browser, url, name, act = async () => {}) {
  const page = await open(browser, url, {
    viewport: { width: 375, height: 800 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  });
  const fits = async (what) =>
    equal(what, 375, await page.evaluate(() => document.documentElement.scrollWidth));
  await shown(page);
  await fits(`${name}-phone`);
  await act(page, fits);
  equal(`${name}-phone-faults`, '', page.faults.join('; '));
  await page.context().close();
}

/** Runs tests, each a name and a function, one after the other; one that throws has failed.  Ends the process. */
export async function runTests(browser, tests) {
  for (const [name, test] of tests) {
    try {
      await test();
    } catch (error) {
      check(name, false, error.stack); // says where
    }
  }
  for (const [name, isSo, faults] of seenCases()) {
    for (const fault of faults) console.log(`# not seen: ${fault}`);
    check(name, isSo, faults.join('; ') || 'nothing was looked at');
  }
  await browser?.close();
  process.exit(failures ? 1 : 0);
}
