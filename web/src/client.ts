// Asks the server, or the document if it holds the answers.  Everything it says no to becomes one sentence; a missing token is a status of its own.

import { island, savedAnswer } from './export/island';

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

/** Keeps the token of a link that memoir serve printed, and takes it out of the address: neither the history nor a copied link has it. */
export function takeTokenFromAddress(): void {
  const address = new URL(location.href);
  const token = address.searchParams.get('token');
  if (token === null) return;
  if (token) setToken(token);
  address.searchParams.delete('token');
  history.replaceState(history.state, '', address);
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

/** What is asked, in one word: the same question is always the same text. */
export function questionText(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams(queryOf(parameters));
  query.sort();
  const words = query.toString();
  return words ? `${path}?${words}` : path;
}

function fromDocument<T>(question: string): T {
  const [, answer, refusal] = savedAnswer(question) ?? [];
  if (refusal !== undefined) throw new ServerError(404, refusal);
  if (answer === undefined)
    throw new ServerError(
      404,
      'This file has no data for this selection: it was saved for another one. Go back (Esc or the back button), or open the recording with memoir serve.',
    );
  return answer as T;
}

async function request(
  path: string,
  parameters: Parameters,
  accepts: string,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const token = sessionStorage.getItem(TOKEN);
  const query = queryOf(parameters);
  let response: Response;
  try {
    response = await fetch(query ? `${path}?${query}` : path, {
      headers: token ? { Accept: accepts, Authorization: `Bearer ${token}` } : { Accept: accepts },
      cache: 'no-store',
      credentials: 'omit',
      signal,
    });
  } catch {
    throw new ServerError(0, 'memoir serve does not answer. Trying again until it does.');
  }
  if (!response.ok) throw new ServerError(response.status, await sentenceOf(response));
  return response;
}

export async function ask<T>(path: string, parameters: Parameters = {}): Promise<T> {
  if (island()) return fromDocument<T>(questionText(path, parameters));
  const response = await request(path, parameters, 'application/json');
  try {
    return (await response.json()) as T;
  } catch {
    throw new ServerError(0, 'The connection to memoir serve broke off. Trying again.');
  }
}

/** An answer that does not end by itself. */
export function listen(path: string, signal: AbortSignal): Promise<Response> {
  return request(path, {}, 'text/event-stream', signal);
}

export async function askText(path: string): Promise<string> {
  return (await request(path, {}, '*/*')).text();
}

/** A file, and the name that the server gives it. */
export async function askFile(path: string, parameters: Parameters): Promise<{ name: string; data: Blob }> {
  const response = await request(path, parameters, '*/*');
  const name = /filename="([^"]*)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  return { name: name ?? 'memoir', data: await response.blob() };
}
