// growth.mjs SURROUNDINGS: whether memory grows, in Chromium, against memoir report.  tests/system/page/page_growth.sh starts it.
import {
  after,
  cellsOf,
  check,
  equal,
  launch,
  open,
  report,
  runTests,
  shown,
  testPhone,
  valueOf,
} from './browser.mjs';
import { BYTES, TIME, testSays, testTexts } from './texts.mjs';

const { url, file } = JSON.parse(process.argv[2]);
const verdictOf = (page, name) => page.locator(`[data-name=growth-${name}]`).getAttribute('data-value');

async function whole(page) {
  const { growth } = report(file);
  for (const name of ['heap', 'rss']) {
    equal(`page-growth-${name}`, growth[name].verdict, await verdictOf(page, name));
    for (const [shownAs, field] of [
      ['slope', 'bytes_per_second'],
      ['low', 'bytes_per_second_low'],
      ['confidence', 'confidence'],
      ['first', 'first_bytes'],
      ['limit', 'limit_in_ns'],
    ])
      equal(
        `page-growth-${name}-${shownAs}`,
        growth[name][field],
        await valueOf(page, `[data-name=${name}-${shownAs}]`),
      );
  }
  const cells = (column) => cellsOf(page.locator(`.growth-table [data-column=${column}]`));
  equal(
    'page-growth-shares',
    JSON.stringify(growth.sites.map((site) => [site.function, site.share])),
    JSON.stringify(await cells('share')),
  );
  equal(
    'page-growth-slopes',
    JSON.stringify(growth.sites.map((site) => [site.function, site.bytes_per_second])),
    JSON.stringify(await cells('slope')),
  );
  // Per minute, as it is shorter than ten.
  const factors = { ...{ 'heap-slope': 60, 'heap-low': 60, 'rss-slope': 60, 'rss-low': 60 }, slope: 60 };
  await page.locator('.growth .as-table summary').click();
  await page.locator('.growth .as-table tbody tr').first().waitFor();
  await testTexts(page, 'page-growth-texts', { factors });
  await page.locator('.growth .as-table summary').click();
  for (const name of ['heap', 'rss']) {
    const words = async (what) => page.locator(`[data-name=${name}-${what}]`).innerText();
    const says = async (what, value, unit) =>
      testSays(
        `page-growth-${name}-${what}-words`,
        (await words(what)).replace(/.*?( to |\()/, ''),
        value,
        unit,
      );
    await says('low', 60 * growth[name].bytes_per_second_high, BYTES);
    await says('first', growth[name].last_bytes, BYTES);
    await says('limit', growth[name].limit_early_ns, TIME);
    testSays(`page-growth-${name}-limit-bytes`, await words('limit'), growth.limit_bytes, BYTES);
  }
  const { site_curves: curves } = await (await fetch(`${url}api/growth`)).json();
  equal(
    'page-growth-curves',
    JSON.stringify(curves.map((one) => Math.max(...one.bytes))),
    JSON.stringify((await cells('curve')).map(([, value]) => value)),
  );
  const sentence = await page.locator('[data-name=explained]').innerText();
  equal('page-growth-explained', 'These 2 call sites explain 100 % of the growth of the heap', sentence);
  check('page-growth-floors', (await page.locator('.growth-floor.heap').count()) >= 24);
  check('page-growth-ahead', (await page.locator('.growth-line.ahead').count()) === 2);
}

async function part(page) {
  await after(page, () => page.goto(`${url}#view=growth&between=20000000000,90000000000`));
  equal('page-growth-part', 'growing', await verdictOf(page, 'heap'));
  const first = await valueOf(page, '[data-name=heap-first]');
  check('page-growth-part-first', first > 20 * 80 * 1024 && first < 40 * 80 * 1024, first);
  await page.reload();
  await shown(page);
  equal('page-growth-reload', first, await valueOf(page, '[data-name=heap-first]'));
  await after(page, () => page.goto(`${url}#view=growth&between=20000000000,30000000000`));
  equal('page-growth-short', 'unknown', await verdictOf(page, 'heap'));
}

/** An interval that is wide: both of its ends are told, and when the limit is reached by each. */
async function interval(browser) {
  const page = await open(browser, 'about:blank');
  const wide = { bytes_per_second_low: 1000, bytes_per_second_high: 900000 };
  const limits = { limit_in_ns: 3000e9, limit_early_ns: 1000e9, limit_late_ns: 7000e9 };
  await page.route(/\/api\/growth/, async (route) => {
    const told = await (await route.fetch()).json();
    Object.assign(told.growth.heap, wide, limits);
    await route.fulfill({ json: told });
  });
  await page.goto(`${url}#view=growth`);
  await shown(page);
  const says = async (name, value, unit) =>
    testSays(
      `page-growth-says-${value}`,
      await page.locator(`[data-name=heap-${name}]`).innerText(),
      value,
      unit,
    );
  await says('low', 60 * wide.bytes_per_second_low, BYTES);
  await says('low', 60 * wide.bytes_per_second_high, BYTES);
  for (const ns of Object.values(limits)) await says('limit', ns, TIME);
  await page.context().close();
}

/** To the flame graph of a site, and the table of floors, by keys alone. */
async function keys(page) {
  await after(page, () => page.goto(`${url}#view=functions`));
  await page.keyboard.press('g');
  await after(page, () => page.keyboard.press('w'));
  await page.locator('.growth .as-table summary').focus();
  await page.keyboard.press('Enter');
  await page.locator('.growth .as-table tbody tr').first().waitFor();
  check('page-growth-table', (await page.locator('.growth .as-table tbody tr').count()) >= 48);
  await page.locator('.growth-table button').first().focus();
  await after(page, () => page.keyboard.press('Enter'));
  check(
    'page-growth-leads',
    /filter=leak_here/.test(page.url()) && /metric=heap.live/.test(page.url()),
    page.url(),
  );
  equal(
    'page-growth-leads-to',
    report(file, '--metric', 'heap.live', '--filter', 'leak_here').matched.value,
    await valueOf(page, '[data-name=flame-total]'),
  );
}

/** Long enough, but with few values: that is what it says. */
async function sparse(browser) {
  const page = await open(browser, `${url}#target=3`);
  await shown(page);
  const words = await page.locator('.fact:has([data-name=summary-growth])').innerText();
  check('page-growth-sparse', /too few values/.test(words) && !/30 s/.test(words), words);
  await page.context().close();
}

/** What was live when a process went on, or became another program, is not leaked. */
async function leaked(browser, target, name, expected) {
  const page = await open(browser, `${url}#target=${target}`);
  await shown(page);
  const words = await page.locator('.fact:has([data-name=summary-leaked])').innerText();
  check(name, expected.test(words), words);
  await page.context().close();
}

function phone(browser) {
  return testPhone(browser, `${url}#view=growth`, 'page-growth', async (page) => {
    await after(page, () => page.goto(`${url}#view=growth&target=2`));
    equal('page-growth-too-short', 'unknown', await verdictOf(page, 'rss'));
  });
}

const browser = await launch();
const page = await open(browser, `${url}#view=growth`);
await shown(page);
await runTests(browser, [
  ['page-growth-whole', () => whole(page)],
  ['page-growth-part', () => part(page)],
  ['page-growth-keys', () => keys(page)],
  ['page-growth-faults', () => equal('page-growth-faults', '', page.faults.join('; '))],
  ['page-growth-sparse', () => sparse(browser)],
  ['page-never-freed', () => leaked(browser, 2, 'page-never-freed', /never freed/i)],
  [
    'page-live-when-stopped',
    () => leaked(browser, 4, 'page-live-when-stopped', /live when recording stopped/i),
  ],
  [
    'page-live-when-another',
    () => leaked(browser, 5, 'page-live-when-another', /live when it became another/i),
  ],
  ['page-growth-interval', () => interval(browser)],
  ['page-growth-phone', () => phone(browser)],
]);
