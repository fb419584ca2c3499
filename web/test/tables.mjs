// The views that are tables of one recording: each number is that of memoir report, and its text is that number.
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
  valueOf,
} from './browser.mjs';
import { BYTES, COUNT, SHARE, TIME, numbersIn, testSays, testTexts } from './texts.mjs';

const byFunction = (rows, field) => rows.map((row) => [row.stack[0].function, row[field]]);

async function summary(page, { summary: { heap, rss_peak_bytes: rss } }) {
  for (const [name, value] of [
    ['peak', heap.peak_bytes],
    ['leaked', heap.leaked_bytes],
    ['allocated', heap.allocated_bytes],
    ['temporary', heap.temporary_calls],
    ['rss', rss],
  ])
    equal(`page-summary-${name}`, value, await valueOf(page, `[data-name=summary-${name}]`));
  await testTexts(page, 'page-summary-texts', { within: '.summary' });
  const words = (name) => page.locator(`.fact:has([data-name=summary-${name}])`).innerText();
  testSays('page-summary-peak-time', await words('peak'), heap.peak_time_ns, TIME);
  testSays('page-summary-leaked-blocks', await words('leaked'), heap.leaked_calls, COUNT);
  testSays('page-summary-calls', await words('allocated'), heap.calls, COUNT);
  testSays(
    'page-summary-temporary-share',
    await words('temporary'),
    (100 * heap.temporary_calls) / heap.calls,
    SHARE,
  );
}

/** As a table, its widest frames. */
async function flame(page, { total, rows }) {
  equal('page-flame-total', total.value, await valueOf(page, '[data-name=flame-total]'));
  await page.locator('#view .as-table summary').click();
  await page.locator('#view .plain tbody tr').first().waitFor();
  await testTexts(page, 'page-flame-texts', { whole: total.value });
  const sums = new Map();
  for (const column of ['self', 'count'])
    for (const [name, value] of await cellsOf(page.locator(`#view .plain [data-column=${column}]`)))
      if (column === 'self') sums.set(name, (sums.get(name) ?? 0) + value);
  equal(
    'page-flame-self',
    sorted(byFunction(rows, 'value').filter(([, value]) => value > 0)),
    sorted([...sums].filter(([, value]) => value > 0)),
  );
  equal(
    'page-flame-count',
    total.count,
    await valueOf(page, '#view .plain tr[data-name=all] [data-column=count]'),
  );
  await page.locator('#view .as-table summary').click();
}

async function functions(page, file, peak) {
  await after(page, () => go(page, 'u'));
  for (const [column, field] of [
    ['self', 'value'],
    ['total', 'total_value'],
    ['count', 'count'],
  ])
    equal(
      `page-functions-${column}`,
      sorted(byFunction(peak.rows, field)),
      sorted(await columnOf(page, `${column}-0`)),
    );
  const order = (await columnOf(page, 'self-0')).map(([, value]) => value);
  equal('page-functions-order', [...order].sort((a, b) => b - a).join(), order.join());
  await testTexts(page, 'page-functions-texts', { whole: peak.total.value });
  await after(page, () => page.locator('.beside select').selectOption('heap.allocated'));
  const sides = report(file, '--metric', 'heap.peak,heap.allocated', '--by', 'function');
  const name = (row) => row.frame?.function ?? '[no stack]';
  equal(
    'page-functions-beside',
    sorted(sides.rows.map((row) => [name(row), row.values[1].value])),
    sorted(await columnOf(page, 'self-1')),
  );
  equal(
    'page-functions-ratio',
    sorted(sides.rows.map((row) => [name(row), row.ratios[0]])),
    sorted(await columnOf(page, 'ratio-0')),
  );
  return sides;
}

async function tree(page, file, peak, sides) {
  await after(page, () => go(page, 't'));
  equal(
    'page-tree-beside',
    sides.metrics[1].value,
    await valueOf(page, '#view tr[data-row="0"] [data-column=total-1]'),
  );
  await after(page, () => page.goBack());
  await after(page, () => page.goBack());
  equal('page-back', '#view=functions', new URL(page.url()).hash);
  await after(page, () => go(page, 't'));
  equal('page-tree', peak.total.value, await valueOf(page, '#view tr[data-row="0"] [data-column=total-0]'));
  await testTexts(page, 'page-tree-texts', { whole: peak.total.value });
  const all = report(file, '--metric', 'heap.peak,heap.allocated', '--top-down').tree;
  const depthOf = (node) => (node.parent === null ? 1 : 1 + depthOf(all[node.parent]));
  const isOpen = (node) => node.parent === null || node.values[0].total_value >= 0.3 * peak.total.value;
  const isSeen = ({ parent }) => parent === null || (isOpen(all[parent]) && isSeen(all[parent]));
  const seen = await page.locator('#view tr[data-row]').evaluateAll((rows) =>
    rows.map((row) => {
      const number = (column) => Number(row.querySelector(`[data-column=${column}-0]`).dataset.value);
      return [row.dataset.name, Number(row.ariaLevel), number('total'), number('self'), number('count')];
    }),
  );
  check('page-tree-is-open', seen.length > 5, seen.length);
  equal(
    'page-tree-rows',
    sorted(
      all
        .filter((node) => node.values[0].total_value > 0 && isSeen(node))
        .map((node) => {
          const [{ value, total_value: total, total_count: count }] = node.values;
          return [node.function, depthOf(node), total, value, count];
        }),
    ),
    sorted(seen),
  );
}

async function threads(page, url, { rows, total }) {
  await after(page, () => page.goto(`${url}#view=threads&metric=heap.allocated`));
  for (const [column, field] of [
    ['self-0', 'value'],
    ['count-0', 'count'],
  ])
    equal(
      `page-threads-${field}`,
      sorted(rows.map((row) => [String(row.thread.tid), row[field]])),
      sorted(await columnOf(page, column)),
    );
  equal(
    'page-threads-names',
    rows
      .map((row) => row.thread.name || 'thread') // one that was soon gone has none
      .sort()
      .join(),
    (await page.locator('#view tr[data-row] .mono').allInnerTexts()).sort().join(),
  );
  await testTexts(page, 'page-threads-texts', { whole: total.value });
}

async function histograms(page, { histogram }) {
  await after(page, () => go(page, 'i'));
  for (const [kind, from, below, unit] of [
    ['sizes', 'from_bytes', 'below_bytes', BYTES],
    ['lifetimes', 'from_ns', 'below_ns', TIME],
  ]) {
    const classes = histogram[kind],
      all = classes.reduce((sum, one) => sum + one.count, 0);
    const cells = page.locator(`[data-name=${kind}] [data-value]:not(p)`);
    equal(
      `page-histogram-${kind}`,
      JSON.stringify(classes.map((one) => one.count)),
      JSON.stringify(await cells.evaluateAll((some) => some.map((cell) => Number(cell.dataset.value)))),
    );
    equal(`page-histogram-${kind}-sum`, all, await valueOf(page, `[data-name=${kind}-sum]`));
    const rows = await page.locator(`[data-name=${kind}] tbody tr`).allInnerTexts();
    const wrong = classes.filter((one, i) => {
      const found = numbersIn(rows[i].replace(/\s+/g, ' '));
      const has = (value, of) => found.some((n) => of.test(n.unit) && Math.abs(n.value - value) <= n.off);
      return !(
        (one[from] === 0 || has(one[from], unit)) &&
        (one[below] === null || has(one[below], unit)) &&
        has((100 * one.count) / all, SHARE)
      );
    });
    equal(`page-histogram-${kind}-words`, '[]', JSON.stringify(wrong));
  }
  await testTexts(page, 'page-histogram-texts');
}

async function quality(page, { quality: q, cost }) {
  await after(page, () => go(page, 'q'));
  for (const [name, value] of [
    ['lost_events', q.lost_events],
    ['complete_stacks', q.complete_stacks_share],
    ['unresolved_frames', q.unresolved_frames_share],
  ])
    equal(`page-quality-${name}`, value, await valueOf(page, `.finding[data-name=${name}]`));
  testSays(
    'page-quality-events',
    await page.locator('.finding[data-name=lost_events]').innerText(),
    q.events,
    COUNT,
  );
  for (const [name, value] of [
    ['Time added to the program', cost.ns_per_event],
    ['CPU time of the recorder', cost.recorder_cpu_ns],
    ['Memory of the recorder', cost.recorder_rss_bytes],
  ])
    equal(`page-quality-${name}`, value, await valueOf(page, `.cost [data-name="${name}"]`));
  await testTexts(page, 'page-quality-texts');
}

export async function testTables(page, url, file) {
  const peak = report(file, '--metric', 'heap.peak', '--by', 'function');
  const byThread = report(file, '--metric', 'heap.allocated', '--by', 'thread');
  await summary(page, peak);
  await flame(page, peak);
  const sides = await functions(page, file, peak);
  await tree(page, file, peak, sides);
  await threads(page, url, byThread);
  await histograms(page, byThread);
  await quality(page, byThread);
}

/** What may be wrong with a recording is said, and how bad it is. */
export async function testDoubts(browser, url) {
  const page = await open(browser, 'about:blank');
  await page.route(/\/api\/report/, async (route) => {
    const answer = await (await route.fetch()).json();
    Object.assign(answer.quality, {
      ...{ events: 1000, lost_events: 123, lost_bytes: 456789, lost_calls: 77 },
      ...{ complete_stacks_share: 0.9, unresolved_frames_share: 0.125, damaged_chunks: 3, complete: false },
      stack_ends: { ...answer.quality.stack_ends, complete: 90, no_rule: 10 },
    });
    await route.fulfill({ json: answer });
  });
  await page.goto(`${url}#view=quality`);
  await shown(page);
  const found = page.locator('.finding');
  const levels = await found.evaluateAll((all) =>
    all.map((one) => `${one.dataset.name}:${one.classList[1]}`),
  );
  equal(
    'page-doubts',
    'lost_events:bad complete_stacks:bad unresolved_frames:note damaged:bad complete:note',
    levels.join(' '),
  );
  const words = (name) => page.locator(`.finding[data-name=${name}]`).innerText();
  for (const [name, value, unit] of [
    ['lost_events', 123, COUNT],
    ['lost_events', 1000, COUNT],
    ['lost_events', 456789, BYTES],
    ['lost_events', 77, COUNT],
    ['complete_stacks', 90, SHARE],
    ['complete_stacks', 10, COUNT],
    ['unresolved_frames', 12.5, SHARE],
    ['damaged', 3, COUNT],
  ])
    testSays(`page-doubts-${name}-${value}`, await words(name), value, unit);
  await page.context().close();
}
