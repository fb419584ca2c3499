// The heat map: its cells add up to what memoir report says of the same time, and a range of it is one for all views.
import { after, check, equal, go, open, parameter, report, shown, valueOf } from './browser.mjs';
import { COUNT, TIME, numbersIn, testSays, testTexts } from './texts.mjs';

const rangeOf = (page) => parameter(page, 'between')?.split(',') ?? [];
const reported = (file, metric, [from, to]) =>
  report(file, '--metric', metric, '--by', 'function', '--between', `${from}ns,${to}ns`).total;

/** The middle of a cell on the screen, for a map by instants of `columns` columns. */
async function cellAt(page, column, row, columns) {
  const box = await page.locator('.heat .over').boundingBox();
  const wide = (box.width - 64) / columns,
    high = (box.height - 22) / 50;
  return [box.x + 62 + (column + 0.5) * wide, box.y + (49.5 - row) * high];
}

async function instants(page, url, file) {
  const whole = report(file, '--metric', 'cpu.on', '--by', 'function');
  equal('heat-total', whole.total.value, await valueOf(page, '[data-name=heat-total]'));
  equal('heat-timeless', 100000000, await valueOf(page, '[data-name=timeless]'));
  equal('heat-resolution', 20000000, await valueOf(page, '[data-name=heat-kind]'));
  await page.locator('.heat summary').focus();
  await page.keyboard.press('Enter');
  await page.locator('.heat .plain tbody tr').first().waitFor(); // filled once it is open
  const cells = await page
    .locator('.heat .plain tbody tr')
    .evaluateAll((rows) => rows.map((row) => Number(row.dataset.value)));
  equal(
    'heat-table-adds-up',
    whole.total.value - 100000000,
    cells.reduce((sum, value) => sum + value, 0),
  );

  await testTexts(page, 'heat-texts');
  testSays('heat-legend', await page.locator('.heat .legend').innerText(), Math.max(...cells), TIME);
  const texts = await page.locator('.heat .plain tbody tr').allInnerTexts();
  const columns = texts.map((text) => numbersIn(text.replace(/\s+/g, ' ')));
  equal(
    'heat-table-counts',
    whole.total.count - 10,
    columns.reduce((sum, row) => sum + row.filter((one) => COUNT.test(one.unit)).at(-1).value, 0),
  );
  check(
    'heat-table-cells',
    columns.every(([from, to]) => Math.abs(to.value - from.value - 20e6) <= from.off + to.off),
    texts.slice(0, 4).join('; '),
  );

  await page.mouse.move(...(await cellAt(page, 1, 0, 4)));
  await page.mouse.down();
  await page.mouse.move(...(await cellAt(page, 1, 5, 4)), { steps: 3 });
  await after(page, async () => {
    await page.mouse.move(...(await cellAt(page, 1, 9, 4)), { steps: 3 });
    await page.mouse.up();
  });
  equal('heat-drag-range', '1000000000,1200000000', rangeOf(page).join());
  const part = reported(file, 'cpu.on', rangeOf(page));
  equal('heat-drag-value', part.value, await valueOf(page, '[data-name=range-value]'));
  equal('heat-drag-count', part.count, await valueOf(page, '[data-name=range-count]'));
  equal('heat-stays-whole', whole.total.value, await valueOf(page, '[data-name=heat-total]'));
  await after(page, () => page.locator('.heat .switch button').nth(1).click());
  equal('heat-of-the-range', part.value, await valueOf(page, '[data-name=heat-total]'));
  await page.reload();
  await shown(page);
  equal('heat-reload', part.value, await valueOf(page, '[data-name=heat-total]'));
  await after(page, () => go(page, 'u'));
  equal('heat-others-follow', part.value, await valueOf(page, '[data-name=sum-0]'));
}

async function byKeys(page, url, file) {
  await page.goto('about:blank');
  await page.goto(`${url}&view=heat&metric=cpu.on`);
  await shown(page);
  await page.keyboard.press('f');
  await page.keyboard.press('ArrowRight'); // the first cell
  await page.keyboard.press('ArrowRight');
  await after(page, () => page.keyboard.press('Shift+ArrowUp'));
  await after(page, () => page.keyboard.press('Shift+ArrowUp'));
  equal('heat-keys-range', '1000000000,1060000000', rangeOf(page).join());
  equal(
    'heat-keys-value',
    reported(file, 'cpu.on', rangeOf(page)).value,
    await valueOf(page, '[data-name=range-value]'),
  );
  await after(page, () => page.keyboard.press('Escape'));
  check('heat-keys-all-again', rangeOf(page).length === 0, page.url());
}

/** Of allocations there are no instants: cells are the recording's own stretches. */
async function buckets(page, url, file) {
  await after(page, () => page.goto(`${url}&view=heat&metric=heap.allocated`));
  const whole = report(file, '--metric', 'heap.allocated', '--by', 'function').total;
  const { from_ns: from, to_ns: to } = await (
    await fetch(`${url.replace('#', 'api/heat?')}&metric=heap.allocated`)
  ).json();
  equal(
    'heat-stretches',
    [...from.slice(1), report(file).recording.duration_ns].join(),
    to.join(), // each ends where the next begins
  );
  equal('heat-buckets-total', whole.value, await valueOf(page, '[data-name=heat-total]'));
  await page.locator('.heat .over').scrollIntoViewIfNeeded(); // the mouse reaches only what is in sight
  const box = await page.locator('.heat .over').boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 10, { steps: 3 });
  await after(page, () => page.mouse.up());
  const part = reported(file, 'heap.allocated', rangeOf(page));
  check('heat-buckets-part', part.value > 0 && part.value < whole.value, part.value);
  equal('heat-buckets-value', part.value, await valueOf(page, '[data-name=range-value]'));
  equal('heat-buckets-count', part.count, await valueOf(page, '[data-name=range-count]'));
  await testTexts(page, 'heat-buckets-texts', { within: '.heat .facts', whole: whole.value });
  await after(page, () => page.goto(`${url}&view=heat&metric=heap.live`));
  check('heat-level-says-so', /is a level/.test(await page.locator('.heat .empty').innerText()));
  await after(page, () => page.locator('.heat .empty button').first().click());
  check('heat-level-leads-on', (await valueOf(page, '[data-name=heat-total]')) > 0);
}

export async function testHeat(browser, { url, heap, heapFile, time, timeFile }) {
  const page = await open(browser, `${url}#target=${time}&view=heat&metric=cpu.on`);
  await shown(page);
  await instants(page, `${url}#target=${time}`, timeFile);
  await byKeys(page, `${url}#target=${time}`, timeFile);
  await buckets(page, `${url}#target=${heap}`, heapFile);
  equal('heat-faults', '', page.faults.join('; '));
  await page.context().close();
}
