// A pen that writes SVG: what views paint on a canvas, as a file that opens alone.
import type { Pen } from './seen';

/** Text for XML: what it does not allow at all becomes the sign for that. */
export function escapeXml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

interface State {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineJoin: CanvasLineJoin;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  globalAlpha: number;
  dash: readonly number[];
  x: number; // what was translated
  y: number;
  clip: string; // an attribute, or nothing
}

const anchors: Partial<Record<CanvasTextAlign, string>> = { center: 'middle', right: 'end', end: 'end' };
// Of the size of the font: where the line is that letters stand on.
const drops: Partial<Record<CanvasTextBaseline, number>> = {
  middle: 0.35,
  top: 0.8,
  hanging: 0.8,
  bottom: -0.2,
};

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Colours as every program knows them: #rrggbb, whatever way they were written. */
const hexes = new Map<string, string>();
function hexOf(color: string): string {
  let hex = hexes.get(color);
  if (hex === undefined) {
    const canvas = document.createElement('canvas').getContext('2d');
    if (canvas) canvas.fillStyle = color;
    hex = String(canvas?.fillStyle ?? color);
    hexes.set(color, hex);
  }
  return hex;
}

function styleOf(
  style: string | CanvasGradient | CanvasPattern,
  what: 'fill' | 'stroke',
  alpha: number,
): string {
  const parts = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(hexOf(String(style)));
  const color = parts ? `rgb(${parts[1]},${parts[2]},${parts[3]})` : hexOf(String(style));
  const opacity = alpha * (parts ? Number(parts[4]) : 1);
  return ` ${what}="${escapeXml(color)}"${opacity < 1 ? ` ${what}-opacity="${round(opacity)}"` : ''}`;
}

export class SvgPen implements Pen {
  fillStyle: string | CanvasGradient | CanvasPattern = '#000';
  strokeStyle: string | CanvasGradient | CanvasPattern = '#000';
  lineWidth = 1;
  lineJoin: CanvasLineJoin = 'miter';
  font = '10px sans-serif';
  textAlign: CanvasTextAlign = 'start';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  globalAlpha = 1;
  private dash: readonly number[] = [];
  private x = 0;
  private y = 0;
  private clipped = '';
  private clips = 0;
  private path = '';
  private readonly kept: State[] = [];
  private readonly parts: string[] = [];
  private readonly measure = document.createElement('canvas').getContext('2d')!;

  /** The whole file. */
  svg(width: number, height: number, title: string): string {
    const w = Math.ceil(width),
      h = Math.ceil(height);
    return (
      `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img">\n` +
      `<title>${escapeXml(title)}</title>\n${this.parts.join('\n')}\n</svg>\n`
    );
  }

  private put(tag: string, attributes: string): void {
    this.parts.push(`<${tag}${attributes}${this.clipped}/>`);
  }

  private box(x: number, y: number, width: number, height: number): string {
    const left = Math.min(x, x + width) + this.x,
      top = Math.min(y, y + height) + this.y;
    return ` x="${round(left)}" y="${round(top)}" width="${round(Math.abs(width))}" height="${round(Math.abs(height))}"`;
  }

  private strokeOf(): string {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.map(round).join(' ')}"` : '';
    const join = this.lineJoin === 'miter' ? '' : ` stroke-linejoin="${this.lineJoin}"`;
    return `${styleOf(this.strokeStyle, 'stroke', this.globalAlpha)} stroke-width="${round(this.lineWidth)}"${join}${dash}`;
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.put('rect', this.box(x, y, width, height) + styleOf(this.fillStyle, 'fill', this.globalAlpha));
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.put('rect', `${this.box(x, y, width, height)} fill="none"${this.strokeOf()}`);
  }

  clearRect(): void {
    // nothing lies beneath
  }

  private text(words: string, x: number, y: number, style: string): void {
    const [, weight, size, family] = /^(?:(\S+) )?([\d.]+)px (.*)$/.exec(this.font) ?? [
      '',
      '',
      '10',
      'sans-serif',
    ];
    const anchor = anchors[this.textAlign];
    const drop = (drops[this.textBaseline] ?? 0) * Number(size);
    this.parts.push(
      `<text x="${round(x + this.x)}" y="${round(y + this.y + drop)}" font-family="${escapeXml(family!)}" font-size="${size}"` +
        `${weight ? ` font-weight="${escapeXml(weight)}"` : ''}${anchor ? ` text-anchor="${anchor}"` : ''}${style}${this.clipped}>${escapeXml(words)}</text>`,
    );
  }

  fillText(words: string, x: number, y: number): void {
    this.text(words, x, y, styleOf(this.fillStyle, 'fill', this.globalAlpha));
  }

  strokeText(words: string, x: number, y: number): void {
    this.text(words, x, y, ` fill="none"${this.strokeOf()}`);
  }

  measureText(words: string): TextMetrics {
    this.measure.font = this.font;
    return this.measure.measureText(words);
  }

  beginPath(): void {
    this.path = '';
  }

  moveTo(x: number, y: number): void {
    this.path += `M${round(x + this.x)} ${round(y + this.y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `${this.path ? 'L' : 'M'}${round(x + this.x)} ${round(y + this.y)}`;
  }

  closePath(): void {
    if (this.path) this.path += 'Z';
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.moveTo(x, y);
    this.path += `h${round(width)}v${round(height)}h${round(-width)}Z`;
  }

  arc(x: number, y: number, radius: number, from: number, to: number, isBack = false): void {
    const turn = Math.abs(to - from) >= 2 * Math.PI - 1e-9;
    const at = (angle: number): [number, number] => [
      x + radius * Math.cos(angle),
      y + radius * Math.sin(angle),
    ];
    const go = (end: [number, number], isLarge: boolean): void => {
      this.path += `A${round(radius)} ${round(radius)} 0 ${isLarge ? 1 : 0} ${isBack ? 0 : 1} ${round(end[0] + this.x)} ${round(end[1] + this.y)}`;
    };
    this.lineTo(...at(from));
    if (turn) go(at(from + Math.PI), true); // a whole circle ends where it begins: two halves
    const span = (((isBack ? from - to : to - from) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    go(at(to), turn || span > Math.PI);
  }

  fill(): void {
    if (this.path) this.put('path', ` d="${this.path}"${styleOf(this.fillStyle, 'fill', this.globalAlpha)}`);
  }

  stroke(): void {
    if (this.path) this.put('path', ` d="${this.path}" fill="none"${this.strokeOf()}`);
  }

  clip(): void {
    const id = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"${this.clipped}><path d="${this.path || 'M0 0'}"/></clipPath>`);
    this.clipped = ` clip-path="url(#${id})"`;
  }

  setLineDash(dash: Iterable<number>): void {
    this.dash = [...dash];
  }

  save(): void {
    const {
      lineWidth,
      lineJoin,
      font,
      textAlign,
      textBaseline,
      globalAlpha,
      dash,
      x,
      y,
      clipped: clip,
    } = this;
    this.kept.push({
      fillStyle: String(this.fillStyle),
      strokeStyle: String(this.strokeStyle),
      ...{ lineWidth, lineJoin, font, textAlign, textBaseline, globalAlpha, dash, x, y, clip },
    });
  }

  restore(): void {
    const state = this.kept.pop();
    if (!state) return;
    const { clip, ...rest } = state;
    Object.assign(this, rest);
    this.clipped = clip;
  }

  translate(x: number, y: number): void {
    this.x += x;
    this.y += y;
  }
}
