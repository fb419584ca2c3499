// The call graph: its numbers are those of memoir report and memoir graph, and one function can be looked at alone.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, check, equal, go, memoir, open, report, shown, sorted, until, valueOf } from './browser.mjs';
import { faultOf, testTexts } from './texts.mjs';

function graph(file, ...options) {
  execFileSync(memoir, ['graph', file, '-o', 'graph.json', ...options], { stdio: 'ignore' });
  return JSON.parse(readFileSync('graph.json', 'utf8'));
}

const boxes = (page, ...fields) =>
  page
    .locator('.graph .node')
    .evaluateAll(
      (all, names) =>
        all.map((one) =>
          names.map((name) => (name === 'name' ? one.dataset.name : Number(one.dataset[name]))),
        ),
      fields,
    );
const arrows = (page) =>
  page
    .locator('.graph .edge')
    .evaluateAll((all) => all.map((one) => [one.dataset.name, Number(one.dataset.value)]));
const callsOf = (answer) =>
  answer.edges.map((edge) => [
    `${answer.nodes[edge.from].function} → ${answer.nodes[edge.to].function}`,
    edge.value,
  ]);

async function numbers(page, file) {
  const rows = report(file, '--metric', 'heap.allocated', '--by', 'function').rows;
  const known = new Map(
    rows.map((row) => [row.stack[0].function, [row.total_value, row.value, row.total_count]]),
  );
  const found = await boxes(page, 'name', 'value', 'self', 'count');
  check('graph-has-boxes', found.length > 3, `${found.length} boxes`);
  equal(
    'graph-numbers-are-those-of-report',
    sorted(found.map(([name]) => [name, ...(known.get(name) ?? [])])),
    sorted(found),
  );
  const whole = graph(file, '--metric', 'heap.allocated', '--nodes', '60');
  equal(
    'graph-boxes',
    sorted(whole.nodes.map((node) => [node.function])),
    sorted(found.map(([name]) => [name])),
  );
  equal('graph-arrows', sorted(callsOf(whole)), sorted(await arrows(page)));
  equal('graph-total', whole.total.value, await valueOf(page, '[data-name=graph-total]'));
  equal('graph-left-out', whole.left_out.nodes, await valueOf(page, '[data-name=left-out]'));
}

/** In the boxes, and in the tables of those who do not see them. */
async function texts(page, name, file, metric) {
  const { nodes, edges, total } = graph(file, '--metric', metric, '--nodes', '60');
  const whole = { whole: total.value };
  const drawn = await page
    .locator('.graph .node')
    .evaluateAll((all) =>
      all.map((one) => [
        Number(one.dataset.value),
        Number(one.dataset.self),
        ...[...one.querySelectorAll('text')].slice(1).map((text) => text.textContent),
      ]),
    );
  equal(
    `${name}-boxes-texts`,
    '',
    drawn
      .flatMap(([value, self, first, second = '']) => [
        faultOf('total', value, first, whole),
        faultOf('self', self, second, whole),
      ])
      .filter(Boolean)
      .join('; '),
  );
  await page.locator('.graph summary').click();
  await page.locator('.graph .plain').first().waitFor();
  const rows = (place) =>
    page
      .locator('.graph .plain')
      .nth(place)
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const wrong = (found, meant) =>
    found.length === meant.length
      ? found.flatMap((row, i) => [
          row[0] === meant[i][0] ? '' : `${row[0]} for ${meant[i][0]}`,
          ...meant[i].slice(1).map(([key, place, value]) => faultOf(key, value, row[place], whole)),
        ])
      : [`${found.length} rows for ${meant.length}`];
  equal(
    `${name}-tables`,
    '',
    [
      ...wrong(
        await rows(0),
        nodes.map((node) => [
          node.function,
          ['total', 1, node.total],
          ['self', 2, node.self],
          ['count', 3, node.total_count],
        ]),
      ),
      ...wrong(
        await rows(1),
        edges.map((edge) => [nodes[edge.from].function, ['value', 2, edge.value], ['count', 3, edge.count]]),
      ),
    ]
      .filter(Boolean)
      .join('; '),
  );
  await page.locator('.graph summary').click();
}

async function focusing(page, url, file) {
  const name = 'work_here';
  const wanted = graph(file, '--metric', 'heap.allocated', '--nodes', '60', '--focus', name);
  await after(page, () => page.locator(`.graph .node[data-name=${name}]`).click());
  check('graph-click-in-address', page.url().includes(`focus=${name}`), page.url());
  equal('graph-click-total', wanted.total.value, await valueOf(page, '[data-name=graph-total]'));
  equal(
    'graph-click-boxes',
    sorted(wanted.nodes.map((node) => [node.function, node.total])),
    sorted(await boxes(page, 'name', 'value')),
  );
  await page.reload();
  await shown(page);
  equal('graph-reload-total', wanted.total.value, await valueOf(page, '[data-name=graph-total]'));
  await after(page, () => page.locator('[data-name=focus]').click());
  check('graph-focus-goes', !page.url().includes('focus='), page.url());

  await page.goto('about:blank');
  await page.goto(`${url}&view=graph&metric=heap.allocated`);
  await shown(page);
  await page.keyboard.press('f');
  await page.keyboard.press('ArrowDown');
  const outermost = await page.locator('.graph .facts').getAttribute('data-name');
  await page.keyboard.press('ArrowDown');
  const next = await page.locator('.graph .facts').getAttribute('data-name');
  const whole = graph(file, '--metric', 'heap.allocated', '--nodes', '60');
  const from = whole.nodes.findIndex((node) => node.function === outermost);
  check(
    'graph-keys-begin-outermost',
    from >= 0 && !whole.edges.some((edge) => edge.to === from && edge.from !== from),
    outermost,
  );
  const heaviest = whole.edges.find((edge) => edge.from === from && edge.to !== from);
  equal('graph-keys-walk-along-calls', whole.nodes[heaviest.to].function, next);
  await page.keyboard.press('ArrowUp');
  equal('graph-keys-walk-back', outermost, await page.locator('.graph .facts').getAttribute('data-name'));
  await page.keyboard.press('ArrowDown');
  equal(
    'graph-keys-number',
    whole.nodes[heaviest.to].total,
    await valueOf(page, '.facts [data-name=node-total]'),
  );
  equal(
    'graph-keys-self',
    whole.nodes[heaviest.to].self,
    await valueOf(page, '.facts [data-name=node-self]'),
  );
  await testTexts(page, 'graph-facts-texts', { within: '.graph .facts', whole: whole.total.value });
  await after(page, () => page.keyboard.press('Enter'));
  equal(
    'graph-keys-focus',
    graph(file, '--metric', 'heap.allocated', '--nodes', '60', '--focus', next).total.value,
    await valueOf(page, '[data-name=graph-total]'),
  );
  await after(page, () => page.keyboard.press('Backspace'));
  check('graph-keys-all-again', !page.url().includes('focus='), page.url());
}

async function around(page, file) {
  const transform = () => page.locator('.graph-stage > g').getAttribute('transform');
  const before = await transform();
  await page.locator('.graph-stage').focus();
  await page.keyboard.press('+');
  const larger = await transform();
  check('graph-zooms-by-key', larger !== before, larger);
  const stage = await page.locator('.graph-stage').boundingBox();
  await page.mouse.move(stage.x + 20, stage.y + 20);
  await page.mouse.wheel(0, -240);
  await until(page.locator('.graph-stage > g'), 'transform', (text) => text !== larger);
  const zoomed = await transform();
  await page.mouse.down();
  await page.mouse.move(stage.x + 90, stage.y + 70, { steps: 4 });
  await page.mouse.up();
  check('graph-moves', (await transform()) !== zoomed, zoomed);
  check('graph-drag-is-no-click', !page.url().includes('focus='), page.url());
  await page.waitForFunction(() => /camera=-?\d+,-?\d+,\d+/.test(location.hash));
  for (let seen = ''; seen !== page.url(); await page.waitForTimeout(1000)) seen = page.url(); // it may be of the wheel only
  const moved = (await transform()).match(/[-\d.]+/g).map(Number);
  await page.reload();
  await shown(page);
  const again = (await transform()).match(/[-\d.]+/g).map(Number);
  check(
    'graph-camera-reload',
    moved.every((number, i) => Math.abs(number - again[i]) < 3),
    `${moved} ${again}`,
  );
  await page.locator('.graph-stage').focus();
  await page.keyboard.press('0');
  await after(page, async () => {
    await page.keyboard.press('/');
    await page.keyboard.insertText('work_here');
  });
  equal('graph-find', 1, await valueOf(page, '#view [data-name=found]'));
  await after(page, () => page.keyboard.press('Escape'));
  await after(page, async () => {
    await page.locator('.graph input[type=range]').focus();
    await page.keyboard.press('Home');
  });
  check('graph-threshold-in-address', page.url().includes('least=20'), page.url());
  equal(
    'graph-threshold',
    graph(file, '--metric', 'heap.allocated', '--node-thres', '20').nodes.length,
    (await boxes(page, 'name')).length,
  );
  await page.locator('.graph summary').focus();
  await page.keyboard.press('Enter');
  await page.locator('.graph .plain').first().waitFor();
  equal(
    'graph-table',
    (await boxes(page, 'name')).length,
    await page.locator('.graph .plain').first().locator('tbody tr').count(),
  );
}

/** Two fingers that go apart make it as much larger, about the middle between them. */
async function pinch(browser, url) {
  const page = await open(browser, url, { viewport: { width: 375, height: 800 }, hasTouch: true });
  await shown(page);
  const scale = async () =>
    Number(/scale\(([\d.]+)\)/.exec(await page.locator('.graph-stage > g').getAttribute('transform'))[1]);
  await page.locator('.graph-stage').scrollIntoViewIfNeeded();
  const { x, y, width, height } = await page.locator('.graph-stage').boundingBox();
  const before = await scale();
  const touch = await page.context().newCDPSession(page);
  const fingers = (apart) =>
    [-1, 1].map((side, id) => ({ id, x: x + width / 2 + (side * apart) / 2, y: y + height / 2 }));
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(60) });
  for (const apart of [80, 100, 120])
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(apart) });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.waitForFunction(() => /camera=/.test(location.hash));
  const larger = (await scale()) / before;
  check('graph-pinch', larger > 1.6 && larger < 2.4, larger);
  equal('graph-pinch-faults', '', page.faults.join('; '));
  await page.context().close();
}

export async function testGraph(browser, { url, heap, heapFile, time, timeFile }) {
  const page = await open(browser, `${url}#target=${heap}&metric=heap.allocated`);
  await shown(page);
  await after(page, () => go(page, 'g'));
  await numbers(page, heapFile);
  await texts(page, 'graph', heapFile, 'heap.allocated');
  await focusing(page, `${url}#target=${heap}`, heapFile);
  await around(page, heapFile);
  equal('graph-faults', '', page.faults.join('; '));
  await page.context().close();
  const other = await open(browser, `${url}#target=${time}&view=graph&metric=cpu.on`);
  await shown(other);
  await texts(other, 'graph-of-time', timeFile, 'cpu.on');
  await other.context().close();
  await pinch(browser, `${url}#target=${heap}&view=graph&metric=heap.allocated`);
}
