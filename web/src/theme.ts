// Colours of the style sheet, for canvases; and light or dark.

export interface Theme {
  text: string;
  soft: string;
  faint: string;
  line: string;
  surface: string;
  accent: string;
  rss: string;
  pss: string;
  heap: string;
  rate: string;
  mark: string;
  hit: string;
  rest: string;
  onColor: string;
  series: string[];
  isDark: boolean;
}

const KEPT = 'memoir-theme';
let known: Theme | null = null;
const listeners: (() => void)[] = [];
const preference = matchMedia('(prefers-color-scheme: dark)');

function changed(): void {
  known = null;
  for (const listener of listeners) listener();
}

export function theme(): Theme {
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  known = {
    text: color('text'),
    soft: color('soft'),
    faint: color('faint'),
    line: color('line'),
    surface: color('surface'),
    accent: color('accent'),
    rss: color('rss'),
    pss: color('pss'),
    heap: color('heap'),
    rate: color('rate'),
    mark: color('mark'),
    hit: color('hit'),
    rest: color('rest'),
    onColor: color('on-color'),
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => color(`series-${n}`)),
    isDark: isDark(),
  };
  return known;
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset['theme'];
  return chosen ? chosen === 'dark' : preference.matches;
}

export function toggleTheme(): void {
  const next = isDark() ? 'light' : 'dark';
  document.documentElement.dataset['theme'] = next;
  localStorage.setItem(KEPT, next);
  changed();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

export function beginTheme(): void {
  const kept = localStorage.getItem(KEPT);
  if (kept === 'dark' || kept === 'light') document.documentElement.dataset['theme'] = kept;
  preference.addEventListener('change', changed);
}
