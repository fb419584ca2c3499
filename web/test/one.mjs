// one.mjs NAME SURROUNDINGS: one of the tests of the page that has a recording of its own, in Chromium.
import { launch, runTests } from './browser.mjs';

const [name, surroundings] = process.argv.slice(2);
const { url, file } = JSON.parse(surroundings);
const test = Object.values(await import(`./${name}.mjs`))[0];
const browser = test.length ? await launch() : null; // some need none
await runTests(browser, [[`page-${name}`, () => test(browser, url, file)]]);
