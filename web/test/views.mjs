// views.mjs SURROUNDINGS: each view, and the page of a run, as a person sees it on a small screen and on a phone, in light and dark: all of
// it is seen and nothing is cut, also where names are long.  tests/system/page/page_seen.sh starts it.
import { after, check, equal, launch, open, runTests, shown } from './browser.mjs';
import { lookAround, takeFaults } from './seen.mjs';

const { url, run, history, targets } = JSON.parse(process.argv[2]);
const LONG = `work<${'std::map<std::string, unsigned long>, '.repeat(6)}int>::here()`;
const SIZES = [
  { width: 1280, height: 800 },
  { width: 375, height: 800 },
];

const at = (file, rest) => `${url}#target=${targets[file]}&${rest}`;
const HEAP = 'metric=heap.allocated';
const VIEWS = {
  flame: at('phases', 'view=flame'),
  functions: at('phases', `view=functions&${HEAP}`),
  beside: at('phases', `view=functions&${HEAP}&beside=heap.live`),
  tree: at('phases', `view=tree&${HEAP}`),
  callers: at('phases', `view=callers&${HEAP}&focus=work`),
  outermost: at('phases', `view=callers&${HEAP}&focus=clone3`),
  graph: at('phases', `view=graph&${HEAP}`),
  source: at('phases', `view=source&${HEAP}`),
  lines: at('phases', `view=source&${HEAP}&focus=run_rounds`),
  sites: at('grows', 'view=sites&metric=heap.live'),
  growth: at('leaky', 'view=growth'),
  'too-short': at('phases', 'view=growth'),
  diff: at('busy', `view=diff&other=${targets.phases}&${HEAP}`),
  'diff-drawn': at('busy', `view=diff&other=${targets.phases}&${HEAP}&drawn=1`),
  heat: at('time', 'view=heat&metric=cpu.on'),
  'heat-buckets': at('phases', `view=heat&${HEAP}`),
  explain: at('grows', 'view=explain'),
  owner: at('grows', 'view=explain&owner=heap.live'),
  unexplained: at('time', 'view=explain'),
  map: at('grows', 'view=map'),
  treemap: at('grows', 'view=map&shape=treemap'),
  histograms: at('phases', 'view=histograms'),
  threads: at('phases', `view=threads&${HEAP}`),
  nodes: at('phases', 'view=nodes'),
  quality: at('phases', 'view=quality'),
};

/** Whether all was seen so far, and is in the other colours; and whether it is as wide as the window. */
async function isSeen(page, name) {
  await page.emulateMedia({ colorScheme: (await isDark(page)) ? 'light' : 'dark' });
  await lookAround(page);
  const faults = takeFaults(),
    { width } = page.viewportSize();
  check(`seen-${name}-${width}`, faults.length === 0, faults.join('; '));
  equal(`seen-${name}-${width}-fits`, width, await page.evaluate(() => document.documentElement.scrollWidth));
}

const isDark = (page) => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);

async function opened(browser, address, size) {
  const page = await open(browser, address, { viewport: size, reducedMotion: 'reduce' });
  await shown(page);
  return page;
}

/** One after the other in one window, as a person goes through them. */
async function everyView(browser, size) {
  const page = await opened(browser, at('phases', 'view=quality&metric=heap.peak'), size);
  for (const [name, address] of Object.entries(VIEWS)) {
    await after(page, () => page.goto(address));
    await isSeen(page, name);
  }
  equal(`seen-faults-${size.width}`, '', page.faults.filter((one) => !/status of 404/.test(one)).join('; '));
  await page.context().close();
}

/** What is opened over the page, and in it. */
async function openedParts(browser, size) {
  const page = await opened(browser, at('phases', `view=flame&${HEAP}`), size);
  await page.locator('.lane-menu summary').click();
  await isSeen(page, 'lanes');
  await page.locator('.lane-menu summary').click();
  for (const name of ['.timeline', '#view']) {
    await page.locator(`${name} .as-table summary`).click();
    await page.locator(`${name} .plain tbody tr`).first().waitFor();
  }
  await isSeen(page, 'tables');
  for (const key of ['?', 'e']) {
    await page.keyboard.press(key);
    await page.locator('dialog[open]').waitFor();
    const top = await page.locator('dialog[open]').evaluate((one) => one.scrollTop);
    equal(`seen-dialog-begins-${key === '?' ? 'help' : 'save'}-${size.width}`, 0, top);
    await isSeen(page, `dialog-${key === '?' ? 'help' : 'save'}`);
    await page.keyboard.press('Escape');
  }
  await page.context().close();
}

/** Names come from programs, and C++ has long ones. */
async function longNames(browser, size) {
  const page = await open(browser, 'about:blank', { viewport: size, reducedMotion: 'reduce' });
  await page.route(/\/api\/(?!events)/, async (route) => {
    const answer = await (await route.fetch()).text();
    await route.fulfill({ contentType: 'application/json', body: answer.replace(/work_here/g, LONG) });
  });
  await page.goto(at('phases', `view=quality&${HEAP}`));
  await shown(page);
  for (const name of ['flame', 'functions', 'tree', 'callers', 'graph', 'diff', 'diff-drawn']) {
    await after(page, () => page.goto(VIEWS[name]));
    await isSeen(page, `long-${name}`);
  }
  await page.context().close();
}

/** All nodes of a run, over time as well; one of them; a history. */
async function overviews(browser, size) {
  for (const [name, address] of Object.entries({
    run,
    'run-lanes': `${run}#target=1&view=nodes&lanes=1`,
    'run-heap': `${run}#target=1&view=nodes&series=pprof_inuse_space`,
    'run-node': `${run}#target=2&view=flame`,
  })) {
    const page = await opened(browser, address, size);
    await isSeen(page, name);
    await page.context().close();
  }
  const page = await open(browser, history, { viewport: size });
  await page.locator('.history tr[data-row]').first().waitFor();
  await isSeen(page, 'history');
  await page.context().close();
}

const browser = await launch();
await runTests(
  browser,
  SIZES.flatMap((size) =>
    [everyView, openedParts, longNames, overviews].map((test) => [
      `seen-${test.name}-${size.width}`,
      () => test(browser, size),
    ]),
  ),
);
