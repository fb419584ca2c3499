// One hue per module, the largest first; functions of a module differ in lightness only, which everybody can tell apart.
import { baseName } from '../units';
import type { FrameTable, Tree } from './layout';

export interface Module {
  name: string;
  hue: number;
  value: number;
}

interface Hue {
  h: number;
  s: number;
}

// Orange, blue, teal, purple, yellow, pink: apart also to those who see fewer colours, as lightness differs, too.
const hues: readonly Hue[] = [
  { h: 28, s: 78 },
  { h: 212, s: 55 },
  { h: 172, s: 45 },
  { h: 268, s: 38 },
  { h: 48, s: 72 },
  { h: 330, s: 45 },
];
const OTHER = hues.length,
  SHADES = 5;

export class Palette {
  readonly modules: Module[];
  private readonly classes: Uint8Array; // of each frame
  private readonly styles: string[] = [];

  constructor(tree: Tree, frames: FrameTable, isDark: boolean) {
    const sums = new Map<string, number>();
    for (let i = 1; i < tree.size; i++) {
      const frame = tree.frame[i]!;
      if (frame >= 0 && tree.self[i]! >= 0)
        sums.set(frames.module(frame), (sums.get(frames.module(frame)) ?? 0) + tree.value[i]!);
    }
    this.modules = [...sums]
      .sort((a, b) => b[1] - a[1])
      .map(([path, value], place) => ({
        name: path ? baseName(path) : '',
        value,
        hue: path && place < OTHER ? place : OTHER,
      }));
    const hueOf = new Map(
      [...sums]
        .sort((a, b) => b[1] - a[1])
        .map(([path], place) => [path, path && place < OTHER ? place : OTHER]),
    );
    this.classes = new Uint8Array(frames.count);
    for (let i = 0; i < frames.count; i++)
      this.classes[i] = (hueOf.get(frames.module(i)) ?? OTHER) * SHADES + shadeOf(frames.name(i));
    for (let hue = 0; hue <= OTHER; hue++)
      for (let shade = 0; shade < SHADES; shade++) this.styles.push(styleOf(hues[hue], shade, isDark));
  }

  of(frame: number): string {
    return this.styles[this.classes[frame] ?? OTHER * SHADES] ?? '#888';
  }

  ofHue(hue: number): string {
    return this.styles[hue * SHADES + 2] ?? '#888';
  }
}

function shadeOf(name: string): number {
  let hash = 17;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0;
  return (hash >>> 3) % SHADES;
}

function styleOf(hue: Hue | undefined, shade: number, isDark: boolean): string {
  const light = isDark ? 33 + shade * 3 : 68 + shade * 3.4;
  return hue
    ? `hsl(${hue.h} ${isDark ? hue.s * 0.82 : hue.s}% ${light}%)`
    : `hsl(215 8% ${isDark ? 26 + shade * 2 : 80 + shade * 2}%)`;
}
