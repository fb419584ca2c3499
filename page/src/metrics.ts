// What a metric means to the page: its words, and whether it knows of time.

export const meanings: Readonly<Record<string, string>> = {
  'heap.peak': 'live heap at the instant it was largest',
  'heap.leaked': 'heap still live at the end',
  'heap.live': 'heap allocated and not yet freed',
  'heap.allocated': 'all bytes ever asked for',
  'heap.calls': 'successful allocations',
  'heap.temporary': 'blocks freed by their thread before it allocated again',
  'heap.slack': 'usable minus asked-for bytes of live blocks',
  'heap.freed': 'freed bytes, by the stack that had allocated them',
  'maps.live': 'memory mapped by the program itself',
  'maps.mapped': 'all bytes ever mapped by the program itself',
  'maps.calls': 'mappings made',
  'cpu.on': 'time on a processor',
  'cpu.off': 'time spent waiting',
  'pool.peak': "the program's own pools when they were largest",
  'pool.live': "blocks of the program's own pools",
  'pool.allocated': 'all bytes ever asked of its pools',
  'region.live': 'memory that the program has given a name',
  resident: 'resident memory, by whoever has it',
  'heap.resident': 'resident bytes of live blocks',
  'heap.held': 'resident bytes that live blocks pin and do not use',
  'heap.kept': 'resident pages of the heap without any block',
  'pages.resident': 'resident pages, by who touched them first',
  'pages.cache': 'page cache filled by reads, writes and mappings',
};

const counters =
  /^(heap\.(allocated|calls|temporary|freed)|maps\.(mapped|calls)|cpu\.|pool\.(allocated|calls|freed)|cost)/;

/** A counter adds up over time; anything else is a level, whose difference over time is growth. */
export function isCounter(metric: string): boolean {
  return counters.test(metric);
}

/** Known at one instant only: no time can be chosen with it. */
export function isTimeless(metric: string): boolean {
  return metric === 'heap.leaked' || metric.endsWith('.peak');
}

/** The same thing at any time. */
export function timely(metric: string): string {
  return isTimeless(metric) ? `${metric.split('.')[0] ?? 'heap'}.live` : metric;
}

export function usualMetric(known: readonly string[], isGrowing: boolean): string {
  const order = isGrowing
    ? ['heap.live', 'pool.live', 'cpu.on', 'cpu.off', 'pages.resident']
    : ['heap.peak', 'heap.live', 'pool.peak', 'cpu.on', 'cpu.off', 'pages.resident'];
  return order.find((metric) => known.includes(metric)) ?? known[0] ?? '';
}
