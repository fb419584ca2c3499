// A picture as a file: SVG that opens alone, or PNG twice as sharp as the screen wants it.
import { SANS } from '../canvas';
import { theme } from '../theme';
import type { Pen, Picture } from './seen';
import { SvgPen } from './svg_pen';

const PAD = 16,
  HEAD = 30,
  SHARP = 2,
  SIDE_MOST = 16000; // px: what browsers allow of a canvas

type Painted = Exclude<Picture, SVGSVGElement>;

function framed(picture: Painted, title: string): Painted {
  return {
    width: picture.width + 2 * PAD,
    height: picture.height + 2 * PAD + HEAD,
    paint(pen: Pen): void {
      const colors = theme();
      pen.fillStyle = colors.surface;
      pen.fillRect(0, 0, this.width, this.height);
      pen.font = `600 13px ${SANS}`;
      pen.textAlign = 'left';
      pen.textBaseline = 'alphabetic';
      pen.fillStyle = colors.text;
      pen.fillText(title, PAD, PAD + 12);
      pen.save();
      pen.translate(PAD, PAD + HEAD);
      pen.beginPath();
      pen.rect(0, 0, picture.width, picture.height);
      pen.clip();
      picture.paint(pen);
      pen.restore();
    },
  };
}

const shown = [
  ...[
    'fill',
    'fill-opacity',
    'stroke',
    'stroke-width',
    'stroke-opacity',
    'stroke-dasharray',
    'stroke-linejoin',
  ],
  ...[
    'opacity',
    'font-family',
    'font-size',
    'font-weight',
    'text-anchor',
    'dominant-baseline',
    'visibility',
    'display',
  ],
];

/** A drawing of the document with the style it has there, which its file would not find. */
function alone(drawing: SVGSVGElement, title: string): { text: string; width: number; height: number } {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const from = [drawing, ...drawing.querySelectorAll('*')],
    to = [copy, ...copy.querySelectorAll('*')];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    const target = to[i]!;
    target.removeAttribute('style');
    for (const name of shown) {
      const value = style.getPropertyValue(name);
      if (value && value !== 'normal') target.setAttribute(name, value);
    }
  });
  const box = drawing.viewBox.baseVal;
  const place = drawing.getBoundingClientRect();
  const width = Math.ceil(box?.width || place.width || 800),
    height = Math.ceil(box?.height || place.height || 600);
  if (!box?.width) copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const background = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, value] of Object.entries({
    x: box?.x ?? 0,
    y: box?.y ?? 0,
    width,
    height,
    fill: theme().surface,
  }))
    background.setAttribute(name, String(value));
  copy.prepend(background);
  const words = document.createElementNS('http://www.w3.org/2000/svg', 'title');
  words.textContent = title;
  copy.prepend(words);
  return {
    text: `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`,
    width,
    height,
  };
}

export function svgOf(picture: Picture, title: string): string {
  if (picture instanceof SVGSVGElement) return alone(picture, title).text;
  const whole = framed(picture, title),
    pen = new SvgPen();
  whole.paint(pen);
  return pen.svg(whole.width, whole.height, title);
}

async function imageOf(svg: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  return image;
}

export async function pngOf(picture: Picture, title: string): Promise<Blob> {
  const drawing = picture instanceof SVGSVGElement ? alone(picture, title) : null;
  const whole = picture instanceof SVGSVGElement ? null : framed(picture, title);
  const { width, height } = drawing ?? whole!;
  const sharp = Math.min(SHARP, SIDE_MOST / width, SIDE_MOST / height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * sharp);
  canvas.height = Math.ceil(height * sharp);
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error('This browser has no canvas.');
  pen.scale(sharp, sharp);
  if (drawing) pen.drawImage(await imageOf(drawing.text), 0, 0, width, height);
  else whole!.paint(pen);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) =>
        blob
          ? resolve(blob)
          : reject(new Error('The picture is too large for this browser: save it as SVG.')),
      'image/png',
    ),
  );
}
