// code.mjs SURROUNDINGS: call graph, source lines and heat map, in Chromium.  tests/system/page/page_graph.sh starts it.
import { after, launch, runTests, testPhone } from './browser.mjs';
import { testGraph } from './graph.mjs';
import { testHeat } from './heat.mjs';
import { testSource } from './lines.mjs';

const surroundings = JSON.parse(process.argv[2]);
const browser = await launch();

/** Each view on a phone. */
function looks({ url, heap }) {
  const at = (view) => `${url}#target=${heap}&metric=heap.allocated&view=${view}`;
  return testPhone(browser, at('graph'), 'code', async (page, fits) => {
    for (const view of ['source', 'heat', 'source&focus=work_here']) {
      await after(page, () => page.goto(at(view)));
      await fits(`${view.replace(/\W.*/, '-file')}-phone`);
    }
  });
}

await runTests(browser, [
  ['graph', () => testGraph(browser, surroundings)],
  ['source', () => testSource(browser, surroundings)],
  ['heat', () => testHeat(browser, surroundings)],
  ['looks', () => looks(surroundings)],
]);
