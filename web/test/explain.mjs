// The view of resident memory: its numbers are those of memoir explain, and its owners lead to their call sites.
import {
  after,
  answer,
  check,
  equal,
  go,
  open,
  parameter,
  report,
  shown,
  sorted,
  testPhone,
  until,
  valueOf,
} from './browser.mjs';
import { BYTES, testSays, testTexts } from './texts.mjs';

export const explain = (file, ...options) => answer('explain', file, '--top', '12', ...options);

async function owners(page, file) {
  const told = explain(file);
  const steps = await page
    .locator('.waterfall [data-name]')
    .evaluateAll((all) => all.map((one) => [one.dataset.name, Number(one.dataset.value)]));
  const expected = told.owners.filter((one) => one.value).map((one) => [one.metric, one.value]);
  equal('explain-owners', JSON.stringify(expected), JSON.stringify(steps.slice(1)));
  const { residency } = told;
  equal('explain-kernel', residency.rss_after_bytes, await valueOf(page, '[data-name=explain-kernel]'));
  equal('explain-profile', residency.heap_live_bytes, await valueOf(page, '[data-name=explain-profile]'));
  equal(
    'explain-profile-is-heap-live',
    report(file, '--metric', 'heap.live', '--at', `${residency.at_ns}ns`).total.value,
    await valueOf(page, '[data-name=explain-profile]'),
  );
  equal(
    'explain-gap',
    residency.resident_bytes - residency.heap_live_bytes,
    await valueOf(page, '[data-name=explain-gap]'),
  );
  equal(
    'explain-adds-up',
    residency.rss_before_bytes,
    steps.slice(1).reduce((sum, one) => sum + one[1], 0),
  );
  check(
    'explain-says-to-the-byte',
    /exactly what the kernel counted/.test(await page.locator('[data-name=explain-sum]').innerText()),
    await page.locator('[data-name=explain-sum]').innerText(),
  );
  for (const { kind, bytes } of told.advice)
    equal(`explain-advice-${kind}`, bytes, await valueOf(page, `[data-name=advice-${kind}]`));
  check('explain-has-advice', told.advice.length > 0);
}

/** Each bar begins where the one above it ended, and they end where the whole does. */
async function steps(page, file) {
  const { owners, residency } = explain(file);
  const bars = await page
    .locator('.waterfall .step-bar')
    .evaluateAll((all) => all.map(({ style }) => [parseFloat(style.left), parseFloat(style.width)]));
  let from = 0;
  const wanted = owners
    .filter((one) => one.value)
    .map(({ value }) => {
      const bar = [from, value].map((bytes) => (100 * bytes) / residency.resident_bytes);
      from += value;
      return bar;
    });
  const isNear = (bar, i) => bar.every((place, side) => Math.abs(place - (bars[i + 1]?.[side] ?? -1)) < 0.01);
  check('explain-steps', bars.length === wanted.length + 1 && wanted.every(isNear), JSON.stringify(bars));
  await testTexts(page, 'explain-texts', { whole: residency.resident_bytes });
}

/** A click, or Enter, opens an owner; its sites lead to the metric. */
async function sites(page, url, file) {
  const held = explain(file).owners.find((one) => one.metric === 'heap.held');
  await after(page, () => page.locator('[data-owner-button="heap.held"]').click());
  check('explain-open-in-address', /owner=heap\.held/.test(page.url()), page.url());
  const seen = await page
    .locator('[data-owner="heap.held"] [data-site]')
    .evaluateAll((all) => all.map((one) => [one.dataset.site, Number(one.dataset.value)]));
  equal(
    'explain-sites',
    JSON.stringify(held.rows.map((row) => [row.stack[0].function, row.value])),
    JSON.stringify(seen),
  );
  await testTexts(page, 'explain-sites-texts', { within: '.owner-sites' });
  const [site, value] = seen[0];
  await after(page, () =>
    page.locator(`[data-site="${site}"]`).first().getByRole('button', { name: 'Flame' }).click(),
  );
  check('explain-site-metric', /metric=heap\.held/.test(page.url()), page.url());
  equal(
    'explain-site-flame',
    report(file, '--metric', 'heap.held', '--filter', site).matched.value,
    await valueOf(page, '[data-name=flame-total]'),
  );
  check('explain-site-value', value > 0 && value <= held.value, value);
  await after(page, () => page.goBack());
  await after(page, () =>
    page.locator(`[data-site="${site}"]`).first().getByRole('button', { name: 'Callers' }).click(),
  );
  check(
    'explain-site-callers',
    /view=callers/.test(page.url()) &&
      /metric=heap\.held/.test(page.url()) &&
      page.url().includes(`focus=${site}`),
    page.url(),
  );
  await after(page, () => page.goBack());
  await after(page, () => page.getByRole('button', { name: 'Flame graph of this owner' }).click());
  equal('explain-owner-flame', held.value, await valueOf(page, '[data-name=flame-total]'));
}

/** What those that are not listed have; and one look after another. */
async function rest(browser, url, file) {
  const held = explain(file).owners.find((one) => one.metric === 'heap.held');
  const page = await open(browser, 'about:blank');
  await page.route(/\/api\/explain/, async (route) => {
    const told = await (await route.fetch()).json();
    const owner = told.owners.find((one) => one.metric === 'heap.held');
    owner.rows = [{ ...owner.rows[0], value: 1000 }];
    const { time_ns: times, heap_live: live, owners } = told.over_time;
    told.over_time.time_ns = [0, times.at(-1)];
    told.over_time.heap_live = [500, live.at(-1)];
    for (const one of owners) one.values = [1000, one.values.at(-1)];
    await route.fulfill({ json: told });
  });
  await page.goto(`${url}#view=explain&owner=heap.held`);
  await shown(page);
  const words = await page.locator('.owner-actions .hint').innerText();
  testSays('explain-sites-rest', words.replace(/^1 largest/, ''), held.value - 1000, BYTES);
  await page.locator('.owners-chart .over').focus();
  for (const [key, value] of [
    ['End', held.value],
    ['Home', 1000],
  ]) {
    await page.keyboard.press(key);
    equal(`explain-looks-${key.toLowerCase()}`, value, await valueOf(page, '[data-name="look-heap.held"]'));
  }
  await page.context().close();
}

async function keys(page, url, file) {
  await page.goto('about:blank');
  await page.goto(url);
  await shown(page);
  await after(page, () => go(page, 'r'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const metric = await page.locator(':focus').getAttribute('data-name');
  equal('explain-keys-walk', 'heap.held', metric);
  await after(page, () => page.keyboard.press('Enter'));
  equal('explain-keys-open', 1, await page.locator('[data-owner="heap.held"]').count());
  await page.locator('.owners-chart .over').focus();
  await page.keyboard.press('Home');
  await after(page, () => page.keyboard.press('Enter'));
  const told = explain(file, '--at', `${parameter(page, 'at')}ns`);
  equal('explain-at', told.residency.resident_bytes, await valueOf(page, '[data-name=explain-kernel]'));
  await page.locator('.owners-chart .over').focus();
  for (const [key, at] of [
    ['End', explain(file)],
    ['Home', told],
  ]) {
    await page.keyboard.press(key);
    equal(
      `explain-look-${key.toLowerCase()}`,
      sorted([
        ['look-resident', at.residency.resident_bytes],
        ['look-profile', at.residency.heap_live_bytes],
        ...at.owners.filter((one) => one.value > 0).map((one) => [`look-${one.metric}`, one.value]),
      ]),
      sorted(
        await page
          .locator('.owners-chart [data-value]')
          .evaluateAll((all) => all.map((one) => [one.dataset.name, Number(one.dataset.value)])),
      ),
    );
  }
  await testTexts(page, 'explain-look-texts', { within: '.owners-chart' });
}

/** What has the focus keeps it while the recording grows, also where what stands around the view comes late. */
async function staysFocused(browser, url) {
  const page = await open(browser, `${url}#view=explain`);
  await shown(page);
  await page.route(/api\/timeline/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    await route.continue();
  });
  await page.keyboard.press('ArrowDown');
  const name = await page.locator(':focus').getAttribute('data-name'),
    length = page.locator('[data-name=length]'),
    before = await length.getAttribute('data-value');
  const had = page.evaluate(async () => {
    const names = new Set(),
      end = performance.now() + 5000;
    while (performance.now() < end) {
      names.add(document.activeElement.dataset.name ?? 'nothing');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return [...names].join();
  });
  await until(length, 'data-value', (now) => now !== before);
  equal('explain-focus-stays', name, await had);
  await page.context().close();
}

async function noLooks(browser, url) {
  const page = await open(browser, `${url}#view=explain`);
  await shown(page);
  check(
    'explain-nobody-looked',
    /has no snapshot of the pages/i.test(await page.locator('[data-name=explain-why]').innerText()) &&
      /memoir run --map-every/.test(await page.locator('.absent pre').innerText()),
    await page.locator('#view').innerText(),
  );
  equal('explain-nobody-no-trouble', false, await page.locator('.trouble').isVisible());
  await page.context().close();
}

async function sampled(browser, url, file) {
  const page = await open(browser, `${url}#view=explain`);
  await shown(page);
  const told = explain(file);
  equal(
    'explain-sampled-sum',
    told.residency.resident_bytes,
    await valueOf(page, '[data-name=explain-kernel]'),
  );
  check(
    'explain-sampled-marked',
    /≈/.test(await page.locator('[data-owner-button="heap.resident"] .step-value').innerText()) &&
      /estimated/.test(await page.locator('.estimated').first().innerText()),
    await page.locator('#view').innerText(),
  );
  await page.context().close();
}

export async function testExplain(browser, { ended, silent, sampled: sample }) {
  const page = await open(browser, `${ended.url}#view=explain`);
  await shown(page);
  await owners(page, ended.file);
  await steps(page, ended.file);
  await sites(page, ended.url, ended.file);
  await keys(page, ended.url, ended.file);
  equal('explain-faults', '', page.faults.join('; '));
  await page.context().close();
  await testPhone(browser, `${ended.url}#view=explain&owner=heap.held`, 'explain');
  await rest(browser, ended.url, ended.file);
  await staysFocused(browser, ended.url);
  await noLooks(browser, silent.url);
  await sampled(browser, sample.url, sample.file);
}
