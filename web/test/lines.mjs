// Source lines: costs are those of memoir report --by line, beside the text of the file, or without it with a sentence.
import { readFileSync } from 'node:fs';
import { after, check, columnOf, equal, go, open, report, shown, sorted, valueOf } from './browser.mjs';
import { COUNT, testSays, testTexts } from './texts.mjs';

/** Cells of lines that have a cost, of all rows that are in the document. */
async function costs(page, column) {
  return (await columnOf(page, column)).filter(([name]) => name !== '');
}

/** What each file is in, of all stacks. */
function totalsOf(stacks) {
  const totals = new Map();
  for (const { stack, value } of stacks)
    for (const file of new Set(stack.map((frame) => frame.file).filter(Boolean)))
      totals.set(file, (totals.get(file) ?? 0) + value);
  return totals;
}

async function files(page, rows, metric, stacks) {
  const sums = new Map();
  for (const row of rows) {
    const { file } = row.stack[0] ?? {};
    if (file) sums.set(file, (sums.get(file) ?? 0) + row.value);
  }
  const totals = totalsOf(stacks.rows);
  equal(
    `${metric}-files`,
    sorted([...totals.keys()].map((file) => [file, sums.get(file) ?? 0])),
    sorted(await columnOf(page, 'self')),
  );
  equal(`${metric}-files-total`, sorted([...totals]), sorted(await columnOf(page, 'total')));
  await testTexts(page, `${metric}-files-texts`, { whole: stacks.total.value });
}

async function oneFile(page, file, rows, source, stacks) {
  const lines = rows.filter((row) => row.stack[0]?.file === file);
  await after(page, () => page.locator('#view tr[data-row] .mono', { hasText: 'phases.c' }).click());
  check('source-file-in-address', decodeURIComponent(page.url()).includes(`file=${file}`), page.url());
  await after(page, () => page.locator('.sources .switch button').nth(1).click());
  const meant = (field) => lines.map((row) => [String(row.stack[0].line), row[field]]);
  const isCost = ([name, value]) => lines.some((row) => String(row.stack[0].line) === name) || value > 0;
  equal('source-self', sorted(meant('value')), sorted((await costs(page, 'self')).filter(isCost)));
  equal('source-total', sorted(meant('total_value')), sorted((await costs(page, 'total')).filter(isCost)));
  equal(
    'source-file-self',
    lines.reduce((sum, row) => sum + row.value, 0),
    await valueOf(page, '[data-name=file-self]'),
  );
  equal('source-file-total', totalsOf(stacks.rows).get(file), await valueOf(page, '[data-name=file-total]'));
  await testTexts(page, 'source-texts', { whole: stacks.total.value });
  const heaviest = lines[0].stack[0].line;
  equal(
    'source-text',
    readFileSync(source, 'utf8').split('\n')[heaviest - 1],
    await page.locator(`#view tr[data-name="${heaviest}"] .code`).evaluate((one) => one.textContent),
  );
  const folded = await page.locator('#view .code.folded').allInnerTexts();
  check('source-folds', folded.length > 0);
  equal(
    'source-folds-all-others',
    readFileSync(source, 'utf8').split('\n').length - 1,
    folded.reduce((sum, text) => sum + Number(/\d+/.exec(text)[0]), 0) +
      (await page.locator('#view .code:not(.folded)').count()),
  );
  await page.reload();
  await shown(page);
  equal(
    'source-reload',
    lines[0].value,
    await valueOf(page, `#view tr[data-name="${heaviest}"] [data-column=self]`),
  );
}

/** How often, of the line that is chosen. */
async function facts(page, name, line) {
  const words = await page.locator('.sources .facts').innerText();
  testSays(`${name}-count`, words.replace(/total[^]*/, ''), line.count, COUNT);
  testSays(`${name}-total-count`, words.replace(/[^]*total/, ''), line.total_count, COUNT);
}

async function ways(page, url, rows) {
  const line = rows.find((row) => row.stack[0]?.function === 'work_here');
  await after(page, () => page.goto(`${url}&view=source&metric=heap.allocated&focus=work_here`));
  equal(
    'source-of-a-function',
    String(line.stack[0].line),
    await page.locator('.sources .facts').getAttribute('data-name'),
  );
  equal('source-of-a-function-value', line.value, await valueOf(page, '.sources .facts [data-value]'));
  await facts(page, 'source-of-a-function', line);
  await after(page, async () => {
    await page.keyboard.press('/');
    await page.keyboard.insertText('compact_here\\(void');
  });
  equal('source-find', 1, await valueOf(page, '#view [data-name=found]'));
  equal('source-find-marks', 1, await page.locator('#view .code .hit').count());
  await after(page, () => page.keyboard.press('Escape'));
  await page.locator('.code-grid .grid').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('n');
  const first = Math.min(
    ...rows.filter((row) => row.stack[0]?.file === line.stack[0].file).map((row) => row.stack[0].line),
  );
  equal(
    'source-keys-next-cost',
    String(first),
    await page.locator('#view tr[aria-selected]').getAttribute('data-name'),
  );
  await after(page, () => page.keyboard.press('Backspace'));
  check('source-keys-all-files', !/file=|focus=/.test(page.url()), page.url());

  await after(page, () => page.goto(`${url}&view=functions&by=line&metric=heap.allocated`));
  await page.locator('#view .grid').focus();
  await page.keyboard.press('Home');
  await after(page, () => page.keyboard.press('Enter'));
  equal(
    'source-from-functions',
    rows[0].value,
    await valueOf(page, `#view tr[data-name="${rows[0].stack[0].line}"] [data-column=self]`),
  );
}

/** Without the text the costs are there, and what to do. */
async function without(page, url, file) {
  await after(page, () => page.goto(`${url}&view=source&metric=cpu.on&focus=parse`));
  const { rows } = report(file, '--metric', 'cpu.on', '--by', 'line');
  equal(
    'source-without-text',
    sorted(
      rows
        .filter((row) => row.stack[0].file === '/elsewhere/parse.c')
        .map((row) => [String(row.stack[0].line), row.value]),
    ),
    sorted(await costs(page, 'self')),
  );
  const parse = rows.find((row) => row.stack[0].file === '/elsewhere/parse.c');
  check('source-calls-another', parse.total_count > parse.count);
  await facts(page, 'source-without-text', parse);
  check('source-without-text-says-so', /--sources/.test(await page.locator('.notice').innerText()));
}

export async function testSource(browser, { url, heap, heapFile, time, timeFile, source }) {
  const page = await open(browser, `${url}#target=${heap}&metric=heap.allocated`, {
    viewport: { width: 1280, height: 2600 }, // all lines are in sight, and so in the document
  });
  await shown(page);
  await after(page, () => go(page, 's'));
  const { rows } = report(heapFile, '--metric', 'heap.allocated', '--by', 'line');
  const stacks = report(heapFile, '--metric', 'heap.allocated', '--by', 'stack');
  await files(page, rows, 'source', stacks);
  await oneFile(page, rows[0].stack[0].file, rows, source, stacks);
  await ways(page, `${url}#target=${heap}`, rows);
  await without(page, `${url}#target=${time}`, timeFile);
  equal('source-faults', '', page.faults.join('; '));
  await page.context().close();
}
