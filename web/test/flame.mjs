// The painter of flame graphs: however many nodes there are, at most as many boxes as pixels, and nothing is left out.
import { build } from 'esbuild';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, equal } from './browser.mjs';

const WIDTH = 1200,
  NODES = 100000;

async function load() {
  const here = dirname(fileURLToPath(import.meta.url));
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from './layout'; export * from './paint'; export { Palette } from './colors';",
      resolveDir: join(here, '../src/views/flame'),
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}

/** A tree in pre-order as the server sends it: a few wide branches, very many narrow ones, always the same. */
function answerOf(count) {
  let seed = 1;
  const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32;
  const nodes = [0, 0, 0, 0];
  const grow = (depth, value) => {
    for (let left = value; left > 0 && nodes.length < 4 * count;) {
      const part = Math.max(1, Math.floor(left * (random() < 0.2 ? random() : random() / 400)));
      if (random() < 0.05) return; // what is left is its own
      nodes.push(1 + Math.floor(random() * 50), depth, part, 1);
      if (depth < 40 && part > 1) grow(depth + 1, part);
      left -= part;
    }
  };
  nodes[2] = 1e9;
  grow(1, 1e9);
  const strings = ['', 'all', 'a.so', 'b.so', ...Array.from({ length: 50 }, (_, i) => `f${i}`)];
  const frames = [1, 0, 0, 0, 0, 0];
  for (let i = 0; i < 50; i++) frames.push(4 + i, 2 + (i % 2), 0, 0, 0, 0);
  return { unit: 'bytes', noun: 'block', total: 1e9, trees: [{ nodes }], frames, strings };
}

function testSpans(flame, tree, window, name) {
  const scale = WIDTH / (window.right - window.left);
  let boxes = 0,
    lost = '';
  const shows = (node) =>
    tree.start[node] + tree.value[node] > window.left && tree.start[node] < window.right;
  for (let depth = 0; depth < flame.depthCount(tree); depth++) {
    let sum = 0,
      last = -1;
    flame.eachSpan(
      tree,
      depth,
      window,
      () => true,
      (first, end, left, right) => {
        boxes++;
        if (!(left >= last - 1e-6 && right >= left && right <= WIDTH + 1e-6)) lost ||= `box at ${left}`;
        last = left;
        for (let node = first; node < end; node++) {
          sum += tree.value[node];
          if (end - first > 1 && tree.value[node] * scale > 1) lost ||= `${node} is wide, and merged`;
        }
      },
    );
    let whole = 0;
    for (let node = tree.levels[depth]; node < tree.levels[depth + 1]; node++)
      if (shows(node)) whole += tree.value[node];
    if (sum !== whole) lost ||= `level ${depth} has ${sum} of ${whole}`;
  }
  equal(`flame-nothing-is-lost-${name}`, '', lost);
  check(`flame-boxes-${name}`, boxes <= WIDTH * flame.depthCount(tree) && boxes > 0, `${boxes} boxes`);
  return boxes;
}

/** How many rectangles a pen is asked for. */
function testPen(flame, tree, frames, boxes) {
  const theme = { rest: '#111', hit: '#222', onColor: '#333', text: '#444', surface: '#555' };
  let drawn = 0;
  const pen = {
    measureText: () => ({ width: 70 }),
    fillText: () => undefined,
    fillRect: () => drawn++,
  };
  const palette = new flame.Palette(tree, frames, false, 'module');
  const height = flame.depthCount(tree) * flame.ROW;
  const window = { left: 0, right: 1e9, scroll: 0, width: WIDTH, height, isUpward: false, firstLevel: 0 };
  flame.paintFlame(pen, { tree, frames, palette, matches: null, zoomDepth: 0, theme, dress: null }, window);
  check('flame-draws-what-is-seen', drawn >= boxes && drawn <= WIDTH * flame.depthCount(tree), `${drawn}`);
}

export async function testFlame() {
  const flame = await load();
  const answer = answerOf(NODES),
    frames = flame.frameTable(answer);
  const tree = flame.treeOf(answer.trees[0].nodes, frames);
  check('flame-nodes', tree.size > 0.9 * NODES, `${tree.size}`);
  equal('flame-root', 1e9, tree.value[0]);
  const selfs = tree.self.reduce((sum, one) => sum + one, 0);
  equal('flame-selfs', 1e9, selfs);
  const look = (left, right) => ({
    left,
    right,
    scroll: 0,
    width: WIDTH,
    height: 1,
    isUpward: false,
    firstLevel: 0,
  });
  const boxes = testSpans(flame, tree, look(0, 1e9), 'whole');
  for (const [i, node] of [40, 4000, 40000].entries())
    testSpans(flame, tree, look(tree.start[node], tree.start[node] + tree.value[node]), `zoomed-${i}`);
  testSpans(flame, tree, look(123456.7, 123999.9), 'between');
  testPen(flame, tree, frames, boxes);
  for (const node of [1, 50, 5000, tree.size - 1])
    equal(`flame-found-${node}`, node, flame.nodeAt(tree, flame.depthOf(tree, node), tree.start[node]));
}
