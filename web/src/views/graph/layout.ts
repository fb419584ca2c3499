// Where the boxes of a call graph go: callers above what they call, by dagre.
//
// What dagre takes grows with the levels that all edges cross together, so it is given each function's heaviest caller,
// which holds the picture together, and of the other calls the heaviest ones that a budget has room for.  The rest is
// drawn as a curve straight from box to box.
import { Graph, layout } from '@dagrejs/dagre';
import type { GraphAnswer, GraphEdge } from '../../api_types';

export interface Box {
  x: number; // of its middle
  y: number;
  width: number;
  height: number;
}

export interface Way {
  edge: GraphEdge;
  points: readonly { x: number; y: number }[];
  isRouted: boolean; // around other boxes
}

export interface Plan {
  width: number;
  height: number;
  boxes: Box[]; // one per node
  ways: Way[]; // one per edge, lightest first
}

const BETWEEN_BOXES = 18,
  BETWEEN_LEVELS = 46,
  LOOP = 22;

/** How far each node is from the outermost, along heaviest callers. */
function levelsOf(count: number, callers: ReadonlyMap<number, GraphEdge>): number[] {
  const levels = new Array<number>(count).fill(-1);
  for (let start = 0; start < count; start++) {
    const path: number[] = [];
    let at: number | undefined = start;
    while (at !== undefined && levels[at] === -1) {
      levels[at] = 0; // whoever comes here again has gone round
      path.push(at);
      at = callers.get(at)?.from;
    }
    let level: number = at === undefined ? -1 : (levels[at] ?? 0);
    for (const node of path.reverse()) levels[node] = ++level;
  }
  return levels;
}

/** The edges that decide where boxes go. */
export function skeletonOf(answer: GraphAnswer): Set<GraphEdge> {
  const callers = new Map<number, GraphEdge>();
  for (const edge of answer.edges)
    if (edge.from !== edge.to && !callers.has(edge.to)) callers.set(edge.to, edge);
  const levels = levelsOf(answer.nodes.length, callers);
  const chosen = new Set(callers.values());
  let budget = answer.nodes.length;
  for (const edge of answer.edges) {
    const span = Math.abs(levels[edge.to]! - levels[edge.from]!);
    if (edge.from === edge.to || chosen.has(edge) || span === 0 || span > budget) continue;
    budget -= span;
    chosen.add(edge);
  }
  return chosen;
}

/** From the lower edge of the caller to the upper one of what it calls; backwards beside both. */
function straight(from: Box, to: Box): { x: number; y: number }[] {
  if (from === to) {
    const right = from.x + from.width / 2;
    return [
      { x: right - 6, y: from.y - from.height / 4 },
      { x: right + LOOP, y: from.y - from.height / 2 },
      { x: right + LOOP, y: from.y + from.height / 2 },
      { x: right, y: from.y + from.height / 4 },
    ];
  }
  const isDown = to.y > from.y;
  const start = { x: from.x, y: from.y + (isDown ? from.height : -from.height) / 2 };
  const end = { x: to.x, y: to.y + (isDown ? -to.height : to.height) / 2 };
  const reach = Math.max(24, Math.abs(end.y - start.y) / 2) * (isDown ? 1 : -1);
  return [start, { x: start.x, y: start.y + reach }, { x: end.x, y: end.y - reach }, end];
}

export function planOf(answer: GraphAnswer, sizes: readonly { width: number; height: number }[]): Plan {
  const graph = new Graph();
  graph.setGraph({
    rankdir: 'TB',
    nodesep: BETWEEN_BOXES,
    ranksep: BETWEEN_LEVELS,
    edgesep: 10,
    marginx: 12,
    marginy: 12,
    ranker: 'tight-tree',
  });
  sizes.forEach((size, i) => graph.setNode(String(i), { ...size }));
  const skeleton = skeletonOf(answer);
  for (const edge of skeleton)
    graph.setEdge(String(edge.from), String(edge.to), { weight: 1 + Math.round(20 * edge.share) });
  layout(graph);
  const boxes = sizes.map((size, i) => {
    const { x, y } = graph.node(String(i)) as { x: number; y: number };
    return { x, y, ...size };
  });
  const ways = answer.edges.map((edge): Way => {
    const routed = skeleton.has(edge)
      ? (graph.edge(String(edge.from), String(edge.to)) as { points?: { x: number; y: number }[] }).points
      : undefined;
    return {
      edge,
      points: routed ?? straight(boxes[edge.from]!, boxes[edge.to]!),
      isRouted: routed !== undefined,
    };
  });
  const whole = graph.graph() as { width?: number; height?: number };
  return {
    width: (whole.width ?? 0) + LOOP,
    height: whole.height ?? 0,
    boxes,
    ways: ways.reverse(),
  };
}
