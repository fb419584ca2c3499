// The map of the address space: its numbers are those of memoir map.
import { explain } from './explain.mjs';
import {
  after,
  answer,
  check,
  columnOf,
  equal,
  go,
  open,
  shown,
  sorted,
  testPhone,
  valueOf,
} from './browser.mjs';
import { BYTES, testSays, testTexts } from './texts.mjs';

const mapOf = (pid) => answer('map', pid, '--all');

/** What is private of a file depends on who else has it just now. */
const figuresOf = ({ start, end, name, bytes }) =>
  [
    `${start} – ${end}`,
    bytes.rss,
    bytes.virtual,
    name.startsWith('/') ? '' : bytes.private_clean + bytes.private_dirty,
  ].join(', ');

async function numbers(page, pid) {
  const told = mapOf(pid);
  equal('map-view-rss', told.total.bytes.rss, await valueOf(page, '[data-name=map-rss]'));
  equal('map-view-kernel', told.capture.rss_after, await valueOf(page, '[data-name=map-kernel]'));
  equal('map-view-virtual', told.total.bytes.virtual, await valueOf(page, '[data-name=map-virtual]'));
  for (const { section, bytes } of told.sections.filter((one) => one.bytes.virtual))
    equal(`map-view-${section}`, bytes.rss, await valueOf(page, `[data-name=map-section-${section}]`));
  await after(page, () => page.getByRole('button', { name: 'RSS' }).click());
  const order = (await columnOf(page, 'rss')).map(([, value]) => value);
  equal('map-view-order', [...order].sort((a, b) => b - a).join(), order.join());
  const known = new Set(told.regions.map(figuresOf));
  const rows = await page.locator('#view tr[data-row]').evaluateAll((all) =>
    all.map((row) => {
      const figure = (column) => row.querySelector(`[data-column=${column}]`).dataset.value;
      const place = row.querySelector('.where').innerText.split(' · ').at(-1);
      const own = row.dataset.name.startsWith('/') ? '' : figure('private');
      return [place, figure('rss'), figure('virtual'), own].join(', ');
    }),
  );
  check('map-view-rows', rows.length > 8, rows.length);
  equal('map-view-table', '', rows.filter((row) => !known.has(row) && !/, 0,/.test(row)).join('; '));
  await page.locator('.map .as-table summary').click();
  await page.locator('[data-leaf]').first().waitFor(); // filled once it is open
  for (const figure of ['rss', 'virtual'])
    equal(
      `map-view-parts-${figure}`,
      sorted(told.leaves.map((leaf) => [`${leaf.section}/${leaf.label}/${leaf.item}`, leaf.bytes[figure]])),
      sorted(
        await page
          .locator(`[data-leaf] [data-column=${figure}]`)
          .evaluateAll((all) =>
            all.map((one) => [one.closest('tr').dataset.leaf, Number(one.dataset.value)]),
          ),
      ),
    );
  await testTexts(page, 'map-texts', { whole: told.total.bytes.rss });
}

/** Of a file, and of it only the pages that were written are private. */
async function pagesOfFile(page, url, pid) {
  const { regions } = mapOf(pid);
  const ofFile = regions.find((one) => one.name.startsWith('/') && one.bytes.rss > 0 && !one.bytes.anonymous);
  const { rows } = await (await fetch(`${url}api/map`)).json();
  const { first } = rows.find((one) => one.start === ofFile.start);
  await after(page, () => page.goto(`${url}#view=map&region=${first}`));
  equal('map-pages-of-file', ofFile.bytes.rss, await valueOf(page, '[data-name=map-pages-resident]'));
  const words = await page.locator('.map-pages-head p').innerText();
  testSays('map-pages-of-file-size', words.replace(/.*resident of/, ''), ofFile.bytes.virtual, BYTES);
  testSays('map-pages-of-file-private', words.replace(/.*resident of [^,]*,/, ''), 0, BYTES);
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

/** To whom addresses are not shown: which mapping of all it is. */
async function withoutAddresses(browser, url) {
  const page = await open(browser, 'about:blank');
  await page.route(/\/api\/map/, async (route) => {
    const answer = await (await route.fetch()).json();
    for (const row of answer.rows) delete row.start;
    await route.fulfill({ json: { ...answer, has_addresses: false } });
  });
  await page.goto(`${url}#view=map`);
  await shown(page);
  const places = await page.locator('#view tr[data-row] .where').allInnerTexts();
  const all = / of (\d+)$/.exec(places[0])?.[1];
  equal(
    'map-places-without-addresses',
    `mapping 1 of ${all}, mapping 2 of ${all}`,
    places
      .slice(0, 2)
      .map((text) => text.split(' · ').at(-1))
      .join(', '),
  );
  await page.context().close();
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
  await pagesOfFile(page, url, pid);
  equal('map-faults', '', page.faults.join('; '));
  await page.context().close();
  await testPhone(browser, `${url}#view=map&region=6`, 'map');
  await withoutAddresses(browser, url);
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
