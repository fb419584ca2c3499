// The map of the address space: its numbers are those of memoir map.
import { explain } from './explain.mjs';
import { after, answer, check, columnOf, equal, go, open, shown, testPhone, valueOf } from './browser.mjs';

const mapOf = (pid) => answer('map', pid, '--all');

async function numbers(page, pid) {
  const told = mapOf(pid);
  equal('map-view-rss', told.total.bytes.rss, await valueOf(page, '[data-name=map-rss]'));
  equal('map-view-kernel', told.capture.rss_after, await valueOf(page, '[data-name=map-kernel]'));
  equal('map-view-virtual', told.total.bytes.virtual, await valueOf(page, '[data-name=map-virtual]'));
  for (const { section, bytes } of told.sections.filter((one) => one.bytes.virtual))
    equal(`map-view-${section}`, bytes.rss, await valueOf(page, `[data-name=map-section-${section}]`));
  await after(page, () => page.getByRole('button', { name: 'RSS' }).click());
  const most = told.regions.slice(0, 8).map((one) => one.bytes.rss);
  equal(
    'map-view-table',
    JSON.stringify(most),
    JSON.stringify((await columnOf(page, 'rss')).slice(0, most.length).map((one) => one[1])),
  );
  await page.locator('.map .as-table summary').click();
  const leaf = told.leaves.reduce((a, b) => (b.bytes.rss > a.bytes.rss ? b : a));
  equal(
    'map-view-parts',
    leaf.bytes.rss,
    await valueOf(page, `[data-leaf="${leaf.section}/${leaf.label}/${leaf.item}"] [data-figure=rss]`),
  );
}

/** By keys: to the heap, into its pages, and back. */
async function keys(page, url, pid) {
  const told = mapOf(pid);
  const heap = told.regions.find((one) => one.name === '[heap]');
  await page.goto('about:blank');
  await page.goto(url);
  await shown(page);
  await after(page, () => go(page, 'm'));
  await page.keyboard.press('f');
  await page.locator('.map .over').focus();
  for (let i = 0; i < 200; i++) {
    await page.keyboard.press('ArrowRight');
    if ((await page.locator('[data-name=map-facts] .mono').innerText()) === '[heap]') break;
  }
  equal('map-keys-rss', heap.bytes.rss, await valueOf(page, '[data-name=map-facts] [data-figure=RSS]'));
  equal('map-keys-pss', heap.bytes.pss, await valueOf(page, '[data-name=map-facts] [data-figure=PSS]'));
  await after(page, () => page.keyboard.press('Enter'));
  check('map-keys-region', /region=\d+/.test(page.url()), page.url());
  equal('map-pages', heap.bytes.rss, await valueOf(page, '[data-name=map-pages-resident]'));
  await after(page, () => page.keyboard.press('Backspace'));
  equal('map-keys-back', false, await page.locator('.map-pages').isVisible());
  await after(page, () => page.getByRole('button', { name: 'By resident size' }).click());
  check('map-treemap-in-address', /shape=treemap/.test(page.url()), page.url());
}

/** Of a process that has ended: the last look of its recording. */
async function recorded(browser, { url, file }) {
  const page = await open(browser, `${url}#view=map`);
  await shown(page);
  const told = explain(file).residency;
  equal('map-recorded', told.walked_bytes, await valueOf(page, '[data-name=map-rss]'));
  equal('map-recorded-kernel', told.rss_after_bytes, await valueOf(page, '[data-name=map-kernel]'));
  check(
    'map-recorded-says-so',
    /has ended/.test(await page.locator('[data-name=map-kernel]').innerText()),
    await page.locator('[data-name=map-kernel]').innerText(),
  );
  equal('map-recorded-faults', '', page.faults.join('; '));
  await page.context().close();
}

/** A process that nobody records. */
async function unrecorded(browser, { url, pid }) {
  const page = await open(browser, url);
  await shown(page);
  equal('map-unrecorded-rss', mapOf(pid).total.bytes.rss, await valueOf(page, '[data-name=map-rss]'));
  check('map-unrecorded-says-how', (await page.locator('.state pre').innerText()) === `memoir attach ${pid}`);
  equal('map-unrecorded-faults', '', page.faults.join('; '));
  await page.context().close();
}

export async function testMap(browser, { ended: { url, pid }, silent, sampled, plain }) {
  const page = await open(browser, `${url}#view=map`);
  await shown(page);
  await numbers(page, pid);
  await keys(page, url, pid);
  equal('map-faults', '', page.faults.join('; '));
  await page.context().close();
  await testPhone(browser, `${url}#view=map&region=6`, 'map');
  await recorded(browser, sampled);
  await unrecorded(browser, plain);
  const gone = await open(browser, `${silent.url}#view=map`);
  await shown(gone);
  check(
    'map-of-nobody',
    /has ended/.test(await gone.locator('[data-name=map-why]').innerText()),
    await gone.locator('#view').innerText(),
  );
  await gone.context().close();
}
