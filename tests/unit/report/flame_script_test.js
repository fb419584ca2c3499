// SPDX-License-Identifier: Apache-2.0
// The script inside a flame graph, without a browser: node flame_script_test.js SOURCE_FOLDER DEMO_PICTURES
// Compares what it works out from a real picture's data with slow and plain sums.
'use strict';
const assert = require('assert');
const {execFileSync} = require('child_process');
const fs = require('fs');
const vm = require('vm');

const [folder, demoPictures] = process.argv.slice(2);
const read = name => fs.readFileSync(folder + '/' + name, 'utf8');
const {flameTree, heatTree, pictureNumbers} = vm.runInNewContext(
  read('pictures/picture_numbers.js') + read('flame/flame_tree.js') + read('flame/heat_tree.js') + '; ({flameTree, heatTree, pictureNumbers})');

function dataOf(...words) {
  const svg = execFileSync(demoPictures, words, {maxBuffer: 1 << 26}).toString();
  return JSON.parse(/<script type="application\/json" id="data">([^<]*)<\/script>/.exec(svg)[1]);
}

function stacksOf(tree) { // every stack with its own weight
  const stacks = [];
  for (let i = 0; i < tree.count; i++) {
    const path = [];
    for (let at = i; at >= 0; at = tree.parent[at]) path.push(at);
    stacks.push({path: path, self: tree.self[i]});
  }
  return stacks;
}

for (const words of [['flame', '300', '3'], ['flame', '300', '3', 'wild'], ['flame', '1', '1']]) {
  const data = dataOf(...words);
  for (const which of [0, 1]) {
    const tree = flameTree.openTree(data.trees[which].nodes);
    const nameOf = i => data.strings[data.frames[tree.frame[i] * 6]];
    assert.strictEqual(tree.value[0], data.total);
    assert.strictEqual(tree.self.reduce((sum, self) => sum + self, 0), data.total, 'own weights add up');
    assert(tree.self.every(self => self >= 0));

    for (const pattern of [/decode|insert/, /^main$/, /nothing like it/, /./]) { // matched without double counting
      const found = flameTree.searchTree(tree, nameOf, pattern);
      const expected = stacksOf(tree).filter(stack => stack.path.some(i => i > 0 && tree.frame[i] >= 0 && pattern.test(nameOf(i))))
        .reduce((sum, stack) => sum + stack.self, 0);
      assert.strictEqual(found.value, expected, String(pattern));
      assert.strictEqual(found.frames, found.hits.reduce((sum, hit) => sum + hit, 0));
    }

    for (const zoom of [0, 1, Math.floor(tree.count / 2), tree.count - 1]) {
      if (tree.frame[zoom] < 0) continue;
      const boxes = flameTree.visibleFrames(tree, zoom, 1000);
      const inside = boxes.filter(box => !box.faded);
      assert.strictEqual(boxes.length - inside.length, tree.depth[zoom], 'ancestors');
      assert(boxes.every(box => box.x >= -1e-6 && box.x + box.w <= 1000 + 1e-6), 'inside the picture');
      const shown = inside.reduce((sum, box) => sum + (box.hidden || 1), 0);
      let frames = 0;
      for (let i = zoom; i < tree.end[zoom]; i++) frames += tree.frame[i] < 0 ? -tree.frame[i] : 1;
      assert.strictEqual(shown, frames, 'nothing is dropped');
      for (const depth of new Set(inside.map(box => box.depth))) { // no overlap in a row
        const row = inside.filter(box => box.depth === depth).sort((a, b) => a.x - b.x);
        for (let k = 1; k < row.length; k++) assert(row[k].x >= row[k - 1].x + row[k - 1].w - 1e-6);
      }
    }
  }
}

for (const words of [['diff', '300', '3'], ['diff', '20000', '2'], ['diff', '30', '1', 'wild']]) {
  const data = dataOf(...words);
  for (const stored of data.trees) {
    const tree = flameTree.openTree(stored.nodes);
    let gone = 0;
    assert.strictEqual(stored.changes.length, 6 * tree.count);
    for (let i = 0; i < tree.count; i++) { // also of what stands for many
      const [before, after] = stored.changes.slice(6 * i, 6 * i + 2);
      assert.strictEqual(before + after, tree.value[i], 'as wide as both together');
      gone += before > 0 && after === 0;
    }
    assert(gone > 0 || words[1] === '30');
  }
}

{ // a stretch of the heat map has the graph of that stretch
  const data = dataOf('heat', '1', '1'), heat = data.heat, map = heatTree.openHeat(heat);
  const nameOf = frame => data.strings[data.frames[frame * 6]];
  const graphs = (from, to) => {
    const sums = heatTree.sumSlots(map, from, to);
    return {sums: sums, trees: heatTree.treesOf(map, sums).map(flameTree.openTree)};
  };
  assert.deepStrictEqual([heat.begin, heat.column, heat.rows, heat.columns, heat.one], [0, 1e9, 50, 4, 1e7]);
  const all = graphs(0, map.slots);
  assert.strictEqual(all.sums.count, 421); // ten have no instant
  assert.strictEqual(all.sums.value, 4.21e9);
  const hashing = graphs(50, 60);
  assert.strictEqual(hashing.sums.count, 40); // from 1 s to 1.2 s, two threads
  const roots = hashing.trees[0].frame.filter((frame, i) => hashing.trees[0].depth[i] === 1).map(nameOf);
  assert.strictEqual(roots.sort().join(), 'main (100),worker-1 (101)');
  const innermost = hashing.trees[1].frame.filter((frame, i) => hashing.trees[1].depth[i] === 1).map(nameOf);
  assert.strictEqual(innermost.sort().join(), 'hash,parse');
  assert.strictEqual(graphs(25, 26).sums.count, 3); // 500 ms: two of main, one poll
  assert.strictEqual(graphs(7, 7).sums.count, 0);
  for (let from = 0; from <= map.slots; from += 23) {
    for (let to = from; to <= map.slots; to += 31) {
      const {sums, trees} = graphs(from, to);
      let value = 0;
      for (let i = 0; i < map.slots; i++) if (i >= from && i < to) value += heatTree.sumSlots(map, i, i + 1).value;
      assert.strictEqual(sums.value, value);
      for (const tree of trees) {
        assert.strictEqual(tree.value[0], value);
        assert.strictEqual(tree.calls[0], sums.count);
        assert.strictEqual(tree.self.reduce((sum, self) => sum + self, 0), value, 'own weights add up');
        assert(tree.self.every(self => self >= 0));
      }
    }
  }
}

const {human, share, exact, cutText} = pictureNumbers;
assert.strictEqual(human(1023, 'bytes'), '1023 B');
assert.strictEqual(human(1536, 'bytes'), '1.50 KiB');
assert.strictEqual(human(12897484, 'bytes'), '12.3 MiB');
assert.strictEqual(human(1500000, 'ns'), '1.50 ms');
assert.strictEqual(human(1234567, 'calls'), '1,234,567');
assert.strictEqual(exact(1000), '1,000');
assert.strictEqual(share(1, 3), '33.3 %');
assert.strictEqual(share(1, 1e9), '<0.1 %');
assert.strictEqual(cutText('abcdef', 4), 'abc\u2026');
console.log('ok');
