// Asks what all views would ask for the selection, and keeps it.
import type { Targets } from '../api_types';
import { ask, questionText, type Parameters } from '../client';
import type { Part, Scene } from '../scene';
import { groupings, type Selection } from '../selection';
import { Source } from '../source';
import { viewNames, type View } from '../views/list';
import type { Saved } from './island';

/** Hears what is asked. */
export class Listener extends Source {
  readonly asked = new Map<string, Promise<unknown>>();

  constructor(private readonly inner: Source) {
    super();
  }

  override get<T>(path: string, parameters: Parameters): Promise<T> {
    const answer = this.inner.get<T>(path, parameters);
    this.asked.set(questionText(path, parameters), answer);
    return answer;
  }

  async answers(): Promise<Saved[]> {
    return Promise.all(
      [...this.asked].map(([question, answer]) =>
        answer.then(
          (said): Saved => [question, said],
          (error: unknown): Saved => [question, null, error instanceof Error ? error.message : String(error)],
        ),
      ),
    );
  }
}

/** What all parts of the page are, to whoever saves them. */
export interface Host {
  part(view: View): Part;
  always: readonly ((scene: Scene) => Promise<void>)[]; // what is shown whatever the view is
  again(): void; // shows everything as it was
}

/** Only what the file will hold can be chosen in it, and nothing goes on. */
function ended(targets: Targets, scene: Scene): Targets {
  return {
    ...targets,
    targets: targets.targets.map((target) => ({
      ...target,
      running: false,
      recording: target.recording === 'none' ? 'none' : 'ended',
      metrics:
        target.id === scene.target.id ? [scene.metric, ...scene.selection.beside] : (target.metrics ?? []),
    })),
  };
}

export async function collect(
  host: Host,
  scene: Scene,
  tell: (done: number, all: number) => void,
): Promise<Saved[]> {
  const source = new Listener(scene.source);
  const shows: (() => Promise<void>)[] = host.always.map((show) => () => show({ ...scene, source }));
  const add = (part: Partial<Selection> & { view: View }): unknown =>
    shows.push(() =>
      host.part(part.view).show({ ...scene, source, selection: { ...scene.selection, ...part } }),
    );
  for (const view of viewNames)
    if (view === 'functions') for (const by of groupings) add({ view, by });
    else add({ view });
  let done = 0;
  for (const show of shows) {
    tell(done++, shows.length);
    await show().catch(() => undefined); // what was said is kept, and said again
  }
  const targets: Saved = ['api/targets', ended(await ask<Targets>('api/targets'), scene)];
  const answers = [targets, ...(await source.answers())];
  host.again();
  return answers;
}
