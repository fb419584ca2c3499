// page.mjs WHAT: how fast the page is in Chromium, beside speedscope with the same data; prints markdown.  bench/page starts it.
import { spawn } from 'node:child_process';
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

const { memoir, files, speedscope, exported, rounds } = JSON.parse(process.argv[2]);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  timeout: 120000,
  args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const now = () => performance.now();
const at = (list, share) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(share * list.length))] ?? NaN;
const ms = (number) => (Number.isFinite(number) ? number.toFixed(number < 10 ? 1 : 0) : '–');
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const quantiles = (name, list) =>
  row(name, ms(at(list, 0.5)), ms(at(list, 0.95)), ms(Math.max(...list)), list.length);

function head(...cells) {
  row(...cells);
  row(...cells.map(() => '---'));
}

/** Notes how long each callback of an animation frame takes. */
function watchFrames() {
  const whole = window.requestAnimationFrame.bind(window);
  window.frameTimes = [];
  window.requestAnimationFrame = (call) =>
    whole((time) => {
      const began = performance.now();
      call(time);
      window.frameTimes.push(performance.now() - began);
    });
}

async function newPage() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1500 } });
  const page = await context.newPage();
  page.setDefaultTimeout(300000);
  await page.addInitScript(watchFrames);
  return page;
}

/** A server of a recording; resolves when it says where. */
async function serve(file) {
  const began = now();
  const child = spawn(memoir, ['serve', '--listen', '0', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.on('exit', () => reject(new Error(said)));
    child.stderr.on('data', (text) => {
      said += text;
      const found = /serving (http:\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
  });
  return { url, child, began, listens: now() - began };
}

const isShown = () =>
  Number(document.querySelector('#app').dataset.shown) > 0 &&
  document.querySelector('#view')?.getAttribute('aria-busy') === 'false';
const isDrawn = () => {
  const has = (canvas) => {
    if (!canvas?.width) return false;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, Math.min(canvas.height, 40));
    return data.some((byte) => byte !== 0);
  };
  return has(document.querySelector('.flame .boxes')) && has(document.querySelector('.timeline canvas'));
};

/** Changes the address and waits until the view is shown, and until everything is; in ms of the page's own clock. */
function change(page, hash) {
  return page.evaluate(
    (next) =>
      new Promise((resolve) => {
        const { dataset } = document.querySelector('#app'),
          before = { ...dataset },
          began = performance.now();
        let view = NaN;
        const look = () => {
          if (Number.isNaN(view) && dataset.viewed !== before.viewed) view = performance.now() - began;
          if (
            dataset.shown !== before.shown &&
            document.querySelector('#view').getAttribute('aria-busy') === 'false'
          )
            resolve({ view, all: performance.now() - began });
          else setTimeout(look, 1);
        };
        location.hash = next;
        look();
      }),
    hash,
  );
}

const between = (length, i) =>
  `between=${Math.round((length * i) / 30)},${Math.round((length * (i + 8)) / 30)}`;

function times(name, list) {
  const views = list.map((one) => one.view),
    all = list.map((one) => one.all);
  row(name, ...[views, all].flatMap((of) => [ms(at(of, 0.5)), ms(at(of, 0.95))]), list.length);
}

async function interactions(page, metric, focus) {
  const length = Number(await page.locator('[data-name=length]').getAttribute('data-value'));
  const metrics = ['heap.calls', 'heap.live', 'heap.freed', 'heap.temporary'];
  const kinds = {
    'brush a range': (i) => `#metric=${metric}&${between(length, i)}`,
    'brush, seen before': (i) => `#metric=${metric}&${between(length, i % 2)}`,
    'another metric': (i) => metrics[i] && `#metric=${metrics[i]}`, // each once: the page keeps answers
    'another view': (i) => `#metric=${metric}&view=${['functions', 'tree', 'histograms', 'flame'][i % 4]}`,
    find: (i) => `#metric=${metric}&find=step_${i}`,
    filter: (i) => `#metric=${metric}&filter=_${i}${i}`,
    'callers of a function': (i) => `#metric=${metric}&view=callers&focus=${focus(i)}`,
  };
  head('until shown, ms', 'view, p50', 'p95', 'all, p50', 'p95', 'times');
  const early = [];
  for (let i = 0; i < 3; i++) early.push(await change(page, `#metric=${metric}&${between(length, i + 0.5)}`));
  times('brush a range, at once after opening', early);
  await page.waitForTimeout(15000); // sums over stretches of a large recording are made meanwhile
  for (const [name, hash] of Object.entries(kinds)) {
    await change(page, `#metric=${metric}&view=quality&sort=${name.length}`);
    const list = [];
    for (let i = 0; i < rounds && hash(i); i++) list.push(await change(page, hash(i)));
    times(name, list);
  }
  console.log();
}

async function firstPicture(name, file) {
  const server = await serve(file);
  const page = await newPage();
  const asked = now();
  await page.goto(server.url, { waitUntil: 'commit' });
  await page.waitForFunction(isDrawn, null, { polling: 20 });
  const drawn = now();
  await page.waitForFunction(isShown, null, { polling: 20 });
  row(
    name,
    (statSync(file).size / 1e6).toFixed(0),
    ms(server.listens),
    ms(drawn - asked),
    ms(drawn - server.began),
    ms(now() - server.began),
  );
  return { server, page };
}

const nodesOf = (page) =>
  page.evaluate(async () => {
    const answer = await (await fetch('api/flame?metric=heap.peak&frames=2000000&ways=one')).text();
    const began = performance.now();
    const { trees } = JSON.parse(answer);
    return { count: trees[0].nodes.length / 4, bytes: answer.length, parsed: performance.now() - began };
  });

/** Script time of each frame while a flame graph glides, is hovered, turned by the wheel. */
async function frames(page) {
  const { width, height, x, y } = await page.locator('.flame .over').boundingBox();
  const take = () => page.evaluate(() => window.frameTimes.splice(0));
  await take();
  for (let i = 0; i < rounds; i++) {
    await page.mouse.click(x + width * (0.1 + (0.8 * i) / rounds), y + height * 0.3);
    await page.waitForTimeout(400);
    await page.mouse.dblclick(x + width * 0.01, y + 8);
    await page.waitForTimeout(400);
  }
  quantiles('zoom to a frame and back', await take());
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.keyboard.down('Control');
  for (let i = 0; i < 4 * rounds; i++) await page.mouse.wheel(0, i % 40 < 20 ? -120 : 120);
  await page.keyboard.up('Control');
  await page.waitForTimeout(300);
  quantiles('zoom by the wheel', await take());
  await page.keyboard.down('Shift');
  for (let i = 0; i < 4 * rounds; i++) await page.mouse.wheel(0, i % 40 < 20 ? 60 : -60);
  await page.keyboard.up('Shift');
  await page.waitForTimeout(300);
  quantiles('pan by the wheel', await take());
  const hovers = await page.evaluate((count) => {
    const over = document.querySelector('.flame .over'),
      place = over.getBoundingClientRect();
    return Array.from({ length: count }, (_, i) => {
      const clientX = place.left + (place.width * ((i * 37) % count)) / count,
        clientY = place.top + (place.height * ((i * 61) % count)) / count;
      const began = performance.now();
      over.dispatchEvent(new PointerEvent('pointermove', { clientX, clientY, bubbles: true }));
      return performance.now() - began;
    });
  }, 100);
  quantiles('hover', hovers);
}

function serveFolder(folder, files) {
  const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm' };
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://x').pathname).slice(1) || 'index.html';
    const path = files[name] ?? `${folder}/${name.replace(/\.\./g, '')}`;
    response.setHeader('content-type', types[path.split('.').pop()] ?? 'application/octet-stream');
    createReadStream(path)
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function speedscopeTimes() {
  const server = await serveFolder(speedscope, { 'profile.folded': exported });
  const url = `http://127.0.0.1:${server.address().port}/`;
  const page = await newPage();
  const began = now();
  await page.goto(`${url}#profileURL=${encodeURIComponent(`${url}profile.folded`)}`, { waitUntil: 'commit' });
  await page.waitForFunction(
    () => document.querySelectorAll('canvas').length > 0 && window.frameTimes.length > 2,
    null,
    { polling: 50 },
  );
  await page.keyboard.press('2'); // left heavy: merged, as ours is
  await page.waitForTimeout(3000);
  const loaded = now() - began - 3000;
  const take = () => page.evaluate(() => window.frameTimes.splice(0));
  const first = await take();
  head('speedscope 1.25.0, script time, ms', 'p50', 'p95', 'most', 'frames');
  row('frames while it loads', ms(at(first, 0.5)), ms(at(first, 0.95)), ms(Math.max(...first)), first.length);
  await page.mouse.move(640, 500);
  await page.keyboard.down('Control');
  for (let i = 0; i < 4 * rounds; i++) await page.mouse.wheel(0, i % 40 < 20 ? -120 : 120);
  await page.keyboard.up('Control');
  await page.waitForTimeout(1000);
  quantiles('zoom by the wheel', await take());
  for (let i = 0; i < 4 * rounds; i++) await page.mouse.wheel(i % 40 < 20 ? 60 : -60, 0);
  await page.waitForTimeout(1000);
  quantiles('pan by the wheel', await take());
  await page.context().close();
  server.close();
  return loaded;
}

const focus = {
  short: (i) => `step_${i}0`,
  large: (i) => encodeURIComponent(`engine::chain::apply_${14 * (i + 1)}(Batch const&)`),
};
const opened = {};
for (const [name, file] of Object.entries(files)) {
  head(
    'recording',
    'MB',
    'server listens, ms',
    'page asked to picture, ms',
    'start to picture, ms',
    'start to all, ms',
  );
  opened[name] = await firstPicture(name, file);
  console.log();
  await interactions(opened[name].page, 'heap.allocated', focus[name]);
}
const { page, server: shortServer } = opened.short;
const { count, bytes, parsed } = await nodesOf(page);
const asked = now();
await page.goto('about:blank');
await page.goto(`${shortServer.url}#metric=heap.peak&frames=2000000`);
await page.waitForFunction(isShown, null, { polling: 20 });
const loaded = now() - asked;
console.log(
  `${count.toLocaleString('en-US')} nodes: ${(bytes / 1e6).toFixed(1)} MB of JSON, parsed in ${ms(parsed)} ms, shown after ${ms(loaded)} ms.\n`,
);
head('memoir, script time, ms', 'p50', 'p95', 'most', 'frames');
await frames(page);
console.log();
for (const { server } of Object.values(opened)) server.child.kill();
if (speedscope) {
  const theirs = await speedscopeTimes();
  console.log(
    `\nspeedscope shows the same data (${(statSync(exported).size / 1e6).toFixed(1)} MB) after ${ms(theirs)} ms: ${(theirs / loaded).toFixed(2)} times as long as memoir, which sums up the recording within that time.`,
  );
}
await browser.close();
