// Steps through a call graph, by keys.
import type { GraphAnswer } from '../../api_types';
import type { Plan } from './layout';

export interface Neighbours {
  callers: number[]; // heaviest first
  callees: number[];
}

export function neighboursOf(answer: GraphAnswer): Neighbours[] {
  const all = answer.nodes.map((): Neighbours => ({ callers: [], callees: [] }));
  for (const edge of answer.edges) {
    if (edge.from === edge.to) continue;
    all[edge.from]!.callees.push(edge.to);
    all[edge.to]!.callers.push(edge.from);
  }
  return all;
}

/** Where to begin: the heaviest that nobody calls. */
export function outermost(neighbours: readonly Neighbours[]): number {
  return Math.max(
    0,
    neighbours.findIndex(({ callers }) => callers.length === 0),
  );
}

/** The next box to the left or right among those that stand as high. */
function beside(plan: Plan, at: number, step: 1 | -1): number {
  const here = plan.boxes[at]!;
  let next = at,
    least = Infinity;
  plan.boxes.forEach((box, i) => {
    const away = (box.x - here.x) * step;
    if (i !== at && Math.abs(box.y - here.y) < here.height && away > 0 && away < least) {
      next = i;
      least = away;
    }
  });
  return next;
}

/** Where a key leads from `at`: down and up along the heaviest call, left and right to what stands beside it. */
export function stepFrom(
  at: number,
  key: string,
  plan: Plan,
  neighbours: readonly Neighbours[],
): number | null {
  switch (key) {
    case 'ArrowDown':
      return neighbours[at]?.callees[0] ?? at;
    case 'ArrowUp':
      return neighbours[at]?.callers[0] ?? at;
    case 'ArrowLeft':
      return beside(plan, at, -1);
    case 'ArrowRight':
      return beside(plan, at, 1);
    case 'Home':
      return outermost(neighbours);
    default:
      return null;
  }
}
