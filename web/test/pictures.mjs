// Photographs the page for docs/images (scripts/pictures): pictures.mjs URL FOLDER.
import { launch } from './browser.mjs';

const [url, folder] = process.argv.slice(2);
const views = { page: '#view=growth', resident: '#view=explain' };
const browser = await launch();
for (const [name, selection] of Object.entries(views)) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url + selection);
  await page.waitForSelector('#view :is(.growth-card, .waterfall)');
  await page.waitForTimeout(1000); // canvases are drawn in the next frames
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  await page.close();
}
await browser.close();
