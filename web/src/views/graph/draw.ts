// Draws a call graph as SVG: boxes whose colour tells what a function has itself, arrows as wide as what comes along them.
// Colours are attributes, so that the drawing is the same as a file.
import type { GraphAnswer, GraphEdge, GraphNode } from '../../api_types';
import { MONO, SANS } from '../../canvas';
import { svg } from '../../dom';
import { heatColor } from '../../heat_colors';
import { theme } from '../../theme';
import { baseName, shareText, valueText } from '../../units';
import type { Plan, Way } from './layout';

const NAME = 12.5,
  NUMBER = 11,
  LETTERS = 30,
  WIDE = 0.602; // of a letter of the monospaced font, in its size

/** Long names keep both ends, which is where they differ. */
export function shortName(name: string, most = LETTERS): string {
  if (name.length <= most) return name;
  const tail = Math.ceil((most - 1) * 0.6);
  return `${name.slice(0, most - 1 - tail)}…${name.slice(name.length - tail)}`;
}

export function nameOf(node: GraphNode, by: GraphAnswer['by']): string {
  if (by === 'module') return baseName(node.module) || '[no file]';
  const name = node.function || '[no name]';
  return by === 'line' && node.line ? `${name}:${node.line}` : name;
}

function linesOf(node: GraphNode, answer: GraphAnswer): { name: string; total: string; self: string } {
  const signs = [node.recursive ? '↻' : '', node.cycle ? `cycle ${node.cycle}` : ''].filter(Boolean);
  return {
    name: shortName(nameOf(node, answer.by)),
    total: [`${shareText(node.total, answer.whole)} · ${valueText(node.total, answer.unit)}`, ...signs].join(
      ' · ',
    ),
    self: node.self
      ? `self ${shareText(node.self, answer.whole)} · ${valueText(node.self, answer.unit)}`
      : '',
  };
}

export function sizesOf(answer: GraphAnswer): { width: number; height: number }[] {
  return answer.nodes.map((node) => {
    const lines = linesOf(node, answer);
    const letters = Math.max(
      lines.name.length * NAME,
      lines.total.length * NUMBER * 0.95,
      lines.self.length * NUMBER * 0.95,
    );
    return { width: Math.max(92, Math.ceil(letters * WIDE) + 22), height: lines.self ? 56 : 42 };
  });
}

function drawNode(node: GraphNode, answer: GraphAnswer, plan: Plan, place: number): SVGGElement {
  const box = plan.boxes[place]!,
    colors = theme(),
    lines = linesOf(node, answer);
  const most = mostSelf(answer);
  const { fill, text } = heatColor(
    most ? (0.06 + (0.94 * Math.abs(node.self)) / most) * (node.self ? 1 : 0) : 0,
  );
  const isFocus = answer.focus !== null && node.function === answer.focus;
  const write = (content: string, y: number, size: number, weight: number, opacity = 1): SVGTextElement =>
    svg(
      'text',
      {
        x: 0,
        y,
        'text-anchor': 'middle',
        'font-size': size,
        'font-weight': weight,
        'font-family': size === NAME ? MONO : SANS,
        fill: text,
        'fill-opacity': opacity === 1 ? null : opacity,
      },
      content,
    );
  const top = -box.height / 2;
  return svg(
    'g',
    {
      class: 'node',
      transform: `translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`,
      'data-node': place,
      'data-name': node.function,
      'data-value': node.total,
      'data-self': node.self,
      'data-count': node.total_count,
    },
    svg('rect', {
      x: -box.width / 2,
      y: top,
      width: box.width,
      height: box.height,
      rx: 7,
      fill,
      stroke: isFocus ? colors.accent : colors.faint,
      'stroke-width': isFocus ? 3 : 1,
      'stroke-dasharray': node.total < 0 ? '5 3' : null,
    }),
    write(lines.name, top + 18, NAME, 600),
    write(lines.total, top + 33, NUMBER, 400),
    lines.self ? write(lines.self, top + 48, NUMBER, 400, 0.85) : null,
  );
}

let known: { answer: GraphAnswer; most: number } | null = null;
function mostSelf(answer: GraphAnswer): number {
  if (known?.answer !== answer)
    known = { answer, most: answer.nodes.reduce((most, node) => Math.max(most, Math.abs(node.self)), 0) };
  return known.most;
}

/** Smooth through the points: dagre's are corners of where an edge may go. */
function pathOf({ points, isRouted }: Way): string {
  const text = (at: { x: number; y: number }): string => `${at.x.toFixed(1)} ${at.y.toFixed(1)}`;
  const first = points[0]!,
    last = points[points.length - 1]!;
  if (!isRouted && points.length === 4)
    return `M${text(first)}C${text(points[1]!)} ${text(points[2]!)} ${text(last)}`;
  let path = `M${text(first)}`;
  for (let i = 1; i < points.length - 1; i++) {
    const corner = points[i]!,
      next = points[i + 1]!;
    const end = i + 2 === points.length ? next : { x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 };
    path += `Q${text(corner)} ${text(end)}`;
  }
  return points.length === 2 ? `${path}L${text(last)}` : path;
}

export function edgeWidth(share: number): number {
  return 1 + 7 * Math.min(1, share);
}

function drawEdge(way: Way, answer: GraphAnswer): SVGGElement {
  const { edge, points } = way;
  const color = heatColor(0.28 + 0.5 * Math.sqrt(edge.share)).fill,
    width = edgeWidth(edge.share);
  const end = points[points.length - 1]!,
    before = points[points.length - 2]!;
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  const head = 5 + width;
  return svg(
    'g',
    {
      class: 'edge',
      'data-from': edge.from,
      'data-to': edge.to,
      'data-name': `${answer.nodes[edge.from]!.function} → ${answer.nodes[edge.to]!.function}`,
      'data-value': edge.value,
    },
    svg('path', {
      d: pathOf(way),
      fill: 'none',
      stroke: color,
      'stroke-width': width.toFixed(2),
      'stroke-dasharray': edge.indirect ? '6 4' : null,
    }),
    svg('path', {
      d: `M0 0L${-head} ${-head * 0.45}L${-head} ${head * 0.45}Z`,
      fill: color,
      transform: `translate(${end.x.toFixed(1)} ${end.y.toFixed(1)}) rotate(${angle.toFixed(1)})`,
    }),
  );
}

/** The numbers of heavy calls stand beside their arrows. */
function labelOf(way: Way, answer: GraphAnswer): SVGTextElement | null {
  const { edge, points } = way;
  if (edge.share < 0.01) return null;
  const half = (points.length - 1) / 2,
    middle = points[Math.floor(half)]!,
    next = points[Math.ceil(half)]!;
  const colors = theme();
  return svg(
    'text',
    {
      x: ((middle.x + next.x) / 2 + edgeWidth(edge.share) / 2 + 4).toFixed(1),
      y: ((middle.y + next.y) / 2 + 3).toFixed(1),
      'font-size': 10.5,
      'font-family': SANS,
      fill: colors.soft,
      stroke: colors.surface,
      'stroke-width': 3,
      'stroke-linejoin': 'round',
      'paint-order': 'stroke',
      class: 'edge-label',
      'data-from': edge.from,
      'data-to': edge.to,
    },
    shareText(edge.value, answer.whole),
  );
}

export interface Drawing {
  nodes: SVGGElement[]; // by place
  edges: { edge: GraphEdge; element: SVGGElement; label: SVGTextElement | null }[];
}

export function drawGraph(into: SVGGElement, answer: GraphAnswer, plan: Plan): Drawing {
  const edges = plan.ways.map((way) => ({
    edge: way.edge,
    element: drawEdge(way, answer),
    label: labelOf(way, answer),
  }));
  const nodes = answer.nodes.map((node, i) => drawNode(node, answer, plan, i));
  into.replaceChildren(
    ...edges.map((one) => one.element),
    ...nodes,
    ...edges.flatMap((one) => (one.label ? [one.label] : [])),
  );
  return { nodes, edges };
}
