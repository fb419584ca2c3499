// code.mjs SURROUNDINGS: call graph, source lines and heat map, in Chromium.  tests/system/page_graph.sh starts it.
import { after, equal, launch, open, runTests, shown } from './browser.mjs';
import { testGraph } from './graph.mjs';
import { testHeat } from './heat.mjs';
import { testSource } from './lines.mjs';

const surroundings = JSON.parse(process.argv[2]);
const browser = await launch();

async function looks({ url, heap }) {
  const page = await open(browser, `${url}#target=${heap}&view=graph&metric=heap.allocated`, {
    viewport: { width: 375, height: 800 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  });
  await shown(page);
  for (const view of ['graph', 'source', 'heat', 'source&focus=work_here']) {
    const at = `${url}#target=${heap}&metric=heap.allocated&view=${view}`;
    if (view !== 'graph') await after(page, () => page.goto(at));
    equal(
      `${view.replace(/\W.*/, '-file')}-phone`,
      375,
      await page.evaluate(() => document.documentElement.scrollWidth),
    );
  }
  equal('code-phone-faults', '', page.faults.join('; '));
  await page.context().close();
}

await runTests(browser, [
  ['graph', () => testGraph(browser, surroundings)],
  ['source', () => testSource(browser, surroundings)],
  ['heat', () => testHeat(browser, surroundings)],
  ['looks', () => looks(surroundings)],
]);
