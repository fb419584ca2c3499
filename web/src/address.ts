// The selection in the address, so that links and the back button work.
import { island } from './export/island';
import { formatSelection, parseSelection, type Selection } from './selection';

/** What was meant for another picture than the one after a change. */
function outdated(part: Partial<Selection>): Partial<Selection> {
  const isSamePicture = Object.keys(part).every((name) => ['camera', 'find', 'picked'].includes(name));
  return { ...('zoom' in part ? { span: '' } : {}), ...(isSamePicture ? {} : { camera: '' }) };
}

/** The selection in the address.  `change` is a step that the back button takes back, unless it replaces the last one. */
export class SelectionInAddress {
  current: Selection = parseSelection(location.hash || (island()?.selection ?? ''));
  private readonly listeners: ((now: Selection, before: Selection) => void)[] = [];

  constructor() {
    const read = (): void => this.become(parseSelection(location.hash || (island()?.selection ?? '')));
    addEventListener('popstate', read);
    addEventListener('hashchange', read);
  }

  onChange(listener: (now: Selection, before: Selection) => void): void {
    this.listeners.push(listener);
  }

  change(part: Partial<Selection>, how: 'step' | 'replace' = 'step'): void {
    const next = { ...this.current, ...outdated(part), ...part };
    const hash = formatSelection(next);
    if (hash === formatSelection(this.current)) return;
    history[how === 'step' ? 'pushState' : 'replaceState'](
      null,
      '',
      hash ? `#${hash}` : location.pathname + location.search,
    );
    this.become(next);
  }

  private become(next: Selection): void {
    const before = this.current;
    if (formatSelection(next) === formatSelection(before)) return;
    this.current = next;
    for (const listener of this.listeners) listener(next, before);
  }
}
