// time.mjs URL FILE: timeline and call sites over time, in Chromium.
import { check, isFailed, launch, open, shown } from './browser.mjs';
import { testSites } from './sites.mjs';
import { testTimeline } from './timeline.mjs';

const [url, file] = process.argv.slice(2);
const browser = await launch();
const page = await open(browser, url);
await shown(page);
for (const [name, test] of [
  ['timeline', () => testTimeline(page, url, file)],
  ['sites', () => testSites(browser, page, url, file)],
]) {
  try {
    await test();
  } catch (error) {
    check(`time-${name}`, false, error.message);
  }
}
check('time-faults', page.faults.length === 0, page.faults.join('; '));
await browser.close();
process.exit(isFailed() ? 1 : 0);
