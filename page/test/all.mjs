// all.mjs SURROUNDINGS: the tests of the page, in Chromium; one line for each.  tests/system/page.sh starts it.
import { isFailed, launch } from './browser.mjs';
import { testEnded } from './ended.mjs';
import { testGrowing } from './growing.mjs';

const { ended, growing } = JSON.parse(process.argv[2]);
const browser = await launch();
for (const [name, test] of [
  ['ended', () => testEnded(browser, ended.url, ended.file)],
  ['growing', () => testGrowing(browser, growing)],
]) {
  try {
    await test();
  } catch (error) {
    console.log(`not ok page-${name}: ${error.message.replace(/\s+/g, ' ').slice(0, 400)}`);
  }
}
await browser.close();
process.exit(isFailed() ? 1 : 0);
