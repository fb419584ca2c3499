// A server with a token, on a recording that grows; it is killed, and comes back.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { check, equal, memoir, open } from './browser.mjs';

const grown = 1000; // bytes of a block of subject-grows_on_demand

async function untilSum(page, least) {
  await page.waitForFunction(
    (bytes) => Number(document.querySelector('[data-name=sum-0]')?.dataset.value ?? 0) >= bytes,
    least,
  );
  return page.evaluate(() =>
    Number(document.querySelector('#view tr[data-name=grown_block] [data-column=self-0]')?.dataset.value),
  );
}

/** Until the page has shown so many times that the recording is longer. */
async function untilLonger(page, times) {
  for (let i = 0; i < times; i++) {
    const length = await page.locator('[data-name=length]').getAttribute('data-value');
    await page.waitForFunction(
      (before) => document.querySelector('[data-name=length]')?.dataset.value !== before,
      length,
    );
  }
}

/** What happens is told: nobody asks whether anything did.  Where it is not told, the page asks. */
async function testEvents(browser, page, url, token) {
  const asked = [];
  const note = (request) => asked.push(new URL(request.url()).pathname);
  page.on('request', note);
  await untilLonger(page, 6);
  page.off('request', note);
  const count = (path) => asked.filter((one) => one === path).length;
  check('page-live-asks-for-numbers', count('/api/report') >= 2, asked.join(' '));
  // Something else than growth may be told now and then, and is looked at.
  check('page-live-asks-not-whether', count('/api/targets') <= 3, `${count('/api/targets')} times`);

  const deaf = await open(browser, url);
  await deaf.route('**/api/events', (route) => route.abort());
  await deaf.evaluate((text) => sessionStorage.setItem('memoir-token', text), token);
  await deaf.reload();
  await untilLonger(deaf, 3);
  check('page-live-without-events', true);
  await deaf.context().close();
}

export async function testGrowing(browser, { url, token, growth, server, command }) {
  const page = await open(browser, `${url}#view=functions&metric=heap.live`);
  const field = page.locator('input[name=token]');
  await field.fill('wrong-wrong-wrong-wrong');
  await field.press('Enter');
  await page.locator('.refused').waitFor();
  check('page-token-refused', (await page.locator('.summary').count()) === 0);
  await field.fill(token);
  await field.press('Enter');
  equal('page-token-accepted', 100 * grown, await untilSum(page, 100 * grown));
  check(
    'page-token-kept-for-the-tab',
    await page.evaluate(
      () => sessionStorage.length === 1 && !document.cookie && !/token/.test(location.href),
    ),
  );
  await page.locator('[data-name=live]').waitFor();
  appendFileSync(growth, '\n');
  equal('page-live-grows', 200 * grown, await untilSum(page, 200 * grown));

  const [live, card] = await page.evaluate(() =>
    ['sum-0', 'summary-leaked'].map((name) =>
      Number(document.querySelector(`[data-name=${name}]`).dataset.value),
    ),
  );
  equal('page-live-card', live, card);

  await testEvents(browser, page, url, token);

  process.kill(server, 'SIGKILL');
  await page.locator('.banner').waitFor();
  check(
    'page-killed-keeps-what-it-shows',
    (await page.locator('#view tr[data-name=grown_block]').count()) === 1,
  );
  appendFileSync(growth, '\n');
  const again = spawn(memoir, command, { stdio: 'ignore' });
  try {
    await page.locator('.banner').waitFor({ state: 'hidden' });
    equal('page-back-again', 300 * grown, await untilSum(page, 300 * grown));
    equal('page-growing-faults', '', page.faults.join('; '));
  } finally {
    again.kill();
  }
}
