// Answers that lie in the document itself: a page that was saved needs no server.

/** A question and its answer; or the sentence that it was refused with. */
export type Saved = [question: string, answer: unknown, refusal?: string];

export interface Island {
  selection: string; // as in an address
  saved_unix_ns: number;
  answers: Saved[];
}

export const ISLAND = 'saved-answers',
  SCRIPT = 'page-script',
  STYLE = 'page-style';

let read: { island: Island; answers: Map<string, Saved> } | null | undefined;

function reading(): typeof read {
  if (read !== undefined) return read;
  const text = document.getElementById(ISLAND)?.textContent;
  const island = text ? (JSON.parse(text) as Island) : null;
  read = island && { island, answers: new Map(island.answers.map((one) => [one[0], one])) };
  return read;
}

/** null: there is a server to ask. */
export function island(): Island | null {
  return reading()?.island ?? null;
}

export function savedAnswer(question: string): Saved | undefined {
  return reading()?.answers.get(question);
}
