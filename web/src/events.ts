// What happens at the server, as it tells it.  Over fetch: an EventSource cannot send a token.
import type { GrownEvent } from './api_types';
import { listen } from './client';

const AGAIN_MS = 2000,
  AGAIN_MOST_MS = 30000,
  SILENCE_MS = 40000; // the server says something every 15 seconds

export interface Happening {
  event: string;
  data: string;
}

/** Takes a stream apart that comes in pieces. */
export class EventReader {
  private rest = '';

  take(piece: string): Happening[] {
    const blocks = (this.rest + piece).split('\n\n');
    this.rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const field = (name: string): string =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join('\n');
      const data = field('data');
      return data ? [{ event: field('event') || 'message', data }] : [];
    });
  }
}

/** Reads until the server ends it, nothing comes for too long, or somebody stops it. */
async function readStream(stop: AbortController, hear: (happenings: Happening[]) => void): Promise<void> {
  let silence = setTimeout(() => stop.abort(), SILENCE_MS);
  try {
    const response = await listen('api/events', stop.signal);
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const reader = new EventReader();
    for (;;) {
      const piece = await pieces?.read();
      if (!piece || piece.done) return;
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), SILENCE_MS);
      hear(reader.take(piece.value));
    }
  } finally {
    clearTimeout(silence);
  }
}

/**
 * Listens as long as the page is seen: browsers have six connections for all tabs of one server, and a tab that nobody looks at must not
 * have one of them.
 */
export class Events {
  isHeard = false; // else somebody has to ask
  private heard: Happening[] = [];
  private wake: (() => void) | null = null;
  private stop: AbortController | null = null;
  private againMs = AGAIN_MS;
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    document.addEventListener('visibilitychange', () => (document.hidden ? this.end() : this.begin()));
    if (!document.hidden) this.begin();
  }

  /** What happened since the last call; waits for something, at most so long. */
  async next(mostMs: number): Promise<Happening[]> {
    if (!this.heard.length) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, mostMs);
        this.wake = () => (clearTimeout(late), resolve());
      });
      this.wake = null;
    }
    return this.heard.splice(0);
  }

  /** Ends `next` now: somebody knows that things have changed. */
  rouse(): void {
    this.wake?.();
  }

  private begin(): void {
    if (this.stop) return;
    clearTimeout(this.again);
    const stop = new AbortController();
    this.stop = stop;
    void readStream(stop, (happenings) => this.hear(happenings))
      .catch(() => undefined) // whoever asks is told why
      .finally(() => this.stop === stop && this.lose());
  }

  private end(): void {
    clearTimeout(this.again);
    this.stop?.abort();
    this.stop = null;
    this.isHeard = false;
  }

  private lose(): void {
    this.end();
    this.rouse();
    this.again = setTimeout(() => !document.hidden && this.begin(), this.againMs);
    this.againMs = Math.min(2 * this.againMs, AGAIN_MOST_MS);
  }

  private hear(happenings: Happening[]): void {
    this.isHeard = true;
    this.againMs = AGAIN_MS;
    if (!happenings.length) return;
    this.heard.push(...happenings);
    this.rouse();
  }
}

/** The growth that is told, by target; null: something else happened as well, so ask. */
export function growthOf(happenings: Happening[]): Map<string, GrownEvent> | null {
  const grown = new Map<string, GrownEvent>();
  for (const { event, data } of happenings) {
    if (event !== 'grown') return null;
    const told = JSON.parse(data) as GrownEvent;
    grown.set(told.target, told);
  }
  return grown;
}
