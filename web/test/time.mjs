// time.mjs URL FILE: timeline and call sites over time, in Chromium.
import { equal, launch, open, runTests, shown } from './browser.mjs';
import { testSites } from './sites.mjs';
import { testTimeline } from './timeline.mjs';

const [url, file] = process.argv.slice(2);
const browser = await launch();
const page = await open(browser, url);
await shown(page);
await runTests(browser, [
  ['time-timeline', () => testTimeline(page, url, file)],
  ['time-sites', () => testSites(browser, page, url, file)],
  ['time-faults', () => equal('time-faults', '', page.faults.join('; '))],
]);
