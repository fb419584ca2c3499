// resident.mjs SURROUNDINGS: tests of the views of resident memory, in Chromium.  tests/system/page/page_explain.sh starts it.
import { launch, runTests } from './browser.mjs';
import { testExplain } from './explain.mjs';
import { testMap } from './map.mjs';

const surroundings = JSON.parse(process.argv[2]);
const browser = await launch();
await runTests(browser, [
  ['explain', () => testExplain(browser, surroundings)],
  ['map', () => testMap(browser, surroundings)],
]);
