// styles.mjs: a class name has one meaning.  Each file of web/src/style begins with a line that says what it is for: all of the
// page, or some folders of web/src.  The class that a selector begins with is its file's: no other file begins one with it, and
// only what the file is for uses it.  So `.nodes .grid` is of nodes.css, and nobody else is `.nodes`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { equal, runTests } from './browser.mjs';

const src = join(dirname(fileURLToPath(import.meta.url)), '../src');
const HEAD = /^\/\* For (all|[a-z/]+(?:, [a-z/]+)*)[.:]/;
const withoutComments = (text) => text.replace(/\/\*[^]*?\*\//g, '');

/** Every selector of a style, also those in @media; @keyframes have none. */
function selectorsOf(css) {
  const text = withoutComments(css).replace(/@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '');
  return [...text.matchAll(/(?<=^|[{};])([^{};@]+)\{/g)]
    .flatMap(([, list]) => list.split(','))
    .map((one) => one.trim().replace(/\s+/g, ' '))
    .filter(Boolean);
}

/** Classes of the first part of a selector. */
function scopeOf(selector) {
  const [first] = selector.split(/[ >+~]/);
  const name = first.replace(/:not\([^)]*\)/g, '').match(/\.([\w-]+)/);
  return name ? [name[1]] : [];
}

/** Class names that a source gives to elements, as far as they are written out: `key-*` is any that begins so. */
function classesIn(source) {
  const given = [
    ...source.matchAll(/\bclass: ((?:\$\{[^}]*\}|[^,{}\n])+)/g),
    ...source.matchAll(/\bclass(?:Name = |List\.\w+\()([^\n]+)/g),
  ];
  return given
    .flatMap(([, value]) => [...value.matchAll(/'([^']*)'|`([^`]*)`/g)])
    .flatMap(([, plain, template]) => (plain ?? template.replace(/\$\{[^}]*\}[\w-]*/g, '* ')).split(' '))
    .filter((name) => /^[a-z][\w-]*\*?$/.test(name));
}

/** `styles` and `sources`: text by path.  Returns sentences. */
function faultsOf(styles, sources) {
  const faults = [],
    homes = new Map(); // of a class: file and folders
  for (const [file, css] of Object.entries(styles)) {
    const told = HEAD.exec(css)?.[1];
    if (!told) {
      faults.push(
        `${file} does not begin with what it is for: /* For all. */ or /* For views/graph, views/heat. */`,
      );
      continue;
    }
    const folders = told === 'all' ? null : told.split(', ');
    for (const selector of selectorsOf(css)) {
      const scope = scopeOf(selector);
      if (scope.length === 0 && folders)
        faults.push(`${file}: “${selector}” is of all the page; begin it with a class of ${told}`);
      for (const name of scope) {
        const home = homes.get(name);
        if (!home) homes.set(name, { file, folders });
        else if (home.file !== file) faults.push(`${file}: “${selector}”, and .${name} is of ${home.file}`);
      }
    }
  }
  for (const [path, source] of Object.entries(sources))
    for (const name of new Set(classesIn(source)))
      for (const [known, { file, folders }] of homes) {
        const isMeant = name.endsWith('*') ? known.startsWith(name.slice(0, -1)) : known === name;
        if (isMeant && folders && !folders.includes(dirname(path)))
          faults.push(`${path} has a class ${known}, which ${file} lays out for ${folders.join(' and ')}`);
      }
  return [...new Set(faults)];
}

function read(folder, ending) {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true })
      .filter((path) => path.endsWith(ending))
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
}

const { 'page.css': all, ...styles } = read(join(src, 'style'), '.css');
const used = Object.keys(styles).filter((file) => !all.includes(`@import '${file}';`));

/** What must be found: the name of a thing that is also that of another. */
function wrongOnes() {
  const inTwo = {
    'a.css': '/* For a. */ .x { height: 30px }',
    'b.css': '/* For b. */ @media print { .x .y, .z { top: 0 } }',
  };
  const one = { 'a.css': inTwo['a.css'] };
  return [
    ['in-two-files', inTwo, {}],
    ['used-elsewhere', one, { 'app.ts': "main.classList.toggle('x', isOn)" }],
    ['used-in-a-template', one, { 'b/view.ts': 'h("i", { class: `x ${kind}` })' }],
    [
      'used-by-a-beginning',
      { 'a.css': '/* For a. */ .x-y { top: 0 }' },
      { 'b/view.ts': '{ class: `x-${kind}` }' },
    ],
    ['for-nobody', { 'a.css': '.x { top: 0 }' }, {}],
    ['an-element-of-all', { 'a.css': '/* For a. */ td { top: 0 }' }, {}],
  ];
}

await runTests(null, [
  [
    'styles',
    () => {
      equal('styles-all-used', '', used.join());
      equal('styles-one-meaning', '', faultsOf(styles, read(src, '.ts')).join('; '));
      for (const [name, css, ts] of wrongOnes()) equal(`styles-finds-${name}`, 1, faultsOf(css, ts).length);
      const fine = {
        'a.css': '/* For a. */ .x.y > td { top: 0 }',
        'b.css': '/* For all. */ .y, td { top: 0 }',
      };
      equal('styles-finds-no-more', '', faultsOf(fine, { 'a/view.ts': "{ class: 'x y' }" }).join());
    },
  ],
]);
