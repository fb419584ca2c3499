// The address space as a map: mappings in order of address, filled as far as they are resident.
import type { AddressMap, MapRow } from '../../api_types';
import { fit } from '../../canvas';
import { ServerError } from '../../client';
import { add, button, fill, h, listen } from '../../dom';
import type { Picture, Table } from '../../export/seen';
import { finderOf } from '../../finder';
import { Grid } from '../../grid';
import { whose, type Part, type Scene } from '../../scene';
import { onTheme, theme } from '../../theme';
import { bytesText, clockText, countText } from '../../units';
import { boxAt, LINE, stripOf, treemapOf, type Layout } from './layout';
import { paintMap } from './paint';
import { PagesPanel } from './pages';
import { columnsOf, partsTable, sorted, sortOf } from './table';
import { piecesOf, placeText, privateBytes, sectionVariable, siteText, type Piece } from './words';

const CELLS = 2048;

/** `region` of the selection: a mapping ("17"), or several that a row stands for ("100-500": from, how many). */
function wishOf(region: string): { region?: number; first?: number; count?: number } {
  const [from, count] = region.split('-').map(Number);
  if (from === undefined || !Number.isInteger(from) || region === '') return {};
  return count ? { first: from, count } : { region: from };
}

export class MapPart implements Part {
  readonly element = h('section', { class: 'map', 'aria-label': 'Map of the address space' });
  private readonly bar = h('div', { class: 'toolbar' });
  private readonly canvas = h('canvas', { 'aria-hidden': 'true' });
  private readonly over = h('canvas', {
    class: 'over',
    tabindex: 0,
    role: 'application',
    'aria-label':
      'Mappings in order of address. Left and right walk, up and down change lines, Enter shows the pages of one, Backspace goes back.',
  });
  private readonly frame = h('div', { class: 'map-frame' }, this.canvas, this.over);
  private readonly facts = h('div', { class: 'facts', 'aria-live': 'polite', 'data-name': 'map-facts' });
  private readonly legend = h('div', { class: 'legend' });
  private readonly pages = new PagesPanel();
  private readonly parts = h('details', { class: 'as-table' }, h('summary', {}, 'Parts'));
  private readonly notes = h('div', {});
  private readonly grid = new Grid<Piece>({
    label: 'Mappings',
    nameOf: (piece) => piece.full,
    attributes: ({ row }) => ({ 'data-first': row.first, 'data-start': row.start ?? '' }),
    onSort: (column) => this.scene?.change({ sort: column }, 'replace'),
    onEnter: (piece) => this.open(piece.row),
    onPress: (piece) => this.open(piece.row),
  });
  private readonly full = h('div', {});
  private readonly empty = h('div', { class: 'absent', hidden: true });
  private scene: Scene | null = null;
  private map: AddressMap | null = null;
  private pieces: Piece[] = [];
  private layout: Layout | null = null;
  private at = -1; // piece under the pointer or the keys

  constructor() {
    add(
      this.full,
      this.bar,
      this.frame,
      this.facts,
      this.legend,
      this.pages.element,
      this.notes,
      this.grid.element,
      this.parts,
    );
    add(this.element, this.full, this.empty);
    listen(this.over, {
      pointermove: (event) => this.point(event),
      pointerleave: () => this.choose(-1),
      click: () => this.at >= 0 && this.open(this.pieces[this.at]!.row),
      keydown: (event) => this.type(event),
    });
    this.parts.addEventListener('toggle', () => this.fillParts());
    new ResizeObserver(() => this.paint()).observe(this.frame);
    onTheme(() => this.paint());
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    let map: AddressMap;
    try {
      map = await scene.source.get<AddressMap>('api/map', {
        ...whose(scene),
        ...wishOf(scene.selection.region),
        cells: CELLS,
      });
    } catch (error) {
      if (!(error instanceof ServerError) || (error.status !== 404 && error.status !== 403)) throw error;
      if (this.scene === scene) this.showEmpty(scene, error.message);
      return;
    }
    if (this.scene !== scene) return;
    this.map = map;
    this.pieces = piecesOf(map);
    this.at = Math.min(this.at, this.pieces.length - 1);
    this.empty.hidden = true;
    this.full.hidden = false;
    this.fillBar(scene, map);
    this.fillLegend(map);
    this.fillPages(map);
    this.fillTable(scene, map);
    this.fillParts();
    this.paint();
    this.tell();
  }

  asTable(): Table | null {
    return this.map
      ? {
          columns: [
            'start',
            'end',
            'rights',
            'name',
            'part',
            'virtual',
            'rss',
            'private',
            'swap',
            'mappings',
          ],
          rows: this.pieces.map(({ row, full, label }) => [
            row.start ?? null,
            row.end ?? null,
            row.rights,
            full,
            label,
            row.bytes.virtual,
            row.bytes.rss,
            privateBytes(row),
            row.bytes.swap ?? null,
            row.count,
          ]),
        }
      : null;
  }

  asPicture(): Picture | null {
    const { layout } = this;
    if (!layout) return null;
    return {
      width: layout.width,
      height: layout.height,
      paint: (pen) => paintMap(pen, layout, this.pieces, this.look(), theme(), LINE),
    };
  }

  private look(): { isTreemap: boolean; finds: ((name: string) => boolean) | null } {
    const selection = this.scene?.selection;
    return { isTreemap: selection?.shape === 'treemap', finds: finderOf(selection?.find ?? '') };
  }

  private showEmpty(scene: Scene, sentence: string): void {
    const { target } = scene;
    this.map = null;
    this.layout = null;
    this.full.hidden = true;
    this.empty.hidden = false;
    fill(
      this.empty,
      h('h2', {}, 'There is no map of this process'),
      h('p', { 'data-name': 'map-why' }, sentence),
      h('p', { class: 'hint' }, 'The map of a running process is shown here, and in the terminal:'),
      h('pre', {}, `memoir map ${target.running ? target.pid : 'PID'}`),
    );
  }

  private fillBar(scene: Scene, map: AddressMap): void {
    const { shape, region } = scene.selection,
      { bytes } = map.total;
    const turn = (to: string, label: string): HTMLButtonElement =>
      button(label, () => scene.change({ shape: to }, 'replace'), { 'aria-pressed': String(shape === to) });
    fill(
      this.bar,
      h(
        'span',
        { class: 'switch', role: 'group', 'aria-label': 'Shape' },
        turn('', 'By address'),
        turn('treemap', 'By resident size'),
      ),
      region ? button('← All mappings', () => scene.change({ region: '' }), { class: 'small' }) : null,
      h(
        'span',
        { class: 'total', 'data-name': 'map-rss', 'data-value': bytes.rss },
        `${bytesText(bytes.rss)} resident`,
      ),
      h(
        'span',
        { class: 'hint', 'data-name': 'map-virtual', 'data-value': bytes.virtual },
        [
          `of ${bytesText(bytes.virtual)} mapped`,
          `${countText(map.total.regions)} mappings`,
          `at ${clockText(map.capture.time_unix_ns).slice(11)}`,
        ].join(' · '),
      ),
      h(
        'span',
        { class: 'hint', 'data-name': 'map-kernel', 'data-value': map.capture.rss_after },
        sumWords(map),
      ),
      map.has_addresses
        ? null
        : h('span', { class: 'hint' }, 'Addresses are hidden: memoir serve --addresses shows them.'),
    );
  }

  private fillLegend(map: AddressMap): void {
    const sections = map.sections.filter((section) => section.bytes.virtual > 0);
    fill(
      this.legend,
      ...sections.map((section) => {
        const dot = h('i', { class: 'dot' });
        dot.style.background = sectionVariable(section.section);
        const key = button(
          '',
          () =>
            this.scene?.change({ find: this.scene.selection.find === section.title ? '' : section.title }),
          { class: 'key', title: `Mark ${section.title}` },
        );
        add(
          key,
          dot,
          section.title,
          h(
            'b',
            { 'data-name': `map-section-${section.section}`, 'data-value': section.bytes.rss },
            ` ${bytesText(section.bytes.rss)}`,
          ),
        );
        return key;
      }),
      this.look().isTreemap
        ? null
        : h(
            'span',
            { class: 'key' },
            map.total.bytes.pss === undefined
              ? 'full: resident · grey: not resident'
              : 'full: private · pale: shared · grey: not resident',
          ),
    );
  }

  private fillPages(map: AddressMap): void {
    const piece = map.pages ? this.pieces.find(({ row }) => isIn(row, map.pages!.region)) : undefined;
    this.pages.element.hidden = !map.pages || !piece;
    if (map.pages && piece) this.pages.set(map.pages, piece);
  }

  private fillTable(scene: Scene, map: AddressMap): void {
    const finds = finderOf(scene.selection.find);
    const rows = this.pieces.filter(
      (piece) => !finds || finds(piece.full) || finds(piece.label) || finds(piece.title),
    );
    const sort = sortOf(scene.selection.sort);
    this.grid.set(columnsOf(map), sorted(rows, sort), sort);
    fill(this.notes, ...map.notes.map((note) => h('p', { class: 'hint' }, note)));
  }

  private fillParts(): void {
    if (!this.map || !this.parts.open) return;
    this.parts.querySelector('.scroll')?.remove();
    this.parts.append(h('div', { class: 'scroll' }, partsTable(this.map)));
  }

  private paint(): void {
    const width = this.frame.clientWidth;
    if (!this.map || width < 20) return;
    const look = this.look();
    this.layout = look.isTreemap ? treemapOf(this.pieces, width) : stripOf(this.pieces, width);
    this.frame.style.height = `${this.layout.height}px`;
    paintMap(fit(this.canvas, width, this.layout.height), this.layout, this.pieces, look, theme(), LINE);
    this.paintOver();
  }

  private paintOver(): void {
    const { layout } = this;
    if (!layout) return;
    const pen = fit(this.over, layout.width, layout.height),
      chosen = wishOf(this.scene?.selection.region ?? '').region;
    for (const box of layout.boxes) {
      const row = this.pieces[box.piece]?.row;
      const isOpen = chosen !== undefined && row !== undefined && isIn(row, chosen);
      if (box.piece !== this.at && !isOpen) continue;
      pen.strokeStyle = isOpen ? theme().accent : theme().text;
      pen.lineWidth = 2;
      pen.strokeRect(box.x + 1, box.y + 1, Math.max(2, box.width - 2), box.height - 2);
    }
  }

  private point(event: PointerEvent): void {
    const box = this.over.getBoundingClientRect();
    const found = this.layout && boxAt(this.layout, event.clientX - box.left, event.clientY - box.top);
    this.over.classList.toggle('points', found !== null);
    this.choose(found ? found.piece : -1);
  }

  private choose(piece: number): void {
    if (piece === this.at) return;
    this.at = piece;
    this.paintOver();
    this.tell();
  }

  /** What is under the pointer, in words. */
  private tell(): void {
    const piece = this.pieces[this.at],
      { map } = this;
    this.facts.dataset['first'] = piece ? String(piece.row.first) : '';
    if (!piece || !map) {
      fill(this.facts, h('span', { class: 'hint' }, 'Point at a mapping, or walk with the arrow keys.'));
      return;
    }
    const { row } = piece,
      { bytes } = row;
    const line = (name: string, value: number | undefined): HTMLElement | null =>
      value === undefined
        ? null
        : h(
            'span',
            { class: 'tip-line' },
            h('span', {}, name),
            h('b', { 'data-figure': name, 'data-value': value }, bytesText(value)),
          );
    fill(
      this.facts,
      h('b', { class: 'mono' }, piece.full),
      h('span', {}, [piece.title, piece.label].filter(Boolean).join(' · ')),
      row.rights ? h('code', {}, row.rights) : null,
      siteText(row) ? h('span', { 'data-name': 'map-site' }, `mapped by ${siteText(row)}`) : null,
      h('span', { class: 'hint' }, placeText(map, row)),
      line('size', bytes.virtual),
      line('RSS', bytes.rss),
      line('PSS', bytes.pss),
      line('private', bytes.pss === undefined ? undefined : privateBytes(row)),
      bytes.swap ? line('swap', bytes.swap) : null,
    );
  }

  private open(row: MapRow): void {
    this.scene?.change({ region: row.count > 1 ? `${row.first}-${row.count}` : String(row.first) });
  }

  private type(event: KeyboardEvent): void {
    const { layout, pieces } = this;
    if (!layout || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      Home: -pieces.length,
      End: pieces.length,
    };
    const step = steps[event.key];
    if (step !== undefined) this.choose(Math.min(pieces.length - 1, Math.max(0, this.at + step)));
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown')
      this.line(event.key === 'ArrowUp' ? -1 : 1);
    else if (event.key === 'Enter' && this.at >= 0) this.open(pieces[this.at]!.row);
    else if (event.key === 'Backspace') this.scene?.change({ region: '' });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** To what lies above or below. */
  private line(step: number): void {
    const box = this.layout?.boxes.find((one) => one.piece === this.at);
    if (!this.layout || !box) return this.choose(0);
    const y = step < 0 ? box.y - LINE / 2 : box.y + box.height + LINE / 2;
    const found =
      boxAt(this.layout, box.x + box.width / 2, y) ?? boxAt(this.layout, box.x + box.width / 2, y + step * 8);
    if (found) this.choose(found.piece);
  }
}

function isIn(row: MapRow, region: number): boolean {
  return region >= row.first && region < row.first + row.count;
}

function sumWords({ total, capture }: AddressMap): string {
  if (capture.source === 'recording')
    return 'The process has ended: this is the last snapshot in its recording, which has no PSS, no shared memory and no single pages.';
  if (capture.rss_before === null || capture.rss_after === null) return '';
  if (capture.rss_before === total.bytes.rss || capture.rss_after === total.bytes.rss)
    return 'exactly what the kernel counts (VmRSS)';
  return `the kernel counted ${bytesText(capture.rss_before)} before and ${bytesText(capture.rss_after)} after: memory changed meanwhile`;
}
