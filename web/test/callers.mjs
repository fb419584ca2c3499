// Callers and callees of every function: their sums are its total, as memoir report has it, also of functions that call
// themselves.
import {
  after,
  cellsOf,
  check,
  columnOf,
  equal,
  go,
  open,
  report,
  shown,
  sorted,
  testPhone,
  valueOf,
} from './browser.mjs';
import { SHARE, testSays, testTexts } from './texts.mjs';

const METRIC = 'heap.allocated';
const focusOf = (page) => page.locator('[data-name=focus]').innerText();

/** Name to number, in one of the two tables. */
function tableOf(page, side) {
  return cellsOf(page.locator(`.neighbours[aria-label=${side}] tr[data-row] [data-column=value]`));
}

async function totals(page, url, rows) {
  for (const row of rows) {
    const name = row.stack[0].function;
    await after(page, () =>
      page.goto(`${url}#view=callers&metric=${METRIC}&focus=${encodeURIComponent(name)}`),
    );
    equal(
      `callers-${name}`,
      [name, row.total_value, row.value, row.total_value, row.total_value].join(),
      [
        await focusOf(page),
        await valueOf(page, '[data-name=focus-total]'),
        await valueOf(page, '[data-name=focus-self]'),
        await valueOf(page, '[data-name=callers-sum]'),
        await valueOf(page, '[data-name=callees-sum]'),
      ].join(),
    );
  }
}

/** Texts and counts of `visit`. */
async function words(page, file) {
  const { rows, total } = report(file, '--metric', METRIC, '--by', 'function');
  const row = rows.find((one) => one.stack[0].function === 'visit');
  equal('callers-count', row.total_count, await valueOf(page, '[data-name=focus-count]'));
  const counts = await cellsOf(page.locator('.neighbours [data-column=count]'));
  equal(
    'callers-counts',
    2 * row.total_count,
    counts.reduce((sum, [, count]) => sum + count, 0),
  );
  testSays(
    'callers-share',
    await page.locator('[data-name=focus-total]').innerText(),
    (100 * row.total_value) / total.value,
    SHARE,
  );
  await testTexts(page, 'callers-texts', { within: '.neighbours', whole: row.total_value });
  await testTexts(page, 'callers-facts-texts', { within: '.callers .facts' });
}

/** What can be counted by hand in tests/subjects/recurses.c. */
async function known(page, url, file) {
  await after(page, () => page.goto(`${url}#view=callers&metric=${METRIC}&focus=visit`));
  await words(page, file);
  equal('callers-again', 300, await valueOf(page, '[data-name=focus-again]'));
  equal(
    'callers-of-it',
    sorted([
      ['main', 400],
      ['visit_one', 100],
    ]),
    sorted(await tableOf(page, 'Callers')),
  );
  equal(
    'callees-of-it',
    sorted([
      ['keep', 200],
      ['visit', 300],
    ]),
    sorted(await tableOf(page, 'Callees')),
  );
  await after(page, () => page.goto(`${url}#view=callers&metric=${METRIC}&focus=answer`));
  equal('callers-of-a-pair', sorted([['ask', 22]]), sorted(await tableOf(page, 'Callers')));
  equal(
    'callees-of-a-pair',
    sorted([
      ['ask', 21],
      ['keep', 1],
    ]),
    sorted(await tableOf(page, 'Callees')),
  );
}

/** Enter moves to a caller, Backspace back; the address has it, so the browser goes back, too. */
async function walk(page, url) {
  await after(page, () => page.goto(`${url}#view=callers&metric=${METRIC}&focus=keep`));
  await page.locator('.neighbours[aria-label=Callers] .grid').focus();
  await page.keyboard.press('ArrowDown');
  await after(page, () => page.keyboard.press('Enter'));
  equal('callers-enter-moves', 'visit', await focusOf(page));
  check('callers-in-address', /focus=visit/.test(page.url()), page.url());
  await after(page, () => page.keyboard.press('Backspace'));
  equal('callers-backspace', 'keep', await focusOf(page));
  await after(page, () => page.goBack());
  equal('callers-browser-back', 'visit', await focusOf(page));
  await page.reload();
  await shown(page);
  equal('callers-reload', 'visit', await focusOf(page));

  await page.locator('.sandwich .over').first().focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await after(page, () => page.keyboard.press('z'));
  check('callers-zoom', /zoom=up\./.test(page.url()), page.url());
  await after(page, () => page.keyboard.press('Enter'));
  equal('callers-enter-in-picture', 'main', await focusOf(page));

  await page.locator('.chooser input').fill('^ans');
  await after(page, () => page.keyboard.press('Enter'));
  equal('callers-search', 'answer', await focusOf(page));
}

/** From the other views. */
async function ways(page, url, file) {
  await after(page, () => page.goto(`${url}#metric=${METRIC}`));
  await page.keyboard.press('f');
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowDown');
  const name = await page.locator('.facts').first().getAttribute('data-name');
  await after(page, () => page.keyboard.press('c'));
  equal('callers-from-flame', name, await focusOf(page));
  await after(page, () => go(page, 'u'));
  await page.locator('#view .grid').focus();
  await page.keyboard.press('ArrowDown');
  const first = (await columnOf(page, 'self-0'))[0][0];
  await after(page, () => page.keyboard.press('c'));
  equal('callers-from-functions', first, await focusOf(page));

  await after(page, () => page.goto(`${url}#view=tree&metric=${METRIC}&callers=1`));
  const all = report(file, '--metric', METRIC, '--by', 'function');
  const selfs = all.rows.filter((row) => row.value).map((row) => [row.stack[0].function, row.value]);
  const levelOne = (column) => cellsOf(page.locator(`#view tr[aria-level="2"] [data-column="${column}"]`));
  equal('tree-bottom-up', sorted(selfs), sorted(await levelOne('total-0')));
  await after(page, () => page.goto(`${url}#view=tree&metric=${METRIC}&callers=1&beside=heap.calls`));
  equal('tree-bottom-up-beside', sorted(selfs), sorted(await levelOne('total-0')));
}

async function selection(page, url, file) {
  await after(page, () => page.goto(`${url}#view=callers&metric=${METRIC}&focus=keep&filter=ask`));
  const some = report(file, '--metric', METRIC, '--by', 'function', '--filter', 'ask');
  const row = some.rows.find((one) => one.stack[0].function === 'keep');
  equal('callers-filter', row.total_value, await valueOf(page, '[data-name=focus-total]'));
  await after(page, () => page.goto(`${url}#view=callers&metric=${METRIC}&focus=visit&filter=ask`));
  check('callers-none', /Choose another function/.test(await page.locator('.callers .empty').innerText()));
}

export async function testCallers(browser, url, file) {
  const page = await open(browser, `${url}#view=callers&metric=${METRIC}`);
  await shown(page);
  const { rows } = report(file, '--metric', METRIC, '--by', 'function');
  await totals(page, url, rows);
  await known(page, url, file);
  await walk(page, url);
  await ways(page, url, file);
  await selection(page, url, file);
  equal('callers-faults', '', page.faults.join('; '));
  await page.context().close();
  await testPhone(browser, `${url}#view=callers&metric=${METRIC}&focus=visit`, 'callers');
}
