// all.mjs SURROUNDINGS: the tests of the page, in Chromium; one line for each.  tests/system/page/page.sh starts it.
import { launch, runTests } from './browser.mjs';
import { testEnded } from './ended.mjs';
import { testGrowing } from './growing.mjs';

const { ended, growing } = JSON.parse(process.argv[2]);
const browser = await launch();
await runTests(browser, [
  ['page-ended', () => testEnded(browser, ended.url, ended.file)],
  ['page-growing', () => testGrowing(browser, growing)],
]);
