// Nodes as lines of a table: sorted, found, in groups of one role with their sums.
import type { NodeRow, Nodes, NodeSummary } from '../../api_types';
import { finderOf } from '../../finder';
import type { Selection } from '../../selection';

export interface Curve {
  times: readonly number[]; // ns
  values: readonly (number | null)[]; // null: a gap
}

export interface Line {
  name: string;
  role: string;
  members: readonly NodeRow[];
  node: NodeRow | null; // null: a group
  curve: Curve;
  numbers: ReadonlyMap<string, number>; // by column of the table; what is not known is not there
}

const nothing: NodeSummary = {
  points: 0,
  first: null,
  last: null,
  max: null,
  change: null,
  growth: {
    verdict: 'unknown',
    bytes_per_second: 0,
    bytes_per_second_low: 0,
    bytes_per_second_high: 0,
    confidence: 0,
  },
};

export function summaryOf(node: NodeRow, column: string | null): NodeSummary {
  return (column !== null && node.summary[column]) || nothing;
}

function curveOf(answer: Nodes, node: NodeRow): Curve {
  return { times: node.times_ns ?? answer.times_ns ?? [], values: node.values ?? [] };
}

/** What several have together.  While one is not seen it counts with what it had last. */
function sumOf(curves: readonly Curve[]): Curve {
  const times = curves[0]?.times ?? [];
  const last = curves.map(() => 0);
  return {
    times,
    values: times.map((_, i) => {
      curves.forEach((curve, one) => (last[one] = curve.values[i] ?? last[one]!));
      return curves.some((curve) => (curve.values[i] ?? null) !== null)
        ? last.reduce((sum, value) => sum + value, 0)
        : null;
    }),
  };
}

/** Columns with numbers, of one node. */
function numbersOf(answer: Nodes, node: NodeRow): Map<string, number> {
  const numbers = new Map<string, number>();
  const put = (name: string, value: number | null): void => {
    if (value !== null) numbers.set(name, value);
  };
  const { last, max, change, growth } = summaryOf(node, answer.column);
  put('last', last);
  put('max', max);
  put('change', change);
  if (growth.verdict !== 'unknown') put('growth', growth.bytes_per_second);
  for (const column of answer.columns) put(`of-${column}`, summaryOf(node, column).last);
  put('height', node.height);
  put('lag', node.lag);
  put('gaps', node.missing + node.gaps);
  return numbers;
}

const isSummed = (name: string): boolean => name !== 'height' && name !== 'lag' && name !== 'max';

function groupOf(role: string, lines: readonly Line[]): Line {
  const numbers = new Map<string, number>();
  for (const line of lines)
    for (const [name, value] of line.numbers)
      if (isSummed(name)) numbers.set(name, (numbers.get(name) ?? 0) + value);
  return {
    name: role,
    role,
    members: lines.flatMap((line) => line.members),
    node: null,
    curve: sumOf(lines.map((line) => line.curve)),
    numbers,
  };
}

const inOrder = new Intl.Collator('en', { numeric: true });

/** The most first; names from a to z. */
function sorter(sort: string): (a: Line, b: Line) => number {
  const byName = (a: Line, b: Line): number => inOrder.compare(a.name, b.name);
  if (sort === 'name') return byName;
  if (sort === 'role') return (a, b) => inOrder.compare(a.role, b.role) || byName(a, b);
  const of = (line: Line): number => line.numbers.get(sort) ?? -Infinity;
  return (a, b) => (of(a) === of(b) ? byName(a, b) : of(b) - of(a));
}

export function rolesOf(answer: Nodes): string[] {
  return [...new Set(answer.nodes.map((node) => node.role))];
}

/** In the order of the table: nodes, below the group that they are in if there are several roles. */
export function linesOf(answer: Nodes, selection: Selection, sort: string): Line[] {
  const finds = finderOf(selection.find);
  const lines = answer.nodes
    .filter((node) => !finds || [node.name, node.nick, node.role, node.class].some(finds))
    .map((node): Line => ({
      name: node.name,
      role: node.role,
      members: [node],
      node,
      curve: curveOf(answer, node),
      numbers: numbersOf(answer, node),
    }))
    .sort(sorter(sort));
  if (selection.alone || answer.run === null || rolesOf(answer).length < 2) return lines;
  const groups = [...new Set(lines.map((line) => line.role))].map((role) => {
    const members = lines.filter((line) => line.role === role);
    return { group: groupOf(role, members), members };
  });
  const compare = sorter(sort);
  return groups
    .sort((a, b) => compare(a.group, b.group))
    .flatMap(({ group, members }) => [group, ...members]);
}
