// A recording that has ended: every view's numbers are those of memoir report, for all selections.
import { after, check, columnOf, equal, go, open, report, shown, sorted, valueOf } from './browser.mjs';
import { testDoubts, testTables } from './tables.mjs';

const GUTTER = 68; // of the timeline, for its numbers
const byFunction = (rows, field) => rows.map((row) => [row.stack[0].function, row[field]]);

/** Where about half of all has been allocated, as a part of the time: a short program may do it all early or late. */
async function halfway(url) {
  const { columns, from_ns: from, to_ns: to } = await (await fetch(`${url}api/timeline?points=800`)).json();
  const whole = columns.allocated.reduce((sum, value) => sum + value, 0);
  let sum = 0;
  const column = columns.allocated.findIndex((value) => (sum += value) >= whole / 2);
  return (columns.end_ns[column] - from) / (to - from);
}

async function brushAndLinks(page, url, file) {
  await after(page, () => page.goto(`${url}#view=functions&metric=heap.allocated`));
  const whole = await valueOf(page, '[data-name=sum-0]');
  await page.evaluate(() => scrollTo(0, 0)); // the mouse reaches only what is in sight
  const chart = await page.locator('.timeline .over').boundingBox();
  const end = chart.x + (chart.width - GUTTER) * (await halfway(url)) + 1;
  await page.mouse.move(chart.x + 2, chart.y + 60);
  await page.mouse.down();
  await page.mouse.move((chart.x + end) / 2, chart.y + 60, { steps: 4 });
  await page.mouse.move(end, chart.y + 60, { steps: 4 });
  await after(page, () => page.mouse.up());
  const between = decodeURIComponent(/between=([^&]*)/.exec(page.url())?.[1] ?? '');
  check('page-brush-in-address', /^\d+,\d+$/.test(between), page.url());
  const [from, to] = between.split(',');
  const part = report(
    file,
    '--metric',
    'heap.allocated',
    '--by',
    'function',
    '--between',
    `${from}ns,${to}ns`,
  );
  equal('page-brush-sum', part.total.value, await valueOf(page, '[data-name=sum-0]'));
  check('page-brush-changes', part.total.value < whole, `${part.total.value} of ${whole}`);
  equal('page-brush-rows', sorted(byFunction(part.rows, 'value')), sorted(await columnOf(page, 'self-0')));
  await after(page, () => go(page, 'f'));
  equal('page-brush-flame', part.total.value, await valueOf(page, '[data-name=flame-total]'));

  await page.reload();
  await shown(page);
  equal('page-link-reload', part.total.value, await valueOf(page, '[data-name=flame-total]'));
  const name = part.rows[0].stack[0].function;
  await after(page, () =>
    page.goto(`${url}#view=functions&metric=heap.allocated&filter=${encodeURIComponent(name)}`),
  );
  const some = report(file, '--metric', 'heap.allocated', '--by', 'function', '--filter', name);
  equal('page-filter', sorted(byFunction(some.rows, 'value')), sorted(await columnOf(page, 'self-0')));
  await after(page, () => page.goto(`${url}#metric=heap.allocated&filter=(`));
  check(
    'page-error-sentence',
    /regular expression/.test(await page.locator('.trouble').innerText()),
    await page.locator('.trouble').innerText(),
  );
  await after(page, () => page.keyboard.press('Escape'));
  equal('page-error-goes', false, await page.locator('.trouble').isVisible());
}

async function instant(page, url, file) {
  await after(page, () => page.goto(`${url}#view=functions&metric=heap.peak`));
  const chart = await page.locator('.timeline .over').boundingBox();
  await after(page, () => page.mouse.click(chart.x + chart.width * 0.6, chart.y + 60));
  const at = /[#&]at=(\d+)/.exec(page.url())?.[1];
  check('page-instant-is-of-what-lives-then', /metric=heap\.live/.test(page.url()), page.url());
  equal(
    'page-instant',
    report(file, '--metric', 'heap.live', '--by', 'function', '--at', `${at}ns`).total.value,
    await valueOf(page, '[data-name=sum-0]'),
  );
}

/** Names come from programs that somebody else wrote. */
async function hostileNames(browser, url) {
  const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const page = await open(browser, 'about:blank');
  await page.route(/\/api\/(?!events)/, async (route) => {
    const answer = await (await route.fetch()).text();
    await route.fulfill({
      contentType: 'application/json',
      body: answer.replace(/"function": ?"[^"]*"/g, `"function":${JSON.stringify(name)}`),
    });
  });
  await page.goto(`${url}#view=functions&metric=heap.allocated`);
  await shown(page);
  equal('page-hostile-name-is-text', name, await page.locator('#view tr[data-row="0"] .mono').innerText());
  equal('page-hostile-name-is-nothing-else', 0, await page.locator('#app img, #app script').count());
  await page.context().close();
}

async function keysOnly(page, url, file) {
  await page.goto('about:blank');
  await page.goto(`${url}#metric=heap.allocated`);
  await shown(page);
  const all = report(file, '--metric', 'heap.allocated', '--by', 'function');
  await page.keyboard.press('f');
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
  const name = await page.locator('.facts').getAttribute('data-name');
  const row = all.rows.find((one) => one.stack[0].function === name);
  equal('page-keys-frame', row?.total_value, await valueOf(page, '.facts [data-value]'));
  await after(page, () => page.keyboard.press('Enter'));
  check('page-keys-zoom', /zoom=/.test(page.url()), page.url());
  await after(page, () => page.keyboard.press('Backspace'));
  await page.keyboard.press('/');
  await after(page, () => page.keyboard.insertText(name));
  equal('page-keys-find', row?.total_value, await valueOf(page, '[data-name=found]'));
  await after(page, () => page.keyboard.press('Escape'));
  await page.keyboard.press('t');
  await page.keyboard.press('Home');
  await page.keyboard.press('PageDown');
  await after(page, () => page.keyboard.press('Shift+PageDown'));
  check('page-keys-range', /between=/.test(page.url()), page.url());
  await after(page, () => page.keyboard.press('Escape'));
  check('page-keys-clear', !/between=/.test(page.url()), page.url());
  await page.keyboard.press('?');
  equal('page-keys-help', true, await page.locator('dialog.help').isVisible());
  await page.keyboard.press('Escape');
  equal('page-keys-help-closes', false, await page.locator('dialog.help').isVisible());
  await page.locator('.timeline .as-table summary').focus();
  await page.keyboard.press('Enter');
  await page.locator('.timeline .plain tbody tr').first().waitFor();
  check('page-timeline-table', (await page.locator('.timeline .plain tbody tr').count()) > 0);
}

/** What the wheel shows of a flame graph is in the address, and goes when a frame is zoomed to. */
async function wheel(page, url) {
  const span = () => page.locator('.flame-frame').getAttribute('data-span');
  await after(page, () => page.goto(`${url}#metric=heap.calls`));
  equal('page-wheel-whole', '0,1000000000', await span());
  await page.locator('.flame .over').scrollIntoViewIfNeeded();
  const box = await page.locator('.flame .over').boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 10);
  await page.keyboard.down('Control');
  await after(page, () => page.mouse.wheel(0, -400));
  await page.keyboard.up('Control');
  const [from, to] = (await span()).split(',').map(Number);
  check(
    'page-wheel-closer',
    to - from < 5e8 && Math.abs((2.5e8 - from) / (to - from) - 0.25) < 0.01,
    `${from} ${to}`,
  );
  check('page-wheel-in-address', page.url().includes(`span=${from},${to}`), page.url());
  await page.reload();
  await shown(page);
  equal('page-wheel-reload', `${from},${to}`, await span());
  await after(page, () => page.locator('.flame .over').click({ position: { x: box.width / 2, y: 30 } }));
  check('page-wheel-zoom', /zoom=/.test(page.url()) && !/span=/.test(page.url()), page.url());
}

async function looks(browser, url) {
  const dark = await open(browser, url, {
    viewport: { width: 375, height: 800 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  });
  await shown(dark);
  const brightness = (color) =>
    color
      .match(/\d+/g)
      .slice(0, 3)
      .reduce((sum, one) => sum + Number(one), 0);
  const paint = await dark.evaluate(() => {
    const style = getComputedStyle(document.documentElement);
    return [style.backgroundColor, style.color];
  });
  check('page-dark', brightness(paint[0]) < 150 && brightness(paint[1]) > 600, paint.join());
  for (const view of [
    'flame',
    'functions',
    'tree',
    'callers',
    'growth',
    'diff',
    'threads',
    'histograms',
    'quality',
  ]) {
    if (view !== 'flame') await after(dark, () => dark.locator(`[data-view=${view}]`).click());
    equal(`page-phone-${view}`, 375, await dark.evaluate(() => document.documentElement.scrollWidth));
  }
  equal('page-phone-faults', '', dark.faults.join('; '));
  await dark.context().close();
}

export async function testEnded(browser, url, file) {
  const page = await open(browser, url);
  await shown(page);
  await testTables(page, url, file);
  await brushAndLinks(page, url, file);
  await instant(page, url, file);
  await keysOnly(page, url, file);
  await wheel(page, url);
  equal('page-faults', '', page.faults.filter((fault) => !/400/.test(fault)).join('; '));
  await page.context().close();
  await hostileNames(browser, url);
  await testDoubts(browser, url);
  await looks(browser, url);
}
