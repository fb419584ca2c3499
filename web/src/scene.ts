// What a view is given: the selection, what it is of, and where to ask.
import type { Target } from './api_types';
import type { Parameters } from './client';
import type { Picture, Table } from './export/seen';
import { questionOfSelection, type Selection } from './selection';
import type { Source } from './source';

export interface Scene {
  readonly selection: Selection;
  readonly target: Target;
  readonly targets: readonly Target[]; // all that is served
  readonly metric: string;
  readonly source: Source;
  change(part: Partial<Selection>, how?: 'step' | 'replace'): void;
}

export interface Part {
  readonly element: HTMLElement;
  /** Resolves when all is shown.  Throws what the server said; what is shown by then stays. */
  show(scene: Scene): Promise<void>;
  /** What is seen, for a file.  null: nothing yet. */
  asPicture?(): Picture | null;
  asTable?(): Table | null;
  /** Keys that nobody else took. */
  key?(event: KeyboardEvent): boolean;
}

/** Which target a question is about; nothing when there is only one. */
export function whose(scene: Scene): Parameters {
  return { target: scene.targets.length > 1 ? scene.target.id : null };
}

/** The question whose answer has all but rows: sums, quality, histograms. */
export function headOf(scene: Scene): Parameters {
  return { ...questionOf(scene), by: 'function', top: 0 };
}

export function questionOf(scene: Scene, metric = scene.metric): Parameters {
  return { ...whose(scene), metric, ...questionOfSelection(scene.selection) };
}
