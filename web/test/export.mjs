// export.mjs URL FILE DIR: what the page saves, and the page that it saves, opened from a file without any network.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  after,
  cellsOf,
  check,
  columnOf,
  equal,
  go,
  launch,
  open,
  printed,
  report,
  runTests,
  shown,
  sorted,
  until,
  valueOf,
} from './browser.mjs';
import { forNobody } from './seen.mjs';

const [url, file, dir] = process.argv.slice(2);
const hostile = '</script><script>document.title="caught"</script><!--"\'&';

async function save(page, name) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator(`[data-name=${name}]`).click(),
  ]);
  const path = join(dir, download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

async function openMenu(page) {
  await page.keyboard.press('e');
  await page.locator('dialog.save[open]').waitFor();
}

const closeMenu = (page) => page.locator('dialog.save .primary').click();

/** Of CSV without line breaks in fields: rows of fields. */
function fieldsOf(text) {
  return text
    .trim()
    .split('\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map((one) =>
        one[1].replace(/^"|"$/g, '').replace(/""/g, '"'),
      ),
    );
}

async function tables(page) {
  await after(page, () => page.goto(`${url}#view=functions&metric=heap.allocated`));
  await openMenu(page);
  const [head, ...rows] = fieldsOf(readFileSync(await save(page, 'save-view-csv'), 'utf8'));
  const [theirs, ...lines] = fieldsOf(
    printed('report', file, '--csv', '--metric', 'heap.allocated', '--by', 'function'),
  );
  const names = ['value', 'count', 'total_value', 'total_count', 'function', 'module'];
  const pick = (heads, all) => sorted(all.map((row) => names.map((name) => row[heads.indexOf(name)])));
  equal('export-csv', pick(theirs, lines), pick(head, rows));
  const folded = readFileSync(await save(page, 'save-folded'), 'utf8');
  equal(
    'export-folded-in-page',
    printed('export', file, '--to', 'folded', '--metric', 'heap.allocated'),
    folded,
  );
  const answer = JSON.parse(readFileSync(await save(page, 'save-view-json'), 'utf8'));
  equal(
    'export-json',
    report(file, '--metric', 'heap.allocated', '--by', 'function').total.value,
    answer.total.value,
  );
  await closeMenu(page);
}

/** Every column as the server says. */
async function timelineCsv(page) {
  const { columns } = await (await fetch(`${url}api/timeline?metric=heap.allocated&points=800`)).json();
  const [head, ...rows] = fieldsOf(readFileSync(await save(page, 'save-timeline-csv'), 'utf8'));
  for (const [name, values] of Object.entries(columns))
    equal(
      `export-timeline-${name}`,
      values.map((value) => value ?? '').join(),
      rows.map((row) => row[head.indexOf(name)]).join(),
    );
}

/** Both sides, with the numbers that are seen. */
async function callersCsv(page) {
  await after(page, () => page.goto(`${url}#view=callers&metric=heap.allocated&focus=work_here`));
  const cells = async (side) => {
    const all = await cellsOf(page.locator(`.neighbours[aria-label=${side}s] [data-column=value]`));
    return all.map(([name, value]) => [side.toLowerCase(), name, String(value)]);
  };
  const seen = [...(await cells('Caller')), ...(await cells('Callee'))];
  await openMenu(page);
  const [, ...rows] = fieldsOf(readFileSync(await save(page, 'save-view-csv'), 'utf8'));
  equal('export-callers', sorted(seen), sorted(rows.map(([side, name, , value]) => [side, name, value])));
  await closeMenu(page);
}

async function pictures(page) {
  await after(page, () => page.goto(`${url}#metric=heap.allocated`));
  await openMenu(page);
  const svg = readFileSync(await save(page, 'save-view-svg'), 'utf8');
  const wide = report(file, '--metric', 'heap.allocated', '--by', 'function').rows[0].stack[0].function;
  const parsed = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    return {
      root: parsed.documentElement.nodeName,
      texts: [...parsed.querySelectorAll('text')].map((one) => one.textContent),
      width: Number(parsed.documentElement.getAttribute('width')),
      height: Number(parsed.documentElement.getAttribute('height')),
    };
  }, svg);
  equal('export-svg-well-formed', 'svg', parsed.root);
  check('export-svg-has-frames', parsed.texts.includes(wide), parsed.texts.slice(0, 20).join());
  check('export-svg-alone', !/href|<style|url\((?!#)|class=/.test(svg), svg.slice(0, 200));
  const png = readFileSync(await save(page, 'save-view-png'));
  equal('export-png', '89504e470d0a1a0a', png.subarray(0, 8).toString('hex'));
  equal(
    'export-png-size',
    `${2 * parsed.width} ${2 * parsed.height}`,
    `${png.readUInt32BE(16)} ${png.readUInt32BE(20)}`,
  );
  const line = readFileSync(await save(page, 'save-timeline-svg'), 'utf8');
  check('export-timeline-svg', line.includes('Memory</text>'), line.slice(0, 300));
  await timelineCsv(page);
  await closeMenu(page);
}

/** The numbers of a page, view by view: whatever carries one. */
async function numbersOf(page) {
  const tabs = await page.locator('[role=tab]').evaluateAll((all) => all.map((tab) => tab.dataset.view));
  const numbers = {};
  for (const view of tabs) {
    const tab = page.locator(`[role=tab][data-view=${view}]`);
    await tab.click();
    await until(tab, 'aria-selected', (text) => text === 'true');
    await until(page.locator('#view'), 'aria-busy', (text) => text === 'false');
    numbers[view] = await page
      .locator('#view [data-value], .summary [data-value]')
      .filter({ visible: true })
      .evaluateAll((all) => all.map((one) => one.dataset.value).sort());
  }
  return numbers;
}

async function savePage(page, isPlain) {
  await openMenu(page);
  if (isPlain) await page.locator('#save-plain').check();
  await page.locator('[data-name=save-page-make]').click();
  await page.locator('[data-name=save-page]').waitFor();
  const promised = await valueOf(page, '[data-name=save-page]');
  const path = await save(page, 'save-page');
  await closeMenu(page);
  return { path, promised };
}

async function openFile(browser, path, hash = '') {
  const page = await open(browser, `file://${path}${hash}`, { offline: true });
  await shown(page);
  return page;
}

async function wholePage(browser, page) {
  await after(page, () => page.goto(`${url}#view=functions&metric=heap.allocated&between=0,${1e15}`));
  const { path, promised } = await savePage(page, false);
  equal('export-page-size-told', promised, readFileSync(path).length);
  const online = await numbersOf(page);
  const saved = await openFile(browser, path);
  equal(
    'export-page-opens-with-its-selection',
    'functions',
    await saved.locator('[role=tab][aria-selected=true]').getAttribute('data-view'),
  );
  const offline = await numbersOf(saved);
  for (const view of Object.keys(online))
    equal(`export-page-${view}`, JSON.stringify(online[view]), JSON.stringify(offline[view]));
  equal('export-page-views', Object.keys(online).join(), Object.keys(offline).join());
  await after(saved, () => go(saved, 'u'));
  await after(saved, () => saved.locator('.switch button', { hasText: 'Module' }).click());
  check('export-page-modules', (await columnOf(saved, 'self-0')).length > 0);
  await after(saved, () => saved.locator('.switch button', { hasText: 'Line' }).click());
  check('export-page-lines', (await columnOf(saved, 'self-0')).length > 0);
  equal('export-page-groups-are-saved', false, await saved.locator('.trouble').isVisible());
  await saved.locator('#filter').fill('work');
  await saved.locator('.trouble:not([hidden])').waitFor();
  check(
    'export-page-not-saved-sentence',
    /has no data for this selection/.test(await saved.locator('.trouble').innerText()),
    await saved.locator('.trouble').innerText(),
  );
  equal('export-page-faults', '', saved.faults.join('; '));
  await saved.context().close();
}

async function plainPage(browser, page) {
  await after(page, () => page.goto(`${url}#view=functions&metric=heap.allocated`));
  const { path } = await savePage(page, true);
  const text = readFileSync(path, 'utf8');
  const about = report(file).recording;
  const island = /<script id="saved-answers"[^>]*>([^]*?)<\/script>/.exec(text)[1];
  check('export-plain-has-no-folders', !island.includes(about.program.replace(/[^/]*$/, '')), about.program);
  check('export-plain-has-no-host', !about.host || !island.includes(`"host":"${about.host}"`), about.host);
  const saved = await openFile(browser, path);
  equal(
    'export-plain-sum',
    report(file, '--metric', 'heap.allocated').total.value,
    await valueOf(saved, '[data-name=sum-0]'),
  );
  await saved.context().close();
}

/** Names come from programs that somebody else wrote. */
async function hostileNames(browser) {
  const page = await open(browser, 'about:blank');
  await page.route(/\/api\/(?!events)/, async (route) => {
    const answer = await (await route.fetch()).text();
    const name = JSON.stringify(hostile).slice(1, -1).replace(/\$/g, '$$$$');
    await route.fulfill({ contentType: 'application/json', body: answer.replace(/work_here/g, name) });
  });
  await page.goto(`${url}#metric=heap.allocated`);
  await shown(page);
  await openMenu(page);
  const svg = readFileSync(await save(page, 'save-view-svg'), 'utf8');
  writeFileSync(join(dir, 'flame-hostile.svg'), svg);
  check(
    'export-hostile-svg',
    !svg.includes('<script') && svg.includes('&#60;/script&#62;'),
    svg.slice(0, 300),
  );
  const csv = readFileSync(await save(page, 'save-view-csv'), 'utf8');
  check('export-hostile-csv', csv.includes(`,"${hostile.replaceAll('"', '""')}",`), csv.slice(0, 300));
  await closeMenu(page);
  const { path } = await savePage(page, false);
  const saved = await openFile(browser, path, '#view=functions&metric=heap.allocated');
  equal(
    'export-hostile-page-is-text',
    hostile,
    await saved.locator('#view tr[data-row="0"] .mono').innerText(),
  );
  check('export-hostile-page-runs-nothing', (await saved.title()) !== 'caught', await saved.title());
  equal('export-hostile-page-scripts', 2, await forNobody(saved.locator('script')).count());
  await saved.context().close();
  await page.context().close();
}

function faults(page) {
  const others = page.faults.filter((one) => !/^asks blob:|status of 40[04]/.test(one));
  equal('export-faults', '', others.join('; '));
}

const browser = await launch();
const page = await open(browser, url);
await shown(page);
await runTests(browser, [
  ['export-tables', () => tables(page)],
  ['export-callers', () => callersCsv(page)],
  ['export-pictures', () => pictures(page)],
  ['export-page', () => wholePage(browser, page)],
  ['export-plain', () => plainPage(browser, page)],
  ['export-hostile', () => hostileNames(browser)],
  ['export-faults', () => faults(page)],
]);
