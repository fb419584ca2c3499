// The view of resident memory: its numbers are those of memoir explain, and its owners lead to their call sites.
import { after, answer, check, equal, go, open, report, shown, testPhone, valueOf } from './browser.mjs';

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
    /to the byte what the kernel counted/.test(await page.locator('[data-name=explain-sum]').innerText()),
    await page.locator('[data-name=explain-sum]').innerText(),
  );
  for (const { kind, bytes } of told.advice)
    equal(`explain-advice-${kind}`, bytes, await valueOf(page, `[data-name=advice-${kind}]`));
  check('explain-has-advice', told.advice.length > 0);
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
  await after(page, () => page.getByRole('button', { name: 'Flame graph of it' }).click());
  equal('explain-owner-flame', held.value, await valueOf(page, '[data-name=flame-total]'));
}

async function keys(page, url, file) {
  await page.goto('about:blank');
  await page.goto(url);
  await shown(page);
  await after(page, () => go(page, 'r'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const metric = await page.evaluate(() => document.activeElement.dataset.name);
  equal('explain-keys-walk', 'heap.held', metric);
  await after(page, () => page.keyboard.press('Enter'));
  equal('explain-keys-open', 1, await page.locator('[data-owner="heap.held"]').count());
  await page.locator('.owners-chart .over').focus();
  await page.keyboard.press('Home');
  await after(page, () => page.keyboard.press('Enter'));
  const at = /[#&]at=(\d+)/.exec(page.url())?.[1];
  equal(
    'explain-at',
    explain(file, '--at', `${at}ns`).residency.resident_bytes,
    await valueOf(page, '[data-name=explain-kernel]'),
  );
}

async function noLooks(browser, url) {
  const page = await open(browser, `${url}#view=explain`);
  await shown(page);
  check(
    'explain-nobody-looked',
    /nobody has looked/i.test(await page.locator('[data-name=explain-why]').innerText()) &&
      /memoir run --map-every/.test(await page.locator('.explain-empty pre').innerText()),
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
  await sites(page, ended.url, ended.file);
  await keys(page, ended.url, ended.file);
  equal('explain-faults', '', page.faults.join('; '));
  await page.context().close();
  await testPhone(browser, `${ended.url}#view=explain&owner=heap.held`, 'explain');
  await noLooks(browser, silent.url);
  await sampled(browser, sample.url, sample.file);
}
