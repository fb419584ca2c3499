// What each call site had at the beginning, has at the end, and between.
import type { Report, Timeline } from '../../api_types';

export interface SiteRow {
  site: number; // place in the data
  name: string | null; // null: all others
  begin: number;
  end: number;
  growth: number;
  most: number;
  total: number | null; // of a counter: all that was added; null: not known
  at: number | null; // under the cursor
}

/** A counter's values are per second: what it added in all is asked for, not worked out of rounded rates. */
export function rowsOf(data: Timeline, instant: number, totals: Report | null): SiteRow[] {
  const sums = new Map<string, number>();
  for (const row of totals?.rows ?? []) {
    const name = row.stack[0]?.function;
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + row.value);
  }
  const named = data.sites.reduce(
    (sum, site) => sum + (site.function === null ? 0 : (sums.get(site.function) ?? 0)),
    0,
  );
  return data.sites.map((site, place) => {
    const begin = site.values[data.is_rate ? 1 : 0] ?? 0,
      end = site.values.at(-1) ?? 0;
    return {
      site: place,
      name: site.function,
      begin,
      end,
      growth: end - begin,
      most: site.values.reduce((most, value) => Math.max(most, value), 0),
      total: !totals
        ? null
        : site.function === null
          ? totals.total.value - named
          : (sums.get(site.function) ?? 0),
      at: instant < 0 ? null : (site.values[instant] ?? null),
    };
  });
}
