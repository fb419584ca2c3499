// Answers without what tells about a machine and its people: folders, arguments, the name of the host.

function withoutFolders(text: string): string {
  if (text.startsWith('/') || /^\.\.?\//.test(text)) return text.slice(text.lastIndexOf('/') + 1);
  return text.replace(/(^|[\s"'(=])\/(?:[^\s"'()/]+\/)+/g, '$1');
}

function isAbout(key: string): boolean {
  return key === 'command_line' || key === 'host';
}

export function plain<T>(value: T, key = ''): T {
  if (typeof value === 'string')
    return (key === 'host' ? '' : withoutFolders(isAbout(key) ? (value.split(' ')[0] ?? '') : value)) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => plain(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, plain<unknown>(one, name)]),
  ) as T;
}

/** Questions name what answers name. */
export function plainQuestion(question: string): string {
  const [path, query] = question.split('?');
  if (query === undefined) return question;
  const words = new URLSearchParams(query);
  for (const [name, text] of [...words]) words.set(name, withoutFolders(text));
  return `${path}?${words}`;
}
