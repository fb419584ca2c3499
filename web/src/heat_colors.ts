// Colours for more and less: lightness tells it all, in equal steps of OKLab, so the scale means the same to those who see
// fewer colours, and in grey.
import { isDark } from './theme';

interface Scale {
  light: readonly [number, number]; // of nothing, of the most
  hue: readonly [number, number]; // degrees
  chroma: readonly [number, number];
}

const onLight: Scale = { light: [0.965, 0.34], hue: [85, -60], chroma: [0.03, 0.17] };
const onDark: Scale = { light: [0.27, 0.93], hue: [-60, 95], chroma: [0.07, 0.12] };

function channel(linear: number): number {
  const clipped = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
}

/** OKLab to sRGB: the two matrices that define it. */
function rgbOf(light: number, chroma: number, degrees: number): readonly [number, number, number] {
  const a = chroma * Math.cos((degrees * Math.PI) / 180),
    b = chroma * Math.sin((degrees * Math.PI) / 180);
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3,
    m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3,
    s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** 0: nothing, 1: the most. */
export function heatColor(share: number): { fill: string; text: string } {
  const t = Math.min(1, Math.max(0, share)),
    scale = isDark() ? onDark : onLight;
  const between = ([from, to]: readonly [number, number]): number => from + (to - from) * t;
  const light = between(scale.light);
  // Most colourful in the middle, where the screen has room for it.
  const chroma = between(scale.chroma) + 0.06 * Math.sin(Math.PI * t);
  const [red, green, blue] = rgbOf(light, chroma, between(scale.hue));
  return { fill: `rgb(${red} ${green} ${blue})`, text: light > 0.62 ? '#14171c' : '#ffffff' };
}

/** `count` colours from little to most, without the one for nothing. */
export function heatSteps(count: number): string[] {
  return Array.from({ length: count }, (_, i) => heatColor((i + 1) / count).fill);
}
