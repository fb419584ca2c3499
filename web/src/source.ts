// Answers, each asked for once as long as the recording has not grown.
import { ask, questionText, type Parameters } from './client';

const KEPT_MOST = 24;

export class Source {
  private readonly kept = new Map<string, Promise<unknown>>();

  get<T>(path: string, parameters: Parameters): Promise<T> {
    const key = questionText(path, parameters);
    const known = this.kept.get(key);
    if (known) return known as Promise<T>;
    const answer = ask<T>(path, parameters);
    this.kept.set(key, answer);
    answer.catch(() => this.kept.get(key) === answer && this.kept.delete(key));
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT_MOST) break;
      this.kept.delete(oldest);
    }
    return answer;
  }

  forget(): void {
    this.kept.clear();
  }
}
