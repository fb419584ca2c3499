// Where each mapping is drawn: along a strip that runs on line by line, in order of address; or in a treemap, by resident size.
import type { Piece } from './words';

export interface Box {
  piece: number; // place among the pieces
  x: number;
  y: number;
  width: number;
  height: number;
  isWhole: boolean; // it does not go on in another line
}

export interface Gap {
  x: number;
  y: number;
  width: number;
  bytes: number | null;
}

export interface Layout {
  width: number;
  height: number;
  boxes: Box[];
  gaps: Gap[];
}

export const LINE = 46;
const BETWEEN = 8,
  LEAST = 3,
  NARROW = 5,
  WIDE = 54,
  FAR = 2 ** 30,
  KERNEL = 2 ** 57, // beyond are no addresses of programs
  PAGE = 4096;

/** Between the true size, in which nothing but holes is seen, and all alike: a mapping of a thousand times the size is ten times as long. */
function lengthOf(bytes: number): number {
  return Math.cbrt(Math.max(1, bytes / PAGE));
}

function gapWidth(bytes: number | null): number {
  return bytes === 0 ? 0 : bytes !== null && bytes >= FAR && bytes < KERNEL ? WIDE : NARROW;
}

export function stripOf(pieces: readonly Piece[], width: number): Layout {
  const lines = width < 560 ? 9 : 7;
  const length = pieces.reduce((sum, { row }) => sum + lengthOf(row.bytes.virtual), 0);
  const fixed = pieces.reduce((sum, { row }) => sum + gapWidth(row.gap) + LEAST, 0);
  const scale = Math.min(26, Math.max(0.05, (lines * width - fixed) / Math.max(1, length)));
  const layout: Layout = { width, height: 0, boxes: [], gaps: [] };
  let x = 0,
    y = 0;
  const nextLine = (): void => {
    x = 0;
    y += LINE + BETWEEN;
  };
  pieces.forEach(({ row }, piece) => {
    const gap = piece > 0 ? gapWidth(row.gap) : 0;
    if (gap > 0) {
      if (x + gap + LEAST > width) nextLine();
      else {
        layout.gaps.push({ x, y, width: gap, bytes: row.gap });
        x += gap;
      }
    }
    let left = LEAST + lengthOf(row.bytes.virtual) * scale;
    const isWhole = x + left <= width;
    while (left > 0.5) {
      if (width - x < LEAST) nextLine();
      const part = Math.min(left, width - x);
      layout.boxes.push({ piece, x, y, width: part, height: LINE, isWhole });
      x += part;
      left -= part;
    }
  });
  layout.height = y + LINE;
  return layout;
}

interface Room {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The worst proportion of a side of rectangles of these sizes, laid along a side of this length. */
function worst(sizes: readonly number[], side: number): number {
  const sum = sizes.reduce((all, size) => all + size, 0);
  const most = Math.max(...sizes),
    least = Math.min(...sizes);
  return Math.max((side * side * most) / (sum * sum), (sum * sum) / (side * side * least));
}

/** Squarified: rectangles as near to squares as can be, the largest first. */
export function treemapOf(pieces: readonly Piece[], width: number): Layout {
  const height = Math.max(260, Math.min(460, width * 0.5));
  const layout: Layout = { width, height, boxes: [], gaps: [] };
  const all = pieces
    .map(({ row }, piece) => ({ piece, bytes: row.bytes.rss }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  const items = all.map(({ piece, bytes }) => ({ piece, area: (bytes / total) * width * height }));
  let room: Room = { x: 0, y: 0, width, height };
  for (let at = 0; at < items.length;) {
    const side = Math.max(0.001, Math.min(room.width, room.height));
    let end = at + 1;
    const sizes = [items[at]!.area];
    while (end < items.length) {
      const more = [...sizes, items[end]!.area];
      if (worst(more, side) > worst(sizes, side)) break;
      sizes.push(items[end]!.area);
      end++;
    }
    room = layRow(layout, items.slice(at, end), room);
    at = end;
  }
  return layout;
}

function layRow(layout: Layout, items: readonly { piece: number; area: number }[], room: Room): Room {
  const sum = items.reduce((all, { area }) => all + area, 0);
  const isTall = room.width >= room.height; // a column at the left, else a row at the top
  const depth = sum / Math.max(0.001, isTall ? room.height : room.width);
  let at = 0;
  for (const { piece, area } of items) {
    const length = area / Math.max(0.001, depth);
    layout.boxes.push(
      isTall
        ? { piece, x: room.x, y: room.y + at, width: depth, height: length, isWhole: true }
        : { piece, x: room.x + at, y: room.y, width: length, height: depth, isWhole: true },
    );
    at += length;
  }
  return isTall
    ? { ...room, x: room.x + depth, width: Math.max(0, room.width - depth) }
    : { ...room, y: room.y + depth, height: Math.max(0, room.height - depth) };
}

export function boxAt(layout: Layout, x: number, y: number): Box | null {
  return (
    layout.boxes.find((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) ??
    null
  );
}
