// resident.mjs SURROUNDINGS: tests of the views of resident memory, in Chromium.  tests/system/page_explain.sh starts it.
import { isFailed, launch } from './browser.mjs';
import { testExplain } from './explain.mjs';
import { testMap } from './map.mjs';

const surroundings = JSON.parse(process.argv[2]);
const browser = await launch();
for (const [name, test] of [
  ['explain', () => testExplain(browser, surroundings)],
  ['map', () => testMap(browser, surroundings)],
]) {
  try {
    await test();
  } catch (error) {
    console.log(`not ok ${name}: ${error.message.replace(/\s+/g, ' ').slice(0, 400)}`);
  }
}
await browser.close();
process.exit(isFailed() ? 1 : 0);
