// unseen.mjs SURROUNDINGS: what hides something is found out.  Each of these breaks the page in a way that reading alone does not notice.
import { cellsOf, check, equal, launch, open, runTests, shown, valueOf } from './browser.mjs';
import { forNobody, lookAround, patience, takeFaults, unseenOf } from './seen.mjs';

const { url, run, targets } = JSON.parse(process.argv[2]);
const CELLS = '#view tr[data-row] [data-column=self-0]',
  TOTAL = '#view .total';
const cover = (rest = '') =>
  `::after { content: ''; position: absolute; inset: 0; z-index: 99; background: #fff; ${rest} }`;

/** What to read, and a style under which it is not seen. */
const BREAKS = {
  'by-display': [CELLS, '#view table { display: none }'],
  'by-visibility': [CELLS, '#view { visibility: hidden }'],
  'by-opacity': [CELLS, '#view { opacity: 0.01 }'],
  'by-opacity-of-a-part': ['#view', `${TOTAL} { opacity: 0 }`],
  'of-no-height': [CELLS, '#view { height: 0; min-height: 0; padding: 0; overflow: hidden }'],
  'of-no-size': [CELLS, '#view { transform: scale(0) }'],
  'without-a-font': [CELLS, '#view * { font-size: 0 !important }'],
  'clipped-by-main': [CELLS, 'main { height: 30px; overflow: hidden }'],
  'clipped-by-a-path': [CELLS, '#view { clip-path: inset(50%) }'],
  'left-of-the-window': [CELLS, '#view { transform: translateX(-5000px) }'],
  'where-nobody-scrolls': [
    CELLS,
    'html, body { overflow: hidden !important; height: 100% } #view { margin-top: 2000px }',
  ],
  covered: [CELLS, `main { position: relative } main${cover()}`],
  'covered-by-what-takes-no-clicks': [
    CELLS,
    `#view { position: relative } #view${cover('pointer-events: none')}`,
  ],
  'covered-in-part': [TOTAL, '.toolbar .hint { position: relative; left: -60px; background: #fff }'],
  'by-other-text': [TOTAL, '.toolbar .hint { position: relative; left: -60px }'],
  cut: [TOTAL, `${TOTAL} { display: inline-block; max-width: 40px; overflow: hidden; white-space: nowrap }`],
  'cut-with-dots-and-no-title': [
    TOTAL,
    `${TOTAL} { max-width: 60px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }`,
  ],
  'cut-to-nothing': ['#view .mono', '#view .mono { max-width: 8px }'],
  'cut-below': [TOTAL, `${TOTAL} { display: inline-block; height: 7px; overflow: hidden }`],
  'without-colour': [TOTAL, `${TOTAL} { color: transparent }`],
  'of-its-background': [TOTAL, `${TOTAL} { color: #fdfdfd; background: #fff }`],
};

/** Until the function that is returned is called, the page has this style, too. */
async function dress(page, css) {
  const sheet = await page.evaluateHandle((text) => {
    const made = new CSSStyleSheet();
    made.replaceSync(text);
    document.adoptedStyleSheets.push(made);
    return made;
  }, css);
  return () =>
    sheet.evaluate((made) => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== made);
    });
}

async function finds(page, name, selector, css) {
  const undress = await dress(page, css);
  const found = await unseenOf(page.locator(selector));
  check(`unseen-${name}`, found.length > 0, 'it was not noticed');
  await undress();
  return found;
}

async function isFine(page, name) {
  equal(name, '[]', JSON.stringify(await unseenOf(page.locator('#app'), true)));
}

/** Nothing is wrong before and after, also in rows that a person has to scroll to. */
async function ofTables(browser) {
  const page = await open(browser, `${url}#target=${targets.phases}&view=functions&metric=heap.allocated`, {
    viewport: { width: 1280, height: 500 },
    reducedMotion: 'reduce',
  });
  await shown(page);
  await isFine(page, 'unseen-nothing-yet');
  for (const [name, [selector, css]] of Object.entries(BREAKS)) await finds(page, name, selector, css);
  await isFine(page, 'unseen-nothing-any-more');
  equal('unseen-scrolls-back', 0, await page.evaluate(() => scrollY));
  await byReading(page);
  await forNobody(page.locator('#view')).evaluate((view) => view.replaceChildren());
  check('unseen-empty-view', (await unseenOf(page.locator('#app'), true)).length > 0, 'it was not noticed');
  await page.context().close();
}

/** Whoever reads looks, without being asked to; and so does whoever waits for a view. */
async function byReading(page) {
  const undress = await dress(page, '#view { opacity: 0 }');
  const cell = page.locator(CELLS).first(),
    usual = patience.ms;
  patience.ms = 0;
  for (const [name, read] of Object.entries({
    value: () => valueOf(page, CELLS),
    cells: () => cellsOf(page.locator(CELLS)),
    text: () => cell.innerText(),
    texts: () => page.locator(CELLS).allInnerTexts(),
    count: () => page.locator(CELLS).count(),
    visible: () => cell.isVisible(),
    wait: () => cell.waitFor(),
    around: () => lookAround(page),
  })) {
    await read();
    check(`unseen-by-${name}`, takeFaults().length > 0, 'it was not noticed');
  }
  await forNobody(page.locator(CELLS)).count();
  equal('unseen-for-nobody', '', takeFaults().join());
  patience.ms = usual;
  await undress();
}

async function ofDrawings(browser) {
  const page = await open(browser, `${url}#target=${targets.phases}&view=flame`);
  await shown(page);
  const lanes = '.timeline .lanes';
  await finds(page, 'drawing-of-no-height', lanes, '.timeline canvas { height: 2px !important }');
  await finds(page, 'drawing-covered', lanes, `.chart${cover()}`);
  await isFine(page, 'unseen-drawing-nothing-any-more');
  for (const [name, act] of Object.entries({
    'text-past-the-edge': (pen, wide) => pen.fillText('past the edge', wide - 20, 40),
    'text-on-text': (pen, wide) => {
      pen.clearRect(0, 0, wide, 9999);
      pen.fillText('one', 50, 40);
      pen.fillText('another', 52, 42);
    },
    'drawing-of-one-colour': (pen, wide) => pen.clearRect(0, 0, wide, 9999),
  })) {
    const draw = new Function('all', `for (const one of all) (${act})(one.getContext('2d'), one.width);`);
    await forNobody(page.locator('.timeline .chart canvas')).evaluateAll(draw);
    check(`unseen-${name}`, (await unseenOf(page.locator(lanes))).length > 0, 'it was not noticed');
  }
  await page.context().close();
}

/** As it was when the page of a run was blank. */
async function ofRuns(browser) {
  const page = await open(browser, run);
  await shown(page);
  const found = await finds(
    page,
    'page-of-a-run',
    '#view [data-column=last]',
    'main { position: relative; height: 30px; margin-top: 4px; overflow: hidden }',
  );
  equal('unseen-page-of-a-run-rows', 5, found.length);
  await page.context().close();
}

const browser = await launch();
await runTests(browser, [
  ['unseen-tables', () => ofTables(browser)],
  ['unseen-drawings', () => ofDrawings(browser)],
  ['unseen-runs', () => ofRuns(browser)],
]);
