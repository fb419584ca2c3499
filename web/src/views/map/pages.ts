// The pages of one mapping, cell by cell: which are resident, and which of them are private.
import type { MapPages } from '../../api_types';
import { fit } from '../../canvas';
import { add, fill, h, listen } from '../../dom';
import { onTheme, theme } from '../../theme';
import { bytesText, countText, shareText } from '../../units';
import { sectionColor, type Piece } from './words';

const LEAST = 6,
  MOST = 18;

export class PagesPanel {
  readonly element = h('section', { class: 'map-pages', 'aria-label': 'Pages of the mapping' });
  private readonly head = h('div', { class: 'map-pages-head' });
  private readonly frame = h('div', { class: 'map-cells' });
  private readonly canvas = h('canvas', { role: 'img', 'aria-label': 'Cells of pages, in order of address' });
  private readonly facts = h('p', { class: 'hint', 'data-name': 'map-cell' });
  private pages: MapPages | null = null;
  private piece: Piece | null = null;
  private size = LEAST;
  private columns = 1;

  constructor() {
    this.frame.append(this.canvas);
    add(this.element, this.head, this.frame, this.facts);
    listen(this.canvas, {
      pointermove: (event) => this.point(event),
      pointerleave: () => this.say(''),
    });
    new ResizeObserver(() => this.paint()).observe(this.frame);
    onTheme(() => this.paint());
  }

  set(pages: MapPages, piece: Piece): void {
    const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
    const resident = sum(pages.resident),
      ofFile = sum(pages.of_file),
      swapped = sum(pages.swapped);
    this.pages = pages;
    this.piece = piece;
    fill(
      this.head,
      h('h3', {}, `Pages of ${piece.full}`),
      pages.trouble
        ? h('p', { class: 'hint' }, `The pages are not shown: ${pages.trouble}.`)
        : h(
            'p',
            { class: 'hint' },
            h(
              'b',
              { 'data-name': 'map-pages-resident', 'data-value': resident },
              `${bytesText(resident)} resident`,
            ),
            ` of ${bytesText(piece.row.bytes.virtual)}, ${bytesText(resident - ofFile)} of it private`,
            swapped ? `; ${bytesText(swapped)} in swap` : '',
            `. A cell is ${bytesText(pages.cell_bytes)}; ${countText(pages.resident.length)} of them.`,
          ),
    );
    this.frame.hidden = pages.resident.length === 0;
    this.say('');
    this.paint();
  }

  private paint(): void {
    const { pages, piece } = this,
      width = this.frame.clientWidth,
      count = pages?.resident.length ?? 0;
    if (!pages || !piece || width < 20 || count === 0) return;
    const most = width < 560 ? 260 : 230; // px high
    this.size = LEAST;
    for (let size = MOST; size > LEAST; size--)
      if (Math.ceil(count / Math.floor(width / size)) * size <= most) {
        this.size = size;
        break;
      }
    this.columns = Math.max(1, Math.floor(width / this.size));
    const pen = fit(this.canvas, width, Math.ceil(count / this.columns) * this.size);
    const colors = theme(),
      own = sectionColor(colors, piece.section, piece.isOwn),
      side = this.size - 1;
    for (let i = 0; i < count; i++) {
      const x = (i % this.columns) * this.size,
        y = Math.floor(i / this.columns) * this.size;
      const tall = (bytes: number): number =>
        bytes > 0 ? Math.max(1, Math.min(1, bytes / pages.cell_bytes) * side) : 0;
      const ofFile = pages.of_file[i] ?? 0,
        all = tall(pages.resident[i] ?? 0),
        shared = tall(ofFile);
      pen.fillStyle = colors.line;
      pen.fillRect(x, y, side, side);
      pen.fillStyle = own;
      pen.globalAlpha = 0.45;
      pen.fillRect(x, y + side - all, side, shared);
      pen.globalAlpha = 1;
      pen.fillRect(x, y + side - (all - shared), side, Math.max(0, all - shared));
      const gone = tall(pages.swapped[i] ?? 0);
      pen.fillStyle = colors.hit;
      if (gone) pen.fillRect(x, y, side, gone);
    }
  }

  private point(event: PointerEvent): void {
    const { pages } = this;
    if (!pages) return;
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / this.size),
      cell = Math.floor((event.clientY - box.top) / this.size) * this.columns + column;
    if (column >= this.columns || cell >= pages.resident.length) this.say('');
    else {
      const resident = pages.resident[cell] ?? 0;
      this.say(
        `At ${bytesText(cell * pages.cell_bytes)} from the beginning of the mapping: ${bytesText(resident)} of ${bytesText(pages.cell_bytes)} resident (${shareText(resident, pages.cell_bytes)})${pages.swapped[cell] ? `, ${bytesText(pages.swapped[cell] ?? 0)} in swap` : ''}`,
      );
    }
  }

  private say(text: string): void {
    this.facts.textContent = text || 'Point at a cell to see how much of it is resident.';
  }
}
