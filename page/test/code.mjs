// code.mjs SURROUNDINGS: call graph, source lines and heat map, in Chromium.  tests/system/page_graph.sh starts it.
import { after, equal, isFailed, launch, open, shown } from './browser.mjs';
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

for (const [name, test] of [
  ['graph', () => testGraph(browser, surroundings)],
  ['source', () => testSource(browser, surroundings)],
  ['heat', () => testHeat(browser, surroundings)],
  ['looks', () => looks(surroundings)],
]) {
  try {
    await test();
  } catch (error) {
    console.log(`not ok ${name}: ${error.message.replace(/\s+/g, ' ').slice(0, 400)}`);
  }
}
await browser.close();
process.exit(isFailed() ? 1 : 0);
