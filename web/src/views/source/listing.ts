// The lines of a file as rows of a table: its text with what each line costs, or, without the text, the lines that cost something.
import type { SourceAnswer, SourceLine } from '../../api_types';

export interface CodeLine {
  line: number; // 0: a stretch that is left out, or a cost without its line
  text: string;
  cost: SourceLine | null;
  hidden: number; // lines that this row stands for
}

const AROUND = 3;

/** Whole, or only what is near a line with a cost. */
export function listingOf(answer: SourceAnswer, isFolded: boolean): CodeLine[] {
  const costs = new Map(answer.lines.map((line) => [line.line, line]));
  const nowhere = costs.get(0);
  const first: CodeLine[] = nowhere ? [{ line: 0, text: 'at unknown lines', cost: nowhere, hidden: 0 }] : [];
  if (answer.text === null)
    return [
      ...first,
      ...answer.lines
        .filter((line) => line.line > 0)
        .map((line) => ({ line: line.line, text: wordsOf(line), cost: line, hidden: 0 })),
    ];
  const texts = answer.text.split(/\r\n|\n/);
  if (texts[texts.length - 1] === '') texts.pop();
  const last = answer.lines.reduce((most, line) => Math.max(most, line.line), 0);
  while (texts.length < last) texts.push('');
  const all = texts.map((text, i) => ({ line: i + 1, text, cost: costs.get(i + 1) ?? null, hidden: 0 }));
  return [...first, ...(isFolded ? fold(all) : all)];
}

export function wordsOf(line: SourceLine): string {
  return line.functions > 1 ? `${line.function} and ${line.functions - 1} more` : line.function;
}

function fold(all: readonly CodeLine[]): CodeLine[] {
  const near = new Uint8Array(all.length);
  all.forEach((line, i) => {
    if (line.cost) near.fill(1, Math.max(0, i - AROUND), i + AROUND + 1);
  });
  const kept: CodeLine[] = [];
  all.forEach((line, i) => {
    const before = kept[kept.length - 1];
    if (near[i]) kept.push(line);
    else if (before?.hidden) before.hidden++;
    else kept.push({ line: 0, text: '', cost: null, hidden: 1 });
  });
  return kept;
}

/** How many lines the recording names that the file does not have: it is another one, then. */
export function isTooShort(answer: SourceAnswer): boolean {
  if (answer.text === null) return false;
  const count = answer.text.split('\n').length - (answer.text.endsWith('\n') ? 1 : 0);
  return answer.lines.some((line) => line.line > count);
}
