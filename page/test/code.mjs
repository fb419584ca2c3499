// code.mjs SURROUNDINGS: call graph, source lines and heat map, in Chromium.  tests/system/page_graph.sh starts it.
import { equal, isFailed, launch, open, shown } from './browser.mjs';
import { testGraph } from './graph.mjs';

const surroundings = JSON.parse(process.argv[2]);
const browser = await launch();

async function looks({ url, heap }) {
  const page = await open(browser, `${url}#target=${heap}&view=graph`, {
    viewport: { width: 375, height: 800 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  });
  await shown(page);
  equal('graph-phone', 375, await page.evaluate(() => document.documentElement.scrollWidth));
  equal('graph-phone-faults', '', page.faults.join('; '));
  await page.context().close();
}

for (const [name, test] of [
  ['graph', () => testGraph(browser, surroundings)],
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
