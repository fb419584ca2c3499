// nodes.mjs SURROUNDINGS: all nodes of a run: the numbers are those of memoir ram; a row leads to the views of its node.
import {
  after,
  answer,
  check,
  columnOf,
  equal,
  go,
  launch,
  open,
  report,
  runTests,
  shown,
  sorted,
  testPhone,
  until,
  valueOf,
} from './browser.mjs';
import { testTexts } from './texts.mjs';

const { run, recordings, history } = JSON.parse(process.argv[2]);
const ram = answer('ram', run.folder, '--top', '0');
const nodesOnly = (rows) => rows.filter(([name]) => !name.startsWith('role '));
const known = (rows) => rows.filter(([, value]) => value !== null);

async function numbers(page) {
  equal(
    'nodes-is-first',
    'nodes',
    await page.locator('[role=tab][aria-selected=true]').getAttribute('data-view'),
  );
  const names = await page
    .locator('#view tr[data-row]')
    .evaluateAll((rows) => rows.map((row) => row.dataset.name));
  equal('nodes-sorted-by-growth', '["role relay","alpha","role node","beta","gamma"]', JSON.stringify(names));
  equal(
    'nodes-last',
    sorted(ram.nodes.map((node) => [node.name, node.summary.rss.last])),
    sorted(nodesOnly(await columnOf(page, 'last'))),
  );
  equal(
    'nodes-change',
    sorted(ram.nodes.map((node) => [node.name, node.summary.rss.last - node.summary.rss.first])),
    sorted(nodesOnly(await columnOf(page, 'change'))),
  );
  equal(
    'nodes-role-sum',
    ram.nodes.filter((node) => node.role === 'node').reduce((sum, node) => sum + node.summary.rss.last, 0),
    await valueOf(page, '#view tr[data-name="role node"] [data-column=last]'),
  );
  equal(
    'nodes-together',
    ram.nodes.reduce((sum, node) => sum + node.summary.rss.last, 0),
    await valueOf(page, '[data-name=nodes-last]'),
  );
  equal(
    'nodes-beside',
    sorted(ram.nodes.map((node) => [node.name, node.summary.pprof_inuse_space.last])),
    sorted(nodesOnly(await columnOf(page, 'of-pprof_inuse_space'))),
  );
  await testTexts(page, 'nodes-texts');
  equal('nodes-lag', 2, await valueOf(page, '#view tr[data-name=beta] [data-column=lag]'));
  equal('nodes-gaps', 1, await valueOf(page, '#view tr[data-name=beta] [data-column=gaps]'));
}

async function series(page) {
  await after(page, () => page.locator('#view select[aria-label=Series]').selectOption('pprof_inuse_space'));
  const cells = await columnOf(page, 'last');
  equal(
    'nodes-heap',
    sorted(known(ram.nodes.map((node) => [node.name, node.summary.pprof_inuse_space.last]))),
    sorted(known(nodesOnly(cells))),
  );
  equal(
    'nodes-resident-beside',
    sorted(ram.nodes.map((node) => [node.name, node.summary.rss.last])),
    sorted(nodesOnly(await columnOf(page, 'of-rss'))),
  );
  await after(page, () => page.locator('#view select[aria-label=Series]').selectOption('rss'));
  await after(page, () => page.locator('#view button', { hasText: 'By role' }).click());
  equal('nodes-alone', 3, await page.locator('#view tr[data-row]').count());
  await after(page, () => page.locator('#view button', { hasText: 'Node' }).first().click());
  equal('nodes-by-name', 'alpha,beta,gamma', (await columnOf(page, 'name')).map(([name]) => name).join());
}

/** A brush over the lanes: the same time for all views. */
async function brush(page) {
  await after(page, () => page.keyboard.press('l'));
  await page.locator('.node-lanes').focus();
  for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowRight');
  for (let i = 0; i < 39; i++) await page.keyboard.press('Shift+ArrowRight');
  await after(page, () => page.keyboard.press('Shift+ArrowRight'));
  // From 9 to 21 minutes there are two snapshots.
  const { points } = ram.nodes.find((node) => node.name === 'alpha');
  equal(
    'nodes-brush',
    points[2].rss - points[1].rss,
    await valueOf(page, '#view tr[data-name=alpha] [data-column=change]'),
  );
  check('nodes-brush-is-in-address', /between=\d+,\d+/.test(page.url()), page.url());
  await page.reload();
  await shown(page);
  equal(
    'nodes-deep-link',
    points[2].rss - points[1].rss,
    await valueOf(page, '#view tr[data-name=alpha] [data-column=change]'),
  );
  await after(page, () => page.keyboard.press('Escape'));
  await page.keyboard.press('/');
  await after(page, () => page.keyboard.insertText('gam'));
  equal('nodes-find', 'gamma', (await columnOf(page, 'last')).map(([name]) => name).join());
  await after(page, () => page.keyboard.press('Escape'));
}

async function intoNode(page) {
  const live = report(run.folder, '--node', 'alpha', '--metric', 'heap.peak').total.value;
  await after(page, () => page.locator('#view tr[data-name=alpha]').click());
  equal('nodes-open-by-click', live, await valueOf(page, '[data-name=flame-total]'));
  await after(page, () => page.locator('.who button', { hasText: 'All nodes' }).click());
  await page.locator('#view .grid').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.locator('#view .empty', { hasText: 'gamma' }).waitFor();
  check('nodes-without-profiles', true);
  await page.keyboard.press('ArrowUp');
  const name = await page.locator('#view tr[aria-selected=true]').getAttribute('data-name');
  await after(page, () => page.keyboard.press('Enter'));
  equal(
    'nodes-open-by-key',
    report(run.folder, '--node', name, '--metric', 'heap.peak').total.value,
    await valueOf(page, '[data-name=flame-total]'),
  );
  await after(page, () => page.goto(`${run.url}#target=1&view=functions&metric=heap.live`));
  await page.locator('#view tr[data-row]').first().waitFor();
  const all = report(run.folder, '--metric', 'heap.live', '--by', 'function');
  equal(
    'nodes-all-together',
    sorted(all.rows.map((row) => [row.stack[0].function, row.value])),
    sorted(await columnOf(page, 'self-0')),
  );
}

/** Rates of growth are per hour, those of a group the sum; what is missing and gaps count together. */
async function growth(browser) {
  const page = await open(browser, 'about:blank');
  const perSecond = { alpha: 1e6, beta: 2e6, gamma: -5e5 };
  await page.route(/\/api\/nodes/, async (route) => {
    const answer = await (await route.fetch()).json();
    for (const node of answer.nodes) {
      Object.assign(node.summary.rss.growth, { verdict: 'growing', bytes_per_second: perSecond[node.name] });
      node.gaps = 2;
    }
    await route.fulfill({ json: answer });
  });
  await page.goto(run.url);
  await shown(page);
  equal(
    'nodes-growth',
    sorted([...Object.entries(perSecond), ['role relay', 1e6], ['role node', 1.5e6]]),
    sorted(await columnOf(page, 'growth')),
  );
  await testTexts(page, 'nodes-growth-texts', { factors: { growth: 3600 } });
  equal('nodes-gaps-together', 3, await valueOf(page, '#view tr[data-name=beta] [data-column=gaps]'));
  await page.context().close();
}

async function sideBySide(browser) {
  const page = await open(browser, `${recordings.url}#view=nodes&series=heap`);
  await shown(page);
  equal(
    'nodes-of-recordings',
    JSON.stringify(recordings.files.map((file) => report(file, '--metric', 'heap.live').total.value).sort()),
    JSON.stringify((await columnOf(page, 'last')).map(([, value]) => value).sort()),
  );
  equal('nodes-of-recordings-faults', '', page.faults.join());
  await page.context().close();
}

/** A history has a page of its own: its series over days. */
async function overDays(browser) {
  const { services } = answer('history', history.file, '--points');
  const page = await open(browser, `${history.url}#view=flame`);
  await page.locator('.history tr[data-row]').first().waitFor();
  for (const [column, field] of [
    ['last', 'now'],
    ['low', 'low'],
    ['high', 'high'],
  ])
    equal(
      `history-${field}`,
      sorted(services[0].series.map((one) => [one.name, one[field]])),
      sorted(await columnOf(page, column)),
    );
  const rss = services[0].series[0].points;
  equal('history-runs', services[0].runs.length, await valueOf(page, '[data-name=runs]'));
  equal(
    'history-change',
    rss[rss.length - 1].last - rss[0].last,
    await valueOf(page, '.history tr[data-name=rss] [data-column=change]'),
  );
  const begin = Math.min(...services[0].series.map((one) => one.points[0].time_ms));
  const at = (point) => (point.time_ms + point.span_ms - begin) * 1e6;
  await page.goto(`${history.url}#between=${at(rss[1])},${at(rss[2])}`);
  const between = String(rss[2].last - rss[1].last);
  await until(
    page.locator('.history tr[data-name=rss] [data-column=change]'),
    'data-value',
    (value) => value === between,
  );
  check('history-between', true);
  await testTexts(page, 'history-texts');
  await page.route(/\/api\/history/, async (route) => {
    const told = await (await route.fetch()).json();
    Object.assign(told.services[0].series[0].growth, { verdict: 'growing', bytes_per_second: 1234 });
    await route.fulfill({ json: told });
  });
  await page.reload();
  await page.locator('.history tr[data-name=rss] [data-column=growth]:not([data-value=""])').waitFor();
  await testTexts(page, 'history-growth-texts', { factors: { growth: 86400 } });
  equal('history-faults', '', page.faults.join());
  await page.context().close();
}

const browser = await launch();
const page = await open(browser, run.url);
await shown(page);
await runTests(browser, [
  ['nodes-numbers', () => numbers(page)],
  ['nodes-series', () => series(page)],
  ['nodes-brush', () => brush(page)],
  ['nodes-into-node', () => intoNode(page)],
  ['nodes-again', () => after(page, () => go(page, 'n'))],
  ['nodes-faults', () => equal('nodes-faults', '', page.faults.join())],
  ['nodes-growth', () => growth(browser)],
  ['nodes-side-by-side', () => sideBySide(browser)],
  ['nodes-over-days', () => overDays(browser)],
  ['nodes-phone', () => testPhone(browser, `${run.url}#target=1&view=nodes&lanes=1`, 'nodes')],
]);
