// strangers.mjs SURROUNDINGS: pages of other origins ask memoir serve for everything that a page can ask for, in Chromium, and none of it comes in.
import http from 'node:http';
import { check, equal, launch, runTests, shown } from './browser.mjs';
import { watch } from './seen.mjs';

const { url } = JSON.parse(process.argv[2]);
const port = new URL(url).port;
const path = (name) => `/api/report?filter=${name}&by=function`;

/** All ways to ask that a page has without leaving it; each says what came of it. */
function ways(target) {
  const element = (name, attributes) =>
    new Promise((resolve) => {
      const made = Object.assign(document.createElement(name), attributes);
      made.onload = () => resolve(`${name} loaded`);
      made.onerror = () => resolve(`${name} failed`);
      setTimeout(() => resolve(`${name} waits`), 3000);
      document.body.append(made);
    });
  const asked = (promise) =>
    promise.then(
      (answer) => `${answer.type} ${answer.status}`,
      () => 'failed',
    );
  const source = new EventSource(`${target}/api/events`);
  const events = new Promise((resolve) => {
    source.onopen = () => resolve('opened');
    source.onerror = () => (source.close(), resolve('failed'));
  });
  const socket = new WebSocket(`${target.replace('http', 'ws')}/api/events`);
  const talk = new Promise((resolve) => {
    socket.onopen = () => resolve('opened');
    socket.onerror = () => resolve('failed');
  });
  const xhr = new XMLHttpRequest();
  const old = new Promise((resolve) => {
    xhr.onloadend = () => resolve(`xhr ${xhr.status}`);
    xhr.open('GET', `${target}/api/export?to=folded`);
    xhr.send();
  });
  const form = (method, name) => {
    const frame = document.createElement('iframe');
    frame.name = name;
    const made = document.createElement('form');
    made.method = method;
    made.action = `${target}/api/report`;
    made.target = name;
    made.innerHTML = `<input name=filter value=${name}>`;
    document.body.append(frame, made);
    made.submit();
    return new Promise((resolve) => (frame.onload = () => resolve('sent')));
  };
  const at = (name) => `${target}/api/report?filter=${name}`;
  return Promise.all([
    asked(fetch(at('no-cors'), { mode: 'no-cors' })),
    asked(fetch(at('cors'))),
    asked(fetch(at('headers'), { headers: { Authorization: 'Bearer x' } })),
    asked(fetch(at('post'), { method: 'POST', mode: 'no-cors', body: 'x' })),
    asked(fetch(`${target}/metrics`, { mode: 'no-cors' })),
    asked(fetch(`${target}/debug/pprof/profile?seconds=1`, { mode: 'no-cors' })),
    asked(fetch(`${target}/`, { mode: 'no-cors', headers: { Accept: 'text/html' } })),
    element('img', { src: at('img') }),
    element('script', { src: at('script') }),
    element('script', { src: `${target}/page.js`, type: 'module' }),
    element('link', { rel: 'stylesheet', href: `${target}/page.css` }),
    element('iframe', { src: at('iframe') }),
    element('iframe', { src: `${target}/`, sandbox: 'allow-scripts' }),
    element('object', { data: at('object') }),
    element('video', { src: at('video'), autoplay: true }),
    form('GET', 'get-form'),
    form('POST', 'post-form'),
    element('object', { data: at('object') }),
    element('link', { rel: 'prefetch', href: at('prefetch') }),
    events,
    talk,
    old,
    navigator.sendBeacon(at('beacon'), 'x'),
  ]);
}

/** A server of strangers, with one empty page at every path. */
async function begin() {
  const server = http.createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>stranger</title><body>');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function get(address) {
  return new Promise((resolve, reject) =>
    http
      .get(address, (answer) => {
        let text = '';
        answer.on('data', (part) => (text += part)).on('end', () => resolve(text));
      })
      .on('error', reject),
  );
}

/** What the server counted; one text serves for half a second. */
async function counted() {
  await new Promise((resolve) => setTimeout(resolve, 700));
  const text = await get(`${url}metrics`);
  const value = (result) =>
    Number(new RegExp(`^memoir_serve_requests_total{result="${result}"} (\\d+)`, 'm').exec(text)?.[1]);
  return { letIn: value('let_in'), refused: value('refused') };
}

const server = await begin();
const browser = await launch(['--host-resolver-rules=MAP evil.example 127.0.0.1']);

async function testWays(origin, target) {
  const page = await browser.newPage();
  await page.goto(`${origin}:${server.address().port}/`);
  const before = await counted();
  const results = await page.evaluate(ways, target);
  const after = await counted();
  const name = `${new URL(origin).hostname}-to-${new URL(target).hostname}`;
  equal(`${name}-none-comes-in`, before.letIn + 1, after.letIn); // the second count itself
  check(
    `${name}-all-are-refused`,
    after.refused - before.refused >= results.length,
    `${after.refused - before.refused} of ${results.length}: ${results}`,
  );
  await page.close();
}

/** In a window of its own: only the page itself opens. */
async function testLinks(origin) {
  const page = await browser.newPage();
  await watch(page);
  await page.goto(`${origin}:${server.address().port}/`);
  const name = `link-from-${new URL(origin).hostname}`;
  const before = await counted();
  for (const where of [path('link'), '/metrics', '/routes', '/page.js', '/debug/pprof/profile?seconds=1']) {
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate((address) => void window.open(address), url.slice(0, -1) + where),
    ]);
    await opened.waitForLoadState();
    check(
      `${name}-${where.split('?')[0]}`,
      /page of another site/.test(await opened.innerText('body')),
      await opened.innerText('body'),
    );
    await opened.close();
  }
  equal(`${name}-none-comes-in`, before.letIn + 1, (await counted()).letIn);
  await page.evaluate((address) => {
    document.body.innerHTML = `<a href="${address}">look</a>`;
  }, url);
  await page.click('a');
  await shown(page);
  equal(`${name}-opens-the-page`, url, page.url().replace(/[?#].*/, ''));
  await page.reload();
  await shown(page);
  await page.close();
}

const local = `http://127.0.0.1:${port}`;
await runTests(browser, [
  ['same-site', () => testWays('http://127.0.0.1', local)],
  ['cross-site', () => testWays('http://localhost', local)],
  ['elsewhere', () => testWays('http://evil.example', local)],
  ['rebinding', () => testWays('http://evil.example', `http://evil.example:${port}`)],
  ['link-same-site', () => testLinks('http://127.0.0.1')],
  ['link-cross-site', () => testLinks('http://localhost')],
]);
