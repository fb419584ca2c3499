// Which frames somebody looks for.
import { finderOf } from '../../finder';
import type { FrameTable } from './layout';

/** By frame: 1 for those that match; null when nothing is looked for. */
export function matchesOf(frames: FrameTable, find: string): Uint8Array | null {
  const finds = finderOf(find);
  if (!finds) return null;
  const matches = new Uint8Array(frames.count);
  for (let i = 0; i < frames.count; i++) {
    const isRoot = i === 0 && frames.name(0) === 'all' && !frames.module(0);
    matches[i] = !isRoot && (finds(frames.name(i)) || finds(frames.module(i))) ? 1 : 0;
  }
  return matches;
}
