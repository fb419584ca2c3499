// bundle.mjs DIR: the document, one script and one style into DIR, as small as they get.
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const into = process.argv[2];
const most = 150 * 1024; // of all three, compressed

await build({
  absWorkingDir: here,
  entryPoints: { page: 'src/main.ts' },
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2021'],
  legalComments: 'none',
  outdir: into,
  logLevel: 'warning',
});
await build({
  absWorkingDir: here,
  entryPoints: { page: 'src/style/page.css' },
  bundle: true,
  minify: true,
  outdir: into,
  logLevel: 'warning',
});
writeFileSync(join(into, 'page.html'), readFileSync(join(here, 'page.html')));

const sizes = ['html', 'js', 'css'].map(
  (part) => gzipSync(readFileSync(join(into, `page.${part}`)), { level: 9 }).length,
);
const size = sizes.reduce((sum, one) => sum + one, 0);
if (size > most) {
  console.error(`the page is ${size} bytes compressed, at most ${most} are allowed`);
  process.exit(1);
}
