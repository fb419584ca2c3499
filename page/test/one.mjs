// one.mjs NAME SURROUNDINGS: one of the tests of the page that has a recording of its own, in Chromium.
import { isFailed, launch } from './browser.mjs';

const [name, surroundings] = process.argv.slice(2);
const { url, file } = JSON.parse(surroundings);
const test = Object.values(await import(`./${name}.mjs`))[0];
const browser = test.length ? await launch() : null; // some need none
try {
  await test(browser, url, file);
} catch (error) {
  console.log(`not ok page-${name}: ${error.message.replace(/\s+/g, ' ').slice(0, 400)}`);
}
await browser?.close();
process.exit(isFailed() ? 1 : 0);
