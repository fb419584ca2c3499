// selection.mjs: what the address says is what is selected, and the other way round; web/src/selection.ts has the table.
import { build } from 'esbuild';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { equal, runTests } from './browser.mjs';

const src = join(dirname(fileURLToPath(import.meta.url)), '../src');
const { outputFiles } = await build({
  entryPoints: [join(src, 'selection.ts')],
  bundle: true,
  format: 'esm',
  write: false,
});
const { parseSelection, formatSelection, questionOfSelection } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);

/** For each field an address that is not its default, and the value it stands for. */
const fields = {
  target: ['target=7', '7'],
  view: ['view=graph', 'graph'],
  metric: ['metric=heap.leaked', 'heap.leaked'],
  beside: ['beside=a,b,c', ['a', 'b', 'c']],
  time: ['between=5,9', { from: 5, to: 9 }],
  filter: ['filter=%5Ea', '^a'],
  find: ['find=x+y', 'x y'],
  callers: ['callers=1', true],
  zoom: ['zoom=z', 'z'],
  span: ['span=1,2', '1,2'],
  by: ['by=line', 'line'],
  rows: ['rows=stack', 'stack'],
  sort: ['sort=self-0', 'self-0'],
  frames: ['frames=500', 500],
  focus: ['focus=main', 'main'],
  camera: ['camera=-1,2,3', '-1,2,3'],
  least: ['least=0.5', '0.5'],
  file: ['file=a.c', 'a.c'],
  colour: ['colour=change', 'change'],
  other: ['other=8', '8'],
  besides: ['with-at=4', { from: null, to: 4 }],
  scale: ['scale=time', 'time'],
  owner: ['owner=heap.live', 'heap.live'],
  series: ['series=rss', 'rss'],
  lanes: ['lanes=1', true],
  alone: ['alone=1', true],
  region: ['region=3-2', '3-2'],
  picked: ['picked=f', 'f'],
  tracks: ['tracks=heap,rss', ['heap', 'rss']],
  stretch: ['stretch=1,2', { from: 1, to: 2 }],
  top: ['top=3', 3],
  areas: ['areas=share', 'share'],
  swap: ['swap=1', true],
  drawn: ['drawn=1', true],
  shape: ['shape=treemap', 'treemap'],
};

/** What somebody may have typed, and what is made of it. */
const strange = {
  'view=nothing&by=stack&areas=&top=0&frames=1': 'frames=100&top=1',
  'top=99&frames=99999999999999999&callers=yes&beside=a,,b,c,d': 'beside=a,b,c&top=16',
  'between=9,5&with=1&stretch=7,7&at=-1&with-at=1e3': '',
  'between=5,9&at=3': 'at=3',
  'span=1,2,3&camera=1,2&least=100&target=&unknown=1': '',
  'pid=12': 'target=12',
  'stretch=1,2&view=flame&rows=function&colour=module': 'stretch=1,2',
  'top=8&frames=25000': '',
};

function roundTrips() {
  const usual = parseSelection('');
  equal('selection-fields', Object.keys(fields).join(), Object.keys(usual).join());
  equal('selection-usual', '', formatSelection(usual));
  for (const [name, [address, value]] of Object.entries(fields)) {
    const expected = JSON.stringify({ ...usual, [name]: value });
    equal(`selection-read-${name}`, expected, JSON.stringify(parseSelection(`#${address}`)));
    equal(`selection-written-${name}`, address, formatSelection({ ...usual, [name]: value }));
  }
  const all = Object.values(fields).map(([address]) => address);
  equal('selection-all', all.join('&'), formatSelection(parseSelection(all.reverse().join('&'))));
}

await runTests(null, [
  ['selection', roundTrips],
  [
    'selection-strange',
    () => {
      for (const [given, made] of Object.entries(strange))
        equal(`selection-strange-${made || 'none'}`, made, formatSelection(parseSelection(given)));
    },
  ],
  [
    'selection-questions',
    () => {
      const ask = (address) => JSON.stringify(questionOfSelection(parseSelection(address)));
      equal('selection-asks-usual', '{"between":null,"at":null,"filter":""}', ask(''));
      equal(
        'selection-asks-range',
        '{"between":"5ns,9ns","at":null,"filter":"^a"}',
        ask('between=5,9&filter=%5Ea&find=x&zoom=z'),
      );
      equal('selection-asks-instant', '{"between":null,"at":"3ns","filter":""}', ask('at=3'));
    },
  ],
]);
