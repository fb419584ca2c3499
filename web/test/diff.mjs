// diff.mjs SURROUNDINGS: what changed, in Chromium, against memoir diff.  tests/system/page/page_diff.sh starts it.
import {
  after,
  answer,
  check,
  columnOf,
  equal,
  launch,
  open,
  parameter,
  runTests,
  shown,
  sorted,
  testPhone,
  valueOf,
} from './browser.mjs';
import { testTexts } from './texts.mjs';

const files = JSON.parse(process.argv[2]);
const { url } = files;

const diff = (...words) => answer('diff', ...words);

const nameOf = (row, by) =>
  by === 'module' ? row.stack[0].module.replace(/.*\//, '') : row.stack[0].function;

const rowOf = (expected, name) => expected.rows.find((row) => row.stack[0].function === name);

/** All numbers of the table that is shown. */
async function compare(page, name, expected, by = 'function') {
  for (const column of ['before', 'after', 'change'])
    equal(
      `${name}-${column}`,
      sorted(expected.rows.map((row) => [nameOf(row, by), row[column]])),
      sorted(await columnOf(page, column)),
    );
  equal(
    `${name}-count`,
    sorted(expected.rows.map((row) => [nameOf(row, by), row.after_count - row.before_count])),
    sorted(await columnOf(page, 'count')),
  );
  const percent = (row) => (row.before ? (100 * row.change) / Math.abs(row.before) : null);
  equal(
    `${name}-percent`,
    sorted(expected.rows.map((row) => [nameOf(row, by), percent(row)])),
    sorted(await columnOf(page, 'percent')),
  );
  await testTexts(page, `${name}-texts`);
  equal(
    `${name}-totals`,
    JSON.stringify([expected.before.value, expected.after.value, expected.change]),
    JSON.stringify([
      await valueOf(page, '[data-name=diff-before]'),
      await valueOf(page, '[data-name=diff-after]'),
      await valueOf(page, '[data-name=diff-change]'),
    ]),
  );
  equal(
    `${name}-kinds`,
    JSON.stringify(['new', 'gone', 'grown', 'shrunk'].map((kind) => expected.sites[kind])),
    JSON.stringify(
      await Promise.all(
        ['new', 'gone', 'grown', 'shrunk'].map((kind) => valueOf(page, `[data-name=diff-${kind}]`)),
      ),
    ),
  );
}

async function twoFiles(page) {
  const metric = ['--metric', 'heap.allocated', '--by'];
  await compare(page, 'page-diff-files', diff(files.old, files.new, ...metric, 'function'));
  for (const by of ['stack', 'module']) {
    await after(page, () =>
      page
        .locator(`[aria-label="Group by"] button:text-is("${by === 'stack' ? 'Stack' : 'Module'}")`)
        .click(),
    );
    await compare(page, `page-diff-by-${by}`, diff(files.old, files.new, ...metric, by), by);
  }
  await after(page, () => page.goto(`${url}#view=diff&target=2&metric=heap.allocated&scale=total`));
  await compare(
    page,
    'page-diff-scaled',
    diff(files.old, files.new, ...metric, 'function', '--normalise', 'total'),
  );
  await after(page, () => page.goto(`${url}#view=diff&target=2&metric=heap.allocated&filter=work_here`));
  await compare(
    page,
    'page-diff-filter',
    diff(files.old, files.new, ...metric, 'function', '--filter', 'work_here'),
  );
}

/** Two times of one recording: by the address, by presets, by a second brush. */
async function twoTimes(page) {
  const { duration_ns: end } = diff(files.old, files.new, '--metric', 'heap.allocated').after;
  const half = Math.round(end / 2);
  const times = ['--between', `0ns,${half}ns`, '--with', `${half}ns,${end}ns`];
  await after(page, () =>
    page.goto(
      `${url}#view=diff&target=2&other=2&metric=heap.allocated&between=${half},${end}&with=0,${half}`,
    ),
  );
  await compare(
    page,
    'page-diff-times',
    diff(files.new, '--metric', 'heap.allocated', '--by', 'function', ...times),
  );
  await after(page, () =>
    page.goto(`${url}#view=diff&target=2&other=2&metric=heap.live&at=${end}&with-at=${half}`),
  );
  await compare(
    page,
    'page-diff-instants',
    diff(
      files.new,
      '--metric',
      'heap.live',
      '--by',
      'function',
      '--at',
      `${half}ns`,
      '--with-at',
      `${end}ns`,
    ),
  );
  await after(page, () =>
    page.goto(`${url}#view=diff&target=2&metric=heap.allocated&between=${half},${end}`),
  );
  await after(page, () => page.locator('.chip:text-is("the same length before")').click());
  const from = /with=(\d+),(\d+)/.exec(page.url());
  equal('page-diff-same-length', half, Number(from?.[2]));
}

async function brush(page) {
  await after(page, () => page.goto(`${url}#view=functions&target=2&metric=heap.allocated`));
  await page.evaluate(() => scrollTo(0, 0)); // the mouse reaches only what is in sight
  const chart = await page.locator('.timeline .over').boundingBox();
  const drag = async (from, to) => {
    await page.mouse.move(chart.x + chart.width * from, chart.y + 60);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * to, chart.y + 60, { steps: 4 });
    await page.mouse.up();
  };
  await after(page, () => drag(0.6, 0.9));
  await page.keyboard.down('Shift');
  await after(page, () => drag(0.1, 0.4));
  await page.keyboard.up('Shift');
  const part = (name) => parameter(page, name)?.split(',') ?? [];
  const [newer, older] = [part('between'), part('with')];
  check(
    'page-diff-brush-in-address',
    newer.length === 2 && older.length === 2 && /view=diff/.test(page.url()),
    page.url(),
  );
  const expected = diff(
    files.new,
    '--metric',
    'heap.allocated',
    '--by',
    'function',
    '--between',
    `${older[0]}ns,${older[1]}ns`,
    '--with',
    `${newer[0]}ns,${newer[1]}ns`,
  );
  await compare(page, 'page-diff-brush', expected);
  await page.reload();
  await shown(page);
  await compare(page, 'page-diff-reload', expected);
}

/** Grey is what memoir diff says may be chance; it stands last. */
async function chance(page, expected) {
  await after(page, () => page.goto(`${url}#view=diff&target=3&metric=cpu.on`));
  await compare(page, 'page-diff-sampled', expected);
  const seen = await page
    .locator('#view tr[data-row]')
    .evaluateAll((rows) => rows.map((row) => [row.dataset.name, row.classList.contains('chance')]));
  equal(
    'page-diff-chance',
    sorted(expected.rows.map((row) => [row.stack[0].function, row.may_be_chance])),
    sorted(seen),
  );
  equal('page-diff-chance-last', 'more,gone,even', seen.map(([name]) => name).join());
  equal('page-diff-chance-count', 2, await valueOf(page, '[data-name=diff-chance]'));
  equal(
    'page-diff-error',
    sorted(expected.rows.map((row) => [row.stack[0].function, row.error])),
    sorted(await columnOf(page, 'error')),
  );
}

async function flame(page, expected) {
  await after(page, () => page.keyboard.press('v'));
  check('page-diff-flame-in-address', /drawn=1/.test(page.url()), page.url());
  const facts = (name) => valueOf(page, `.flame .facts [data-name=${name}]`);
  equal('page-diff-flame-before', expected.before.value, await facts('Before'));
  equal('page-diff-flame-after', expected.after.value, await facts('After'));
  equal(
    'page-diff-flame-net',
    expected.change,
    (await valueOf(page, '[data-name=flame-grown]')) - (await valueOf(page, '[data-name=flame-shrunk]')),
  );
  // root, main, and what is widest of before and after together: even
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
  const even = rowOf(expected, 'even');
  equal('page-diff-flame-name', 'even', await page.locator('.flame .facts').getAttribute('data-name'));
  equal('page-diff-flame-frame', even.change, await facts('Change'));
  equal('page-diff-flame-error', even.error, await facts('Error'));
  await testTexts(page, 'page-diff-flame-texts', { within: '.flame .facts' });
  await page.reload();
  await shown(page);
  equal('page-diff-flame-reload', expected.after.value, await facts('After'));
  await after(page, () => page.keyboard.press('x'));
  equal('page-diff-swap', expected.after.value, await facts('Before'));
  await after(page, () => page.goBack());
}

/** The ordinary flame graph has the change of each frame, of the halves of the recording. */
async function colour(page, expected) {
  await after(page, () => page.goto(`${url}#target=3&metric=cpu.on&colour=change`));
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
  const even = rowOf(expected, 'even');
  equal('page-colour-change', even.change, await valueOf(page, '.facts [data-name=Change]'));
  check(
    'page-colour-words',
    /halves of the recording/.test(await page.locator('.flame .legend').innerText()),
  );
}

async function sentences(page) {
  await after(page, () => page.goto(`${url}#view=diff&target=3&other=1&metric=cpu.on`));
  const said = await page.locator('.views > .trouble').innerText();
  check('page-diff-missing', /old\.memoir: there is no CPU time in this recording/.test(said), said);
  await after(page, () => page.goto(`${url}#view=diff&target=2&metric=heap.allocated&filter=(`));
  const refused = await page.locator('.views > .trouble').innerText();
  check('page-diff-refused', /regular expression/.test(refused), refused);
  await after(page, () =>
    page.goto(
      `${url}#view=diff&target=1&other=1&metric=heap.allocated&between=0,9000000000&with=0,9000000000`,
    ),
  );
  equal('page-diff-nothing', 0, await valueOf(page, '[data-name=diff-change]').catch(() => null));
}

function phone(browser) {
  return testPhone(
    browser,
    `${url}#view=diff&target=2&metric=heap.allocated`,
    'page-diff',
    async (page, fits) => {
      await after(page, () => page.keyboard.press('v'));
      await fits('page-diff-phone-flame');
    },
  );
}

const browser = await launch();
const times = ['--between', '0s,10s', '--with', '10s,20s'];
const halves = diff(files.burner, '--metric', 'cpu.on', '--by', 'function', ...times);
const page = await open(browser, `${url}#view=diff&target=2&metric=heap.allocated`);
await shown(page);
await runTests(browser, [
  ['page-diff-files', () => twoFiles(page)],
  ['page-diff-times', () => twoTimes(page)],
  ['page-diff-brush', () => brush(page)],
  ['page-diff-chance', () => chance(page, halves)],
  ['page-diff-flame', () => flame(page, halves)],
  ['page-diff-colour', () => colour(page, halves)],
  ['page-diff-faults', () => equal('page-diff-faults', '', page.faults.join('; '))],
  ['page-diff-sentences', () => sentences(page)],
  ['page-diff-phone', () => phone(browser)],
]);
