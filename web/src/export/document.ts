// One file with everything inside: script, style and answers.  It asks nobody, and nothing in it can.
import { askText } from '../client';
import { ISLAND, island, SCRIPT, STYLE, type Island } from './island';

async function ownText(id: string, path: string): Promise<string> {
  return island() ? (document.getElementById(id)?.textContent ?? '') : askText(path);
}

/** Inside a script nothing may look like its end, or like a new one. */
function forScript(text: string): string {
  return text.replace(/<(?=\/?script|!--)/gi, '\\x3c');
}

function forJson(text: string): string {
  return text
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

/** Which script may run: this one.  Where the browser cannot tell (no safe origin), those of the document. */
async function scriptPolicy(script: string): Promise<string> {
  if (!('subtle' in crypto)) return "'unsafe-inline'";
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script)));
  return `'sha256-${btoa(String.fromCharCode(...hash))}'`;
}

export async function documentOf(saved: Island): Promise<string> {
  const script = forScript(await ownText(SCRIPT, 'page.js')),
    style = (await ownText(STYLE, 'page.css')).replace(/<\//g, '<\\/');
  const policy = `default-src 'none'; script-src ${await scriptPolicy(script)}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    '<title>memoir</title>',
    '<link rel="icon" href="data:,">',
    `<style id="${STYLE}">${style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This page draws with JavaScript.</noscript>',
    '<div id="app"></div>',
    `<script id="${ISLAND}" type="application/json">${forJson(JSON.stringify(saved))}</script>`,
    `<script id="${SCRIPT}">${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
