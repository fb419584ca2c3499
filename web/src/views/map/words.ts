// Words and colours of mappings.
import type { AddressMap, MapRow } from '../../api_types';
import type { Theme } from '../../theme';
import { baseName, countText } from '../../units';

const series: Readonly<Record<string, number>> = {
  runtime: 6,
  allocator: 1,
  stacks: 7,
  named: 8,
  file: 5,
  shared: 3,
  anonymous: 2,
};

export interface Piece {
  row: MapRow;
  section: string;
  isOwn: boolean; // memoir's
  title: string; // of its section
  label: string;
  name: string; // short
  full: string;
}

export function piecesOf(map: AddressMap): Piece[] {
  const titles = new Map(map.sections.map((one) => [one.section as string, one.title]));
  return map.rows.map((row) => {
    const leaf = map.leaves[row.leaf],
      section = leaf?.section ?? 'other',
      label = [leaf?.label, leaf?.item].filter(Boolean).join(' / ');
    const name =
      row.count > 1
        ? `${countText(row.count)} mappings`
        : row.name
          ? baseName(row.name)
          : label || 'anonymous';
    return {
      row,
      section,
      isOwn: /memoir/i.test(label),
      title: titles.get(section) ?? section,
      label,
      name,
      full: row.count > 1 ? `${name}, the largest: ${label}` : row.name || name,
    };
  });
}

export function sectionColor(colors: Theme, section: string, isOwn: boolean): string {
  const place = series[section];
  return isOwn ? colors.mark : ((place ? colors.series[place - 1] : colors.rest) ?? colors.rest);
}

export function sectionVariable(section: string): string {
  const place = series[section];
  return place ? `var(--series-${place})` : 'var(--rest)';
}

/** Where it lies, as far as we may know. */
export function placeText(map: AddressMap, row: MapRow): string {
  if (row.start !== undefined && row.end !== undefined) return `${row.start} – ${row.end}`;
  return row.count > 1
    ? `mappings ${countText(row.first + 1)} to ${countText(row.first + row.count)} of ${countText(map.total.regions)}`
    : `mapping ${countText(row.first + 1)} of ${countText(map.total.regions)}`;
}

const starts = /^(_start|__libc_start|start_thread|clone|__clone)/;

/** Who mapped it, as memoir explain writes call sites; empty: not known. */
export function siteText(row: MapRow): string {
  return (row.stack ?? [])
    .map((frame) => frame.function || baseName(frame.module))
    .filter((name) => name && !starts.test(name))
    .slice(0, 5)
    .join(' < ');
}

export function privateBytes(row: MapRow): number {
  const { bytes } = row;
  return bytes.private_clean === undefined ? bytes.rss : bytes.private_clean + (bytes.private_dirty ?? 0);
}
