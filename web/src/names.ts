// Words that are cut where there is no room for them: whoever points at one is told all of it.
import { h } from './dom';

function told(text: string, more: string): string {
  return more.includes(text) ? more : [text, more].filter(Boolean).join('\n');
}

export function nameWord(text: string, more = text, isFound = false): HTMLElement {
  return h('span', { class: isFound ? 'mono hit' : 'mono', title: told(text, more) }, text);
}

/** Beside a name: where it is, or what. */
export function whereWord(text: string, more = ''): HTMLElement {
  return h('span', { class: 'where', title: told(text, more) }, text);
}
