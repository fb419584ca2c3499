// The same mappings as a table, and the parts they belong to.
import type { AddressMap, MapRow } from '../../api_types';
import { barCell } from '../../bars';
import { h } from '../../dom';
import type { Column } from '../../grid';
import { nameWord, whereWord } from '../../names';
import { bytesText, countText } from '../../units';
import { placeText, privateBytes, type Piece } from './words';

const figures: Readonly<Record<string, (row: MapRow) => number>> = {
  rss: (row) => row.bytes.rss,
  virtual: (row) => row.bytes.virtual,
  pss: (row) => row.bytes.pss ?? 0,
  private: privateBytes,
  swap: (row) => row.bytes.swap ?? 0,
};

export function sorted(pieces: readonly Piece[], sort: string): Piece[] {
  const figure = figures[sort];
  return figure ? [...pieces].sort((a, b) => figure(b.row) - figure(a.row)) : [...pieces];
}

export function sortOf(sort: string): string {
  return sort in figures || sort === 'address' ? sort : 'address';
}

export function columnsOf(map: AddressMap): Column<Piece>[] {
  const number = (id: string, label: string, isWide: boolean): Column<Piece> => ({
    id,
    label,
    isNumber: true,
    isWide,
    sorts: true,
    data: ({ row }) => figures[id]?.(row) ?? 0,
    cell: ({ row }) => bytesText(figures[id]?.(row) ?? 0),
  });
  const hasShares = map.total.bytes.pss !== undefined;
  return [
    {
      id: 'address',
      label: 'Mapping',
      sorts: true,
      cell: (piece) =>
        h(
          'span',
          { class: 'name-cell' },
          nameWord(piece.name, piece.full),
          whereWord(`${piece.label} · ${placeText(map, piece.row)}`),
        ),
    },
    { id: 'rights', label: 'Rights', isWide: true, cell: ({ row }) => h('code', {}, row.rights || '–') },
    {
      id: 'rss',
      label: 'RSS',
      isNumber: true,
      sorts: true,
      data: ({ row }) => row.bytes.rss,
      cell: ({ row }) => barCell(row.bytes.rss, map.total.bytes.rss, 'bytes', 0),
    },
    number('virtual', 'Size', false),
    ...(hasShares ? [number('pss', 'PSS', true), number('private', 'Private', true)] : []),
    ...((map.total.bytes.swap ?? 0) > 0 ? [number('swap', 'Swap', true)] : []),
  ];
}

/** Sections and their leaves, as memoir map writes them. */
export function partsTable(map: AddressMap): HTMLElement {
  const figure = (bytes: number, name: string): HTMLElement =>
    h('td', { class: 'number', 'data-figure': name, 'data-value': bytes }, bytesText(bytes));
  const rows: HTMLElement[] = [];
  for (const section of map.sections) {
    const leaves = map.leaves.filter((leaf) => leaf.section === section.section);
    if (!leaves.length) continue;
    rows.push(
      h(
        'tr',
        { class: 'part-section', 'data-section': section.section },
        h('th', { scope: 'row' }, section.title),
        figure(section.bytes.rss, 'rss'),
        figure(section.bytes.virtual, 'virtual'),
        h('td', { class: 'number' }, countText(leaves.reduce((sum, leaf) => sum + leaf.regions, 0))),
      ),
      ...leaves.map((leaf) =>
        h(
          'tr',
          { 'data-leaf': `${leaf.section}/${leaf.label}/${leaf.item}` },
          h(
            'th',
            { scope: 'row', class: 'part-leaf' },
            [leaf.label, leaf.item].filter(Boolean).join(' / '),
            leaf.evidence === 'shape' ? h('span', { class: 'hint' }, ' (probable)') : null,
          ),
          figure(leaf.bytes.rss, 'rss'),
          figure(leaf.bytes.virtual, 'virtual'),
          h('td', { class: 'number' }, countText(leaf.regions)),
        ),
      ),
    );
  }
  const heads = ['Whose', 'RSS', 'Size', 'Mappings'];
  return h(
    'table',
    { class: 'plain parts' },
    h('thead', {}, h('tr', {}, ...heads.map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', {}, ...rows),
  );
}
