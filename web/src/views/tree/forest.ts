// A call tree with a value for every metric, from what the server says: top-down, or bottom-up.
import type { FlameAnswer, Sides } from '../../api_types';
import { frameTable } from '../flame/layout';
import { metricsOf, type Cell, type Sum } from '../../rows';
import { questionOf, type Scene } from '../../scene';

export interface Node {
  id: number;
  name: string;
  module: string;
  depth: number;
  path: string; // what stays the same when the recording grows
  children: Node[];
  cells: Cell[];
}

export interface Forest {
  sums: Sum[];
  root: Node;
}

export async function loadForest(scene: Scene): Promise<Forest> {
  const metrics = metricsOf(scene);
  return metrics.length > 1
    ? turned(
        fromSides(
          await scene.source.get<Sides>('api/report', {
            ...questionOf(scene, metrics.join(',')),
            'top-down': 'true',
          }),
        ),
        scene.selection.callers,
      )
    : fromFlame(
        await scene.source.get<FlameAnswer>('api/flame', {
          ...questionOf(scene),
          frames: scene.selection.frames,
          ways: 'one',
          reverse: scene.selection.callers ? 'true' : null,
        }),
        scene.metric,
        scene.selection.callers,
      );
}

function fromSides(sides: Sides): Forest {
  const nodes = new Map<number, Node>();
  for (const one of sides.tree ?? []) {
    const above = one.parent === null ? undefined : nodes.get(one.parent);
    const node: Node = {
      id: one.id,
      name: one.function || '[no name]',
      module: one.module,
      depth: above ? above.depth + 1 : 0,
      children: [],
      path: above ? `${above.path}\0${one.function}` : '',
      cells: one.values.map((value) => ({
        self: value.value,
        count: value.count,
        total: value.total_value,
        totalCount: value.total_count,
      })),
    };
    above?.children.push(node);
    nodes.set(one.id, node);
  }
  return { sums: sides.metrics, root: nodes.get(0) ?? emptyRoot() };
}

/** The same bottom-up: beneath each function those who called it, as far as what it has itself came that way. */
function turned(forest: Forest, callers: boolean): Forest {
  if (!callers) return forest;
  const count = forest.sums.length,
    root: Node = { ...forest.root, children: [], cells: forest.root.cells.map((cell) => ({ ...cell })) };
  const above = new Map<Node, Node>(),
    beneath = new Map<Node, Map<string, Node>>();
  const waiting = [forest.root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    for (const child of node.children) above.set(child, node);
    waiting.push(...node.children);
    if (node === forest.root || !node.cells.some((cell) => cell.self || cell.count)) continue;
    let into = root;
    for (let at: Node | undefined = node; at && at !== forest.root; at = above.get(at)) {
      into = childOf(into, at, beneath, count);
      into.cells.forEach((cell, i) => {
        cell.total += node!.cells[i]!.self;
        cell.totalCount += node!.cells[i]!.count;
      });
    }
  }
  for (const node of [root, ...[...beneath.values()].flatMap((map) => [...map.values()])])
    node.children.sort((a, b) => Math.abs(b.cells[0]!.total) - Math.abs(a.cells[0]!.total));
  return { ...forest, root };
}

function childOf(node: Node, like: Node, beneath: Map<Node, Map<string, Node>>, count: number): Node {
  let known = beneath.get(node);
  if (!known) beneath.set(node, (known = new Map<string, Node>()));
  const key = `${like.name}\0${like.module}`;
  let child = known.get(key);
  if (!child) {
    child = {
      id: -1,
      name: like.name,
      module: like.module,
      depth: node.depth + 1,
      path: `${node.path}\0${like.name}`,
      children: [],
      cells: Array.from({ length: count }, () => ({ self: 0, count: 0, total: 0, totalCount: 0 })),
    };
    known.set(key, child);
    node.children.push(child);
  }
  return child;
}

function emptyRoot(): Node {
  return {
    id: 0,
    name: 'all',
    module: '',
    depth: 0,
    path: '',
    children: [],
    cells: [{ self: 0, count: 0, total: 0, totalCount: 0 }],
  };
}

function fromFlame(answer: FlameAnswer, metric: string, callers: boolean): Forest {
  const frames = frameTable(answer),
    list = answer.trees[callers ? 1 : 0]?.nodes ?? [];
  const last: Node[] = [];
  for (let i = 0; i + 3 < list.length; i += 4) {
    const frame = list[i]!,
      depth = list[i + 1]!,
      value = list[i + 2]!,
      count = list[i + 3]!;
    const name = i === 0 ? 'all' : frame < 0 ? `${-frame} smaller` : frames.name(frame) || '[no name]';
    const above = last[depth - 1];
    const node: Node = {
      id: i / 4,
      name,
      module: frame > 0 ? frames.module(frame) : '',
      depth,
      path: above ? `${above.path}\0${name}` : '',
      children: [],
      cells: [{ self: value, count, total: value, totalCount: count }],
    };
    if (above) {
      above.children.push(node);
      above.cells[0]!.self -= value;
      above.cells[0]!.count -= count;
    }
    last[depth] = node;
  }
  return { sums: [{ metric, unit: answer.unit, value: answer.total }], root: last[0] ?? emptyRoot() };
}
