// link.mjs SURROUNDINGS: the link with the token that memoir serve prints opens the page, and the token stays out of everything that others may see.
import { check, equal, launch, open, runTests, shown } from './browser.mjs';

const { url, token } = JSON.parse(process.argv[2]);
const browser = await launch();

/** Everything that leaves the browser, as text. */
function requestsOf(page) {
  const sent = [];
  page.on('request', async (request) => {
    const { authorization, ...others } = await request.allHeaders();
    sent.push({ url: request.url(), others: JSON.stringify(others), authorization });
  });
  return sent;
}

async function testLink() {
  const page = await open(browser, 'about:blank');
  const sent = requestsOf(page);
  await page.goto(`${url}?token=${token}#view=functions`);
  await shown(page);
  equal('link-leaves-the-address', `${url}#view=functions`, page.url());
  check(
    'link-is-kept-for-the-tab',
    await page.evaluate(() => sessionStorage.length === 1 && localStorage.length === 0 && !document.cookie),
  );
  const withToken = sent.filter((one) => one.url.includes(token));
  equal('link-is-asked-for-once', `${url}?token=${token}`, withToken.map((one) => one.url).join(' '));
  equal('link-is-in-no-referrer', 0, sent.filter((one) => one.others.includes(token)).length);
  const data = sent.filter((one) => one.url.includes('/api/'));
  check(
    'link-lets-all-requests-in',
    data.length > 2 && data.every((one) => one.authorization === `Bearer ${token}`),
    JSON.stringify(data),
  );
  await page.reload();
  await shown(page);
  equal('link-outlives-a-reload', `${url}#view=functions`, page.url());
  await page.goto('about:blank');
  await page.goBack();
  await shown(page);
  equal('link-is-not-in-the-history', `${url}#view=functions`, page.url());
  await page.context().close();
}

async function testWrongLink() {
  const page = await open(browser, `${url}?token=wrong-wrong-wrong-wrong`);
  await page.locator('.refused').waitFor();
  equal('wrong-link-leaves-the-address', url, page.url());
  await page.locator('input[name=token]').fill(token);
  await page.locator('input[name=token]').press('Enter');
  await shown(page);
  check('wrong-link-asks-for-the-token', true);
  await page.context().close();
}

await runTests(browser, [
  ['link', testLink],
  ['wrong-link', testWrongLink],
]);
