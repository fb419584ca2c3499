// What metrics mean: as the server says in /api/targets, so the page has no table of its own.
import type { AboutMetric, Target } from './api_types';

const known = new Map<string, AboutMetric>();

/** Takes in what the targets say about their metrics. */
export function learnMetrics(targets: readonly Target[]): void {
  for (const target of targets) for (const about of target.about ?? []) known.set(about.name, about);
}

export function meaningOf(metric: string): string {
  return known.get(metric)?.meaning ?? '';
}

/** A counter adds up over time; anything else is a level, whose difference over time is growth. */
export function isCounter(metric: string): boolean {
  return known.get(metric)?.is_counter ?? false;
}

/** Known at one instant only: no time can be chosen with it. */
export function isTimeless(metric: string): boolean {
  return known.get(metric)?.is_timeless ?? false;
}

/** The same thing at any time. */
export function timely(metric: string): string {
  return isTimeless(metric) ? `${metric.split('.')[0] ?? 'heap'}.live` : metric;
}

export function usualMetric(metrics: readonly string[], isGrowing: boolean): string {
  const order = isGrowing
    ? ['heap.live', 'pool.live', 'cpu.on', 'cpu.off', 'pages.resident']
    : ['heap.peak', 'heap.live', 'pool.peak', 'cpu.on', 'cpu.off', 'pages.resident'];
  return order.find((metric) => metrics.includes(metric)) ?? metrics[0] ?? '';
}
