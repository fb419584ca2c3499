// Draws a layout of mappings: each is filled as far as it is resident, in the colour of whose it is.
import { SANS } from '../../canvas';
import type { Pen } from '../../export/seen';
import type { Theme } from '../../theme';
import { bytesText } from '../../units';
import type { Box, Gap, Layout } from './layout';
import { privateBytes, sectionColor, type Piece } from './words';

export interface Look {
  isTreemap: boolean;
  finds: ((name: string) => boolean) | null;
}

function isFound(piece: Piece, look: Look): boolean {
  return !look.finds || look.finds(piece.full) || look.finds(piece.label) || look.finds(piece.title);
}

/** Private pages at the bottom, shared ones above, swapped ones at the top. */
function paintFill(pen: Pen, box: Box, piece: Piece, colors: Theme): void {
  const { bytes } = piece.row,
    whole = Math.max(1, bytes.virtual);
  const tall = (part: number): number =>
    part > 0 ? Math.max(2, (Math.min(1, part / whole) * (box.height - 2)) | 0) : 0;
  const own = tall(privateBytes(piece.row)),
    shared = tall(bytes.rss - privateBytes(piece.row)),
    swapped = tall(bytes.swap ?? 0);
  const x = box.x + 1,
    width = Math.max(1, box.width - 2),
    bottom = box.y + box.height - 1;
  pen.fillStyle = sectionColor(colors, piece.section, piece.isOwn);
  pen.fillRect(x, bottom - own, width, own);
  pen.globalAlpha *= 0.45;
  pen.fillRect(x, Math.max(box.y + 1, bottom - own - shared), width, shared);
  pen.globalAlpha /= 0.45;
  pen.fillStyle = colors.hit;
  pen.fillRect(x, box.y + 1, width, swapped);
}

function cut(pen: Pen, text: string, room: number): string {
  if (pen.measureText(text).width <= room) return text;
  let length = text.length;
  while (length > 1 && pen.measureText(`${text.slice(0, length)}…`).width > room) length--;
  return length > 1 ? `${text.slice(0, length)}…` : '';
}

function paintWords(pen: Pen, box: Box, piece: Piece, colors: Theme): void {
  const room = box.width - 12;
  if (room < 26 || box.height < 18) return;
  pen.font = `600 11px ${SANS}`;
  pen.textBaseline = 'top';
  pen.textAlign = 'left';
  const name = cut(pen, piece.name, room);
  if (!name) return;
  const size = box.height >= 34 ? cut(pen, bytesText(piece.row.bytes.rss), room) : '';
  const wide = Math.max(pen.measureText(name).width, pen.measureText(size).width);
  const alpha = pen.globalAlpha;
  pen.globalAlpha = alpha * 0.86;
  pen.fillStyle = colors.surface;
  pen.fillRect(box.x + 3, box.y + 3, wide + 6, size ? 29 : 16);
  pen.globalAlpha = alpha;
  pen.fillStyle = colors.text;
  pen.fillText(name, box.x + 6, box.y + 5);
  pen.font = `11px ${SANS}`;
  pen.fillStyle = colors.soft;
  if (size) pen.fillText(size, box.x + 6, box.y + 18);
}

function paintBox(pen: Pen, box: Box, piece: Piece, look: Look, colors: Theme): void {
  const color = sectionColor(colors, piece.section, piece.isOwn);
  pen.globalAlpha = isFound(piece, look) ? 1 : 0.2;
  if (look.isTreemap) {
    pen.fillStyle = color;
    pen.fillRect(box.x + 0.5, box.y + 0.5, Math.max(0.5, box.width - 1), Math.max(0.5, box.height - 1));
  } else {
    pen.fillStyle = colors.line;
    pen.fillRect(box.x, box.y, Math.max(1, box.width - 0.6), box.height);
    paintFill(pen, box, piece, colors);
    pen.fillStyle = color;
    pen.fillRect(box.x, box.y + box.height - 1, Math.max(1, box.width - 0.6), 1);
  }
  paintWords(pen, box, piece, colors);
  pen.globalAlpha = 1;
}

/** What is not mapped: a line that does not pretend to be as long as it is. */
function paintGap(pen: Pen, gap: Gap, height: number, colors: Theme): void {
  const middle = Math.round(gap.y + height / 2) + 0.5;
  pen.strokeStyle = colors.faint;
  pen.lineWidth = 1;
  pen.setLineDash([2, 3]);
  pen.beginPath();
  pen.moveTo(gap.x + 1, middle);
  pen.lineTo(gap.x + gap.width - 1, middle);
  pen.stroke();
  pen.setLineDash([]);
  if (gap.width < 30 || gap.bytes === null) return;
  pen.font = `10.5px ${SANS}`;
  pen.textAlign = 'center';
  pen.textBaseline = 'bottom';
  pen.fillStyle = colors.faint;
  pen.fillText(bytesText(gap.bytes), gap.x + gap.width / 2, middle - 3);
}

export function paintMap(
  pen: Pen,
  layout: Layout,
  pieces: readonly Piece[],
  look: Look,
  colors: Theme,
  lineHeight: number,
): void {
  for (const gap of layout.gaps) paintGap(pen, gap, lineHeight, colors);
  for (const box of layout.boxes) {
    const piece = pieces[box.piece];
    if (piece) paintBox(pen, box, piece, look, colors);
  }
}
