// One hue per module, the largest first; functions of a module differ in lightness only, which everybody can tell apart.
// Or one of the same hues per function, by its name: always the same.
import type { Colouring } from '../../selection';
import { baseName } from '../../units';
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
  SHADES = 5,
  USUAL_SHADE = 2;

export class Palette {
  readonly modules: Module[];
  private readonly classes: Uint8Array; // of each frame: hue and shade
  private readonly styles: string[] = [];

  constructor(tree: Tree, frames: FrameTable, isDark: boolean, colouring: Colouring) {
    const sums = sumByModule(tree, frames);
    this.modules = [...sums]
      .sort((a, b) => b[1] - a[1])
      .map(([path, value], place) => ({
        name: path,
        value,
        hue: path && place < OTHER && colouring !== 'function' ? place : OTHER,
      }));
    const hueOf = new Map(this.modules.map((module) => [module.name, module.hue]));
    this.classes = new Uint8Array(frames.count);
    for (let i = 0; i < frames.count; i++) {
      const hash = hashName(frames.name(i));
      const hue = colouring === 'function' ? (hash >>> 8) % OTHER : (hueOf.get(frames.module(i)) ?? OTHER);
      this.classes[i] = hue * SHADES + ((hash >>> 3) % SHADES);
    }
    for (let hue = 0; hue <= OTHER; hue++)
      for (let shade = 0; shade < SHADES; shade++) this.styles.push(styleOf(hues[hue], shade, isDark));
  }

  of(frame: number): string {
    return this.styles[this.classes[frame] ?? OTHER * SHADES] ?? '#888';
  }

  /** Of a frame; that of all others for remainders. */
  hueOf(frame: number): number {
    return frame < 0 ? OTHER : ((this.classes[frame] ?? OTHER * SHADES) / SHADES) | 0;
  }

  ofHue(hue: number): string {
    return this.styles[hue * SHADES + USUAL_SHADE] ?? '#888';
  }

  /** Modules that have a colour of their own, by the names of their files. */
  legend(): { name: string; color: string }[] {
    return this.modules
      .filter((module) => module.name && module.hue < OTHER)
      .map((module) => ({ name: baseName(module.name), color: this.ofHue(module.hue) }));
  }
}

function sumByModule(tree: Tree, frames: FrameTable): Map<string, number> {
  const byFrame = new Float64Array(frames.count),
    sums = new Map<string, number>();
  for (let i = 1; i < tree.size; i++) {
    const frame = tree.frame[i]!;
    if (frame >= 0) byFrame[frame]! += tree.value[i]!;
  }
  for (let i = 0; i < frames.count; i++)
    if (byFrame[i]) sums.set(frames.module(i), (sums.get(frames.module(i)) ?? 0) + byFrame[i]!);
  return sums;
}

function hashName(name: string): number {
  let hash = 17;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

function styleOf(hue: Hue | undefined, shade: number, isDark: boolean): string {
  const light = isDark ? 33 + shade * 3 : 68 + shade * 3.4;
  return hue
    ? `hsl(${hue.h} ${isDark ? hue.s * 0.82 : hue.s}% ${light}%)`
    : `hsl(215 8% ${isDark ? 26 + shade * 2 : 80 + shade * 2}%)`;
}
