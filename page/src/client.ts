// Asks the server.  Everything it says no to becomes one sentence; a missing token is a status of its own.

const TOKEN = 'memoir-token';

export class ServerError extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
  get isUnreachable(): boolean {
    return this.status === 0;
  }
  get needsToken(): boolean {
    return this.status === 401;
  }
}

export type Parameters = Record<string, string | number | null | undefined>;

export function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value));
  return query.toString();
}

export function hasToken(): boolean {
  return sessionStorage.getItem(TOKEN) !== null;
}

export function setToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

async function sentenceOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'error' in body) return String(body.error);
  } catch {
    // not ours, then: a proxy's page
  }
  return `The server answered with status ${response.status}.`;
}

export async function ask<T>(path: string, parameters: Parameters = {}): Promise<T> {
  const token = sessionStorage.getItem(TOKEN);
  const query = queryOf(parameters);
  let response: Response;
  try {
    response = await fetch(query ? `${path}?${query}` : path, {
      headers: token
        ? { Accept: 'application/json', Authorization: `Bearer ${token}` }
        : { Accept: 'application/json' },
      cache: 'no-store',
      credentials: 'omit',
    });
  } catch {
    throw new ServerError(0, 'memoir serve does not answer. Trying again until it does.');
  }
  if (!response.ok) throw new ServerError(response.status, await sentenceOf(response));
  try {
    return (await response.json()) as T;
  } catch {
    throw new ServerError(0, 'The answer of memoir serve broke off. Trying again.');
  }
}
