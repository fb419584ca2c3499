// The same mappings as a table, and the parts they belong to.
import type { AddressMap, MapRow } from '../../api_types';
import { barCell } from '../../bars';
import { h } from '../../dom';
import type { Column } from '../../grid';
import { nameWord, whereWord } from '../../names';
import { plainTable, type PlainColumn } from '../../plain_table';
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

type Section = AddressMap['sections'][number];
type Leaf = AddressMap['leaves'][number];

interface PartRow {
  section: Section;
  leaf: Leaf | null; // null: the row is of the section
  bytes: Section['bytes'];
  regions: number;
}

/** Sections and their leaves, as memoir map writes them. */
function partRows(map: AddressMap): PartRow[] {
  return map.sections.flatMap((section): PartRow[] => {
    const leaves = map.leaves.filter((leaf) => leaf.section === section.section);
    if (!leaves.length) return [];
    return [
      {
        section,
        leaf: null,
        bytes: section.bytes,
        regions: leaves.reduce((sum, leaf) => sum + leaf.regions, 0),
      },
      ...leaves.map((leaf) => ({ section, leaf, bytes: leaf.bytes, regions: leaf.regions })),
    ];
  });
}

export function partsTable(map: AddressMap): HTMLElement {
  const figure = (id: 'rss' | 'virtual', label: string): PlainColumn<PartRow> => ({
    id,
    label,
    isNumber: true,
    data: ({ bytes }) => bytes[id],
    cell: ({ bytes }) => bytesText(bytes[id]),
  });
  return plainTable<PartRow>(
    [
      {
        label: 'Owner',
        cell: ({ section, leaf }) =>
          leaf
            ? [
                [leaf.label, leaf.item].filter(Boolean).join(' / '),
                leaf.evidence === 'shape' ? h('span', { class: 'hint' }, ' (probable)') : null,
              ]
            : section.title,
      },
      figure('rss', 'RSS'),
      figure('virtual', 'Size'),
      { label: 'Mappings', isNumber: true, cell: ({ regions }) => countText(regions) },
    ],
    partRows(map),
    {
      class: 'plain parts',
      rowAttributes: ({ section, leaf }) =>
        leaf
          ? { 'data-leaf': `${leaf.section}/${leaf.label}/${leaf.item}` }
          : { class: 'part-section', 'data-section': section.section },
    },
  );
}
