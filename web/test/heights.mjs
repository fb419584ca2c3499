// heights.mjs URL: marks that count upwards are lanes of the timeline; and the timeline as a table.
import { after, check, equal, launch, open, parameter, runTests, shown, valueOf } from './browser.mjs';
import { testTexts } from './texts.mjs';

const [url] = process.argv.slice(2);

const timelineOf = async (target) =>
  (await fetch(`${url}api/timeline?target=${target}&metric=heap.live&points=800`)).json();

/** The last number of a name up to an instant, of what the server says. */
function reached(marks, name, ns) {
  const last = marks.filter((mark) => mark.time_ns <= ns && mark.label.startsWith(`${name} `)).at(-1);
  return last ? Number(last.label.split(' ').at(-1)) : null;
}

async function cursor(page, marks) {
  await page.keyboard.press('t');
  await page.keyboard.press('End');
  equal('heights-end', 50, await valueOf(page, '.tip [data-lane=height-round] b'));
  equal('heights-end-other', 3, await valueOf(page, '.tip [data-lane=height-block] b'));
  for (let i = 0; i < 4; i++) await page.keyboard.press('PageUp');
  const ns = Number(await page.locator('.timeline .tip').getAttribute('data-time'));
  const found = page.locator('.tip [data-lane=height-round] b');
  equal(
    'heights-cursor',
    reached(marks, 'round', ns),
    (await found.count()) ? Number(await found.getAttribute('data-value')) : null,
  );
  equal('heights-only-growing', 0, await page.locator('[data-lane=height-compaction]').count());
}

async function table(page) {
  await page.locator('.timeline .as-table summary').click();
  await page.locator('.timeline .plain tbody tr').first().waitFor(); // filled once it is open
  const names = await page.locator('.timeline .plain thead th').allTextContents();
  const last = page.locator('.timeline .plain tbody tr').last().locator('th, td');
  equal('heights-table', '50', await last.nth(names.indexOf('round')).getAttribute('data-value'));
}

async function menu(page) {
  const height = async () => (await page.locator('.timeline .over').boundingBox()).height;
  const before = await height();
  await page.locator('.lane-menu summary').click();
  await after(page, () => page.locator('[data-lane=height-round][type=checkbox]').uncheck());
  check('heights-lane-goes', (await height()) < before, `${await height()} of ${before}`);
  equal('heights-in-address', true, (parameter(page, 'tracks') ?? '').split(',').includes('height-block'));
  equal('heights-not-in-address', false, (parameter(page, 'tracks') ?? '').includes('height-round'));
}

/** Of more columns than a table may have rows: each row is of all columns since the row before, the last ends at the end. */
async function longTable(page) {
  const { columns } = await timelineOf(2);
  const ends = columns.end_ns,
    stride = Math.ceil(ends.length / 100);
  check('time-table-is-long', stride > 1, ends.length);
  await after(page, () => page.goto(`${url}#target=2&view=quality&metric=heap.live`));
  await page.locator('.timeline .plain tbody tr').first().waitFor();
  const names = await page.locator('.timeline .plain thead th').allTextContents();
  const rows = await page
    .locator('.timeline .plain tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => Number(cell.dataset.value))));
  const meant = [];
  for (let i = ends.length - 1; i >= 0; i -= stride) {
    const first = Math.max(0, i - stride + 1);
    const bytes = columns.allocated.slice(first, i + 1).reduce((sum, one) => sum + one, 0);
    meant.unshift([
      columns.rss[i],
      columns.heap_live[i],
      Math.round(bytes / ((ends[i] - columns.begin_ns[first]) / 1e9)),
    ]);
  }
  const places = ['Resident', 'Live heap', 'Allocation rate'].map((name) => names.indexOf(name));
  equal(
    'time-table',
    JSON.stringify(meant),
    JSON.stringify(rows.map((row) => places.map((place) => Math.round(row[place])))),
  );
  await testTexts(page, 'time-table-texts', { within: '.timeline .plain' });
}

const browser = await launch();
const page = await open(browser, `${url}#target=1&view=quality&metric=heap.live`);
await shown(page);
const { marks } = await timelineOf(1);
await runTests(browser, [
  ['heights-cursor', () => cursor(page, marks)],
  ['heights-table', () => table(page)],
  ['heights-menu', () => menu(page)],
  ['time-table', () => longTable(page)],
  ['heights-faults', () => equal('heights-faults', '', page.faults.join('; '))],
]);
