// bundle.mjs DIR: the document, one script and one style into DIR, as small as they get.
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const into = process.argv[2];
const most = 150 * 1024; // of all three, compressed

// What others wrote goes out with their licence: as a comment in the script, and in LICENCES.txt.
const licences = readFileSync(join(here, 'LICENCES.txt'), 'utf8');

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { page: 'src/main.ts' },
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2021'],
  legalComments: 'none',
  banner: { js: `/*! ${licences.trim()} */` },
  metafile: true,
  outdir: into,
  logLevel: 'warning',
});
for (const path of Object.keys(metafile.inputs)) {
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  const isTold =
    !name ||
    (licences.includes(name) &&
      licences.includes(readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim()));
  if (!isTold) {
    console.error(`the page has ${name} in it, and LICENCES.txt does not have its licence`);
    process.exit(1);
  }
}
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
