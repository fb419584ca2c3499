// Call sites over time: at each instant the numbers are those of memoir report --at.
import { after, cellsOf, check, equal, go, parameter, report, testPhone } from './browser.mjs';
import { testTexts } from './texts.mjs';

const numbers = (page, column) =>
  cellsOf(page.locator(`.sites-table tr[data-name]:not([data-name=""]) [data-column=${column}]`));

/** Of these names, what the command says. */
function expected(file, names, ...options) {
  const rows = new Map(
    report(file, '--by', 'function', ...options).rows.map((row) => [row.stack[0].function, row.value]),
  );
  return JSON.stringify(names.map((name) => [name, rows.get(name) ?? 0]));
}

async function instants(page, url, file) {
  await after(page, () => page.goto(`${url}#view=tree&metric=heap.live`));
  await after(page, () => go(page, 'o'));
  const ends = await numbers(page, 'end'),
    names = ends.map(([name]) => name);
  check('sites-some', names.length > 0);
  equal('sites-end', expected(file, names, '--metric', 'heap.live'), JSON.stringify(ends));
  await page.keyboard.press('f');
  for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowLeft');
  const instant = await page.locator('.sites-table table').getAttribute('data-instant');
  equal(
    'sites-instant',
    expected(file, names, '--metric', 'heap.live', '--at', `${instant}ns`),
    JSON.stringify(await numbers(page, 'at')),
  );
  for (const name of ['Lines', 'Share', 'Stacked']) {
    await after(page, () => page.locator('#view .switch button', { hasText: name }).click());
    equal(
      `sites-${name.toLowerCase()}-order`,
      names.join(),
      (await numbers(page, 'end')).map(([one]) => one).join(),
    );
  }
  await after(page, () => page.locator('#view .toolbar select').selectOption('4'));
  check('sites-top', (await numbers(page, 'end')).length <= 4 && /top=4/.test(page.url()), page.url());
}

async function ranges(page, url, file) {
  const whole = report(file).recording.duration_ns;
  const between = [Math.round(whole * 0.25), Math.round(whole * 0.75)];
  const asked = page.waitForResponse((one) => /api\/timeline.*by=function/.test(one.url()));
  await after(page, () => page.goto(`${url}#view=sites&metric=heap.live&between=${between.join()}`));
  const { instants_ns: instants } = await (await asked).json(); // sums begin where a stretch of the recording does
  const growth = await numbers(page, 'growth');
  const begins = await numbers(page, 'begin');
  equal(
    'sites-begin',
    expected(
      file,
      begins.map(([name]) => name),
      '--metric',
      'heap.live',
      '--at',
      `${instants[0]}ns`,
    ),
    JSON.stringify(begins),
  );
  await testTexts(page, 'sites-texts', { within: '.sites-table' });
  const options = ['--between', between.map((ns) => `${ns}ns`).join()];
  equal(
    'sites-growth',
    expected(
      file,
      growth.map(([name]) => name),
      '--metric',
      'heap.live',
      ...options,
    ),
    JSON.stringify(growth),
  );
  await after(page, () => page.goto(`${url}#view=sites&metric=heap.allocated&between=${between.join()}`));
  const totals = await numbers(page, 'total');
  equal(
    'sites-total',
    expected(
      file,
      totals.map(([name]) => name),
      '--metric',
      'heap.allocated',
      ...options,
    ),
    JSON.stringify(totals),
  );
  // The largest alone, and all others in one row.
  await after(page, () => page.goto(`${url}#view=sites&metric=heap.allocated&top=1`));
  const all = await cellsOf(page.locator('.sites-table [data-column=total]'));
  equal('sites-others', 'true', String(all.length === 2 && all[1][0] === ''));
  equal('sites-total-of-all', report(file, '--metric', 'heap.allocated').total.value, all[0][1] + all[1][1]);
  await testTexts(page, 'sites-rates-texts', { within: '.sites-table' });
}

async function choosing(page, url) {
  await after(page, () => page.goto(`${url}#view=sites&metric=heap.allocated`));
  const [[name]] = await numbers(page, 'total');
  await page.keyboard.press('f');
  await page.keyboard.press('ArrowDown');
  await after(page, () => page.keyboard.press('Enter'));
  equal('sites-enter-filters', name, parameter(page, 'filter'));
  await after(page, () => page.keyboard.press('Escape'));
}

export async function testSites(browser, page, url, file) {
  await instants(page, url, file);
  await ranges(page, url, file);
  await choosing(page, url);
  await testPhone(browser, `${url}#view=sites&metric=heap.live`, 'sites');
}
