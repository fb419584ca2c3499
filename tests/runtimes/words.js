// SPDX-License-Identifier: Apache-2.0
// Words in maps, which are V8's, and thirty megabytes in buffers, which are malloc's.
function build(words) {
  const made = new Map();
  for (let i = 0; i < words; i++) {
    const word = "word " + (i % 1000);
    if (!made.has(word)) made.set(word, []);
    made.get(word).push({ number: i });
  }
  return made;
}

const kept = [], buffers = [];
for (let round = 0; round < 5; round++) kept.push(build(200000 + round));
for (let i = 0; i < 30; i++) buffers.push(Buffer.alloc(1 << 20, 1));
const packed = require("zlib").gzipSync(buffers[0]);
console.log(kept.length, "maps", kept[0].size, "words", buffers.length, "buffers", packed.length, "packed");
console.error("buffers", process.memoryUsage().arrayBuffers, "\nheap", process.memoryUsage().heapTotal);
setTimeout(() => process.exit(10), 200); // so that its size is seen
