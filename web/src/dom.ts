// Elements.  Text is only ever text: names come from recordings, and those from strangers.

type Child = Node | string | null | undefined | false;
type Listeners = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
type Attributes = Record<string, string | number | boolean | null | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes & { on?: never } = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value as string);
  add(element, ...children);
  return element;
}

/** The same for drawings. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  add(element, ...children);
  return element;
}

export function setAttribute(
  element: Element,
  name: string,
  value: string | number | boolean | null | undefined,
): void {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : String(value));
}

export function add(element: Element, ...children: Child[]): void {
  for (const child of children) if (child) element.append(child);
}

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  add(element, ...children);
}

export function listen<E extends HTMLElement>(element: E, listeners: Listeners): E {
  for (const [name, listener] of Object.entries(listeners))
    element.addEventListener(name, listener as EventListener);
  return element;
}

export function button(label: string, action: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return listen(h('button', { type: 'button', ...attributes } as Attributes & { on?: never }, label), {
    click: action,
  });
}

export function isTyping(event: KeyboardEvent): boolean {
  return (
    event.target instanceof HTMLInputElement ||
    event.target instanceof HTMLSelectElement ||
    event.target instanceof HTMLTextAreaElement
  );
}

/** For when elements are about to be replaced by others like them: what had the focus gets it back. */
export function rememberFocus(root: HTMLElement): () => void {
  const had = document.activeElement;
  const textOf = (element: Element): string =>
    `${element.className} ${element.getAttribute('aria-label') ?? ''} ${element.firstChild instanceof Text ? element.textContent : element.firstElementChild?.textContent}`;
  if (!(had instanceof HTMLElement) || !root.contains(had)) return () => undefined;
  const text = textOf(had);
  return () => {
    if (had.isConnected || document.activeElement !== document.body) return;
    [...root.querySelectorAll<HTMLElement>(had.tagName)].find((other) => textOf(other) === text)?.focus();
  };
}
