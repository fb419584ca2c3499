// busy.js - code that is compiled at run time, and calls back from what the runtime brings.
function dig(depth) {
    return depth === 0 ? [0] : dig(depth - 1).concat([depth]);
}

const known = new Map();
function work() {
    for (let i = 0; i < 200; i++) {
        const words = Array.from({ length: 300 }, (_, n) => `w${(n * 7919 + i) % 101}`);
        words.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
        known.set(i, JSON.parse(JSON.stringify(words)).map((word) => word.replace(/w(\d)/, "$1-")));
        dig(40);
    }
    setImmediate(work);
}
work();
