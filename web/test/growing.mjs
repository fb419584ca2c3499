// A server with a token, on a recording that grows; it is killed, and comes back.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { check, equal, memoir, open, until, valueOf } from './browser.mjs';

const grown = 1000; // bytes of a block of subject-grows_on_demand

async function untilSum(page, least) {
  await until(page.locator('[data-name=sum-0]'), 'data-value', (bytes) => Number(bytes) >= least);
  return valueOf(page, '#view tr[data-name=grown_block] [data-column=self-0]');
}

/** Until the page has shown so many times that the recording is longer. */
async function untilLonger(page, times) {
  for (let i = 0; i < times; i++) {
    const length = page.locator('[data-name=length]'),
      before = await length.getAttribute('data-value');
    await until(length, 'data-value', (now) => now !== before);
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

  // What stands around a view may come after it.
  const live = await valueOf(page, '[data-name=sum-0]'),
    card = page.locator('[data-name=summary-leaked]');
  equal('page-live-card', live, Number(await until(card, 'data-value', (bytes) => Number(bytes) >= live)));

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
