// Lanes, zoom and the cursor of the timeline.
import { after, check, equal, parameter, report, shown, valueOf } from './browser.mjs';
import { testTexts } from './texts.mjs';

const seen = (page) =>
  page.locator('.timeline').evaluate((one) => [Number(one.dataset.from), Number(one.dataset.to)]);

async function lanes(page, url) {
  await after(page, () => page.goto(`${url}#view=quality&metric=heap.live`));
  const height = (await page.locator('.timeline .over').boundingBox()).height;
  await page.locator('.lane-menu summary').click();
  await after(page, () => page.locator('[data-lane=held][type=checkbox]').check());
  equal('time-lanes-in-address', true, (parameter(page, 'tracks') ?? '').split(',').includes('held'));
  check('time-lane-takes-room', (await page.locator('.timeline .over').boundingBox()).height > height);
  await after(page, () => page.locator('[data-lane=held][type=checkbox]').uncheck());
  equal('time-lanes-usual-again', null, parameter(page, 'tracks'));
  await page.locator('.lane-menu summary').click();
}

async function cursor(page, url, file) {
  await after(page, () => page.goto(`${url}#view=quality&metric=heap.live&tracks=memory,held,rate,sites`));
  await page.keyboard.press('t');
  await page.keyboard.press('End');
  const last = (metric) => report(file, '--metric', metric).total.value;
  equal('time-cursor-heap', last('heap.live'), await valueOf(page, '.tip [data-lane=heap] b'));
  equal('time-cursor-held', last('heap.held'), await valueOf(page, '.tip [data-lane=held] b'));
}

/** In the middle, as the server says; the live heap as the command says at the end of that column. */
async function inTheMiddle(page, url, file) {
  const asked = page.waitForResponse((one) => /api\/timeline.*heap\.live/.test(one.url()));
  await page.goto('about:blank');
  await page.goto(`${url}#view=quality&metric=heap.live&tracks=memory,rate,sites`);
  await shown(page);
  const { columns, sites, instants_ns: instants } = await (await asked).json();
  await page.keyboard.press('t');
  await page.keyboard.press('Home');
  for (let i = 0; i < 6; i++) await page.keyboard.press('PageDown');
  const ns = Number(await page.locator('.timeline .tip').getAttribute('data-time'));
  const column = columns.end_ns.findIndex((end) => end >= ns),
    instant = instants.findIndex((at) => at >= ns),
    end = columns.end_ns[column];
  const lane = (name) => valueOf(page, `.tip [data-lane=${name}] b`);
  equal('time-middle-rss', columns.rss[column], await lane('rss'));
  equal(
    'time-middle-heap',
    report(file, '--metric', 'heap.live', '--at', `${end}ns`).total.value,
    await lane('heap'),
  );
  equal(
    'time-middle-rate',
    Math.round(columns.allocated[column] / ((end - columns.begin_ns[column]) / 1e9)),
    Math.round(await lane('rate')),
  );
  equal('time-middle-sites', Math.max(...sites.map((site) => site.values[instant])), await lane('sites'));
  await testTexts(page, 'time-tip-texts', { within: '.timeline .tip' });
  await testTexts(page, 'time-legend-texts', { within: '.timeline .legend' });
}

async function zoom(page, url, file) {
  await after(page, () => page.goto(`${url}#view=functions&metric=heap.allocated`));
  const [from, to] = await seen(page);
  await page.keyboard.press('t');
  await after(page, () => page.keyboard.press('+'));
  const [left, right] = await seen(page);
  check('time-zoom-in', left > from && right < to, `${left} ${right} in ${from} ${to}`);
  equal('time-zoom-in-address', `${left},${right}`, parameter(page, 'stretch'));
  check('time-zoom-overview', await page.locator('.timeline-overview').isVisible());
  equal(
    'time-zoom-selects-nothing',
    report(file, '--metric', 'heap.allocated').total.value,
    await valueOf(page, '[data-name=sum-0]'),
  );
  await page.reload();
  await shown(page);
  equal('time-zoom-reload', `${left},${right}`, (await seen(page)).join());
  const box = await page.locator('.timeline .over').boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height - 6);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height - 6, { steps: 3 });
  await after(page, () => page.mouse.up());
  const [moved, end] = await seen(page);
  check(
    'time-zoom-axis-drags',
    moved > left && Math.abs(end - moved - (right - left)) <= 2,
    `${moved} ${end}`,
  );
  equal('time-zoom-axis-selects-nothing', null, parameter(page, 'between') ?? parameter(page, 'at'));
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
  await page.keyboard.down('Control');
  await after(page, () => page.mouse.wheel(0, -200));
  await page.keyboard.up('Control');
  const [closer, until] = await seen(page);
  check('time-zoom-wheel', until - closer < end - moved, `${closer} ${until}`);
  // A brush in what is seen closely is of that time.
  await page.mouse.move(box.x + box.width * 0.2, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, box.y + 60, { steps: 3 });
  await after(page, () => page.mouse.up());
  const [begin, finish] = parameter(page, 'between').split(',').map(Number);
  check('time-zoom-brush', begin > closer && finish < until, `${begin} ${finish} in ${closer} ${until}`);
  equal(
    'time-zoom-brush-sum',
    report(file, '--metric', 'heap.allocated', '--between', `${begin}ns,${finish}ns`).total.value,
    await valueOf(page, '[data-name=sum-0]'),
  );
  await page.keyboard.press('t');
  await after(page, () => page.keyboard.press('0'));
  equal('time-zoom-out', null, parameter(page, 'stretch'));
  equal('time-zoom-all', `${from},${to}`, (await seen(page)).join());
}

/** In the legend and at the cursor, as the server says. */
async function proportional(page, url) {
  const answer = await (await fetch(`${url}api/timeline?points=800`)).json();
  const last = answer.columns.pss.findLast((value) => value !== null);
  await after(page, () => page.goto(`${url}#view=quality&metric=heap.live`));
  check('time-pss-read', last > 0, last);
  equal('time-pss-legend', last, await valueOf(page, '.timeline .key-pss b'));
  await page.keyboard.press('t');
  await page.keyboard.press('End');
  equal('time-pss-cursor', last, await valueOf(page, '.tip [data-lane=pss] b'));
}

/** Numbers have a gutter of their own at the right: time ends where it begins. */
async function gutter(page) {
  const box = await page.locator('.timeline .over').boundingBox(),
    [from, to] = await seen(page),
    timeAt = async (x) => {
      await page.mouse.move(x, box.y + 60);
      return Number(await page.locator('.timeline .tip').getAttribute('data-time'));
    };
  equal('time-gutter-is-the-end', to, await timeAt(box.x + box.width - 2));
  equal('time-gutter-begins', to, await timeAt(box.x + box.width - 68));
  const middle = await timeAt(box.x + (box.width - 68) / 2);
  check(
    'time-beside-gutter',
    Math.abs(middle - (from + to) / 2) < (to - from) / 500,
    `${middle} in ${from} ${to}`,
  );
}

/** A frame of the flame graph, and when it was there. */
async function picked(page, url, file) {
  await after(page, () => page.goto(`${url}#metric=heap.live`));
  await page.keyboard.press('f');
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
  const name = await page.locator('.facts').getAttribute('data-name');
  await after(page, () => page.keyboard.press('Enter'));
  equal('time-picked-in-address', name, parameter(page, 'picked'));
  await page.keyboard.press('t');
  await page.keyboard.press('End');
  equal(
    'time-picked',
    report(file, '--metric', 'heap.live', '--filter', `^${name}$`).total.value,
    await valueOf(page, '.tip [data-lane=picked] b'),
  );
  await after(page, () => page.keyboard.press('Escape'));
  equal('time-picked-goes', null, parameter(page, 'picked'));
}

export async function testTimeline(page, url, file) {
  await lanes(page, url);
  await cursor(page, url, file);
  await inTheMiddle(page, url, file);
  await proportional(page, url);
  await gutter(page);
  await zoom(page, url, file);
  await picked(page, url, file);
}
