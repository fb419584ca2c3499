// Whether a person sees an element: it has a box, nothing hides, clips or covers it, and its text is there to its end.  The functions
// here run in the page, where they know only each other (`inPage`).
//
// All is done in one go: what is scrolled to is scrolled back before the page hears of it.

/** Points of a box, as parts of its width and height. */
const MIDDLES = [
  [0.5, 0.5],
  [0.2, 0.25],
  [0.8, 0.25],
  [0.2, 0.75],
  [0.8, 0.75],
];

/** A drawing that a person moves about: what is beyond its edges can be had. */
const MOVED = '.graph-stage';

/** A text that is cut shows at least so many pixels. */
const LEAST_CUT = 30;

/** What is to be clicked has at least so many pixels. */
const LEAST_CONTROL = 11;

/** What goes away with the pointer, or at the click that opened it, covers nothing for long. */
const PASSING = '.tip, .lane-list';

const nameOf = (element) =>
  `<${element.localName}${[...element.classList].map((name) => `.${name}`).join('')}${element.dataset?.name ? ` ${element.dataset.name}` : ''}>`;

/** What a person could scroll, along an axis, from the inside out. */
function scrollersOf(element, axis) {
  const all = [];
  for (let one = element; one; one = one.parentElement) {
    const isPage = one === document.scrollingElement;
    const how = getComputedStyle(one)[`overflow${axis}`];
    if (isPage ? !/hidden|clip/.test(how) : /auto|scroll/.test(how)) all.push(one);
    if (getComputedStyle(one).position === 'fixed') break;
  }
  return all;
}

/** Scrolls, as a person could, until a point of a box stands in the middle; `boxOf` measures it anew. */
function bring(element, boxOf, [right, down]) {
  for (const one of scrollersOf(element, 'X')) {
    const box = boxOf(),
      frame = one === document.scrollingElement ? { left: 0 } : one.getBoundingClientRect();
    one.scrollLeft += box.left + right * box.width - frame.left - one.clientLeft - one.clientWidth / 2;
  }
  for (const one of scrollersOf(element, 'Y')) {
    const box = boxOf(),
      frame = one === document.scrollingElement ? { top: 0 } : one.getBoundingClientRect();
    one.scrollTop += box.top + down * box.height - frame.top - one.clientTop - one.clientHeight / 2;
  }
}

/** Red, green, blue and how opaque, from 0 to 1. */
function partsOf(color) {
  const [r = 0, g = 0, b = 0, opaque = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
  const most = color.startsWith('rgb') ? 255 : 1;
  return [r / most, g / most, b / most, opaque];
}

const alphaOf = (color) => partsOf(color)[3];

/** The text of an element itself, line by line as it stands. */
function* ownTexts(element) {
  for (const node of element.childNodes) {
    if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
    const range = document.createRange();
    range.setStart(node, node.data.length - node.data.trimStart().length);
    range.setEnd(node, node.data.trimEnd().length);
    yield [node, range];
  }
}

/** Whether what lies under an element is seen at a point. */
function isThrough(element, x, y) {
  const style = getComputedStyle(element);
  if (element.closest(PASSING)) return true;
  if (Number(style.opacity) < 0.1 || style.visibility === 'hidden') return true;
  if (alphaOf(style.backgroundColor) > 0.6 || style.backgroundImage !== 'none') return false;
  if (/^(img|video|select|input|button)$/.test(element.localName)) return false;
  if (element instanceof HTMLCanvasElement) {
    const box = element.getBoundingClientRect(),
      pen = element.getContext('2d');
    const at = (place, start, size, all) => Math.max(0, Math.min(all - 1, ((place - start) / size) * all));
    const [left, top] = [
      at(x, box.left, box.width, element.width),
      at(y, box.top, box.height, element.height),
    ];
    return pen.getImageData(left, top, 1, 1).data[3] < 128;
  }
  for (const [, range] of ownTexts(element))
    for (const box of range.getClientRects())
      if (x > box.left && x < box.right && y > box.top + 2 && y < box.bottom - 2) return false;
  return true;
}

/** Whether an element is on top at a point, or under what is transparent there. */
function isOnTop(element, x, y) {
  for (const top of document.elementsFromPoint(x, y)) {
    if (top === element || element.contains(top)) return true;
    const isSameDrawing =
      (top instanceof SVGElement && top.ownerSVGElement?.contains(element)) ||
      (top instanceof HTMLCanvasElement &&
        element.matches('canvas') &&
        top.parentElement === element.parentElement);
    if (top.contains(element) || (!isSameDrawing && !isThrough(top, x, y))) return false;
  }
  return false;
}

/** The same for a point of a box, after scrolling to it if need be. */
function isSeenAt(element, boxOf, place) {
  const look = () => {
    const box = boxOf();
    const within = (from, size, part) =>
      from + Math.min(Math.max(size * part, 1), Math.max(size - 1, size / 2));
    return isOnTop(element, within(box.left, box.width, place[0]), within(box.top, box.height, place[1]));
  };
  if (look()) return true;
  bring(element, boxOf, place);
  return look();
}

/** A text that is cut on purpose ends with dots, some of it is there, and whoever points at it is told all of it. */
function isCutOnPurpose(element) {
  for (let one = element; one && one.localName !== 'tr'; one = one.parentElement) {
    const style = getComputedStyle(one),
      isShort = style.webkitLineClamp !== 'none' && one.scrollHeight > one.clientHeight,
      hasDots = style.textOverflow === 'ellipsis' && !/flex|grid/.test(style.display),
      isNarrow = hasDots && one.scrollWidth > one.clientWidth;
    if (style.overflowX === 'visible' || (!isShort && !isNarrow)) continue;
    const told = one.closest('[title]')?.title ?? one.querySelector('[title]')?.title ?? '',
      flat = (text) => text.replace(/\s+/g, ' ').trim();
    return one.clientWidth >= LEAST_CUT && flat(told).includes(flat(element.textContent));
  }
  return false;
}

function luminanceOf(color) {
  const [r, g, b] = partsOf(color).map((one) => one ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Whether a text has another colour than what it stands on, as far as that is one colour. */
function isOtherColor(element) {
  const { color } = getComputedStyle(element);
  let back = 'rgb(255, 255, 255)';
  for (let one = element; one; one = one.parentElement) {
    const style = getComputedStyle(one);
    if (style.backgroundImage !== 'none') return true;
    if (alphaOf(style.backgroundColor) < 0.5) continue;
    back = style.backgroundColor;
    break;
  }
  if (alphaOf(color) < 0.2) return false;
  const [dark, light] = [luminanceOf(color), luminanceOf(back)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05) > 1.7;
}

/** '' or what is wrong with a text of an element: each of its lines is looked at, at both ends and in between. */
function faultOfText(element, node, range) {
  const said = `“${node.data.trim().replace(/\s+/g, ' ').slice(0, 60)}”`;
  const lines = range.getClientRects().length;
  if (lines === 0) return `${said} is not shown`;
  if (opacityOf(element) < 0.1) return `${said} is transparent`;
  const moved = element.closest(MOVED);
  if (moved) return faultOfBox(moved);
  if (!element.ownerSVGElement && !isOtherColor(element))
    return `${said} has the colour of what it stands on`;
  for (let i = 0; i < lines; i++) {
    const boxOf = () => range.getClientRects()[i] ?? range.getBoundingClientRect();
    const box = boxOf();
    if (box.width < 0.5 || box.height < 4) {
      if (box.width >= 0.5 || lines === 1)
        return `${said} is ${Math.round(box.width)} by ${Math.round(box.height)} pixels`;
      continue; // white space where a line ends
    }
    const [begins, middle, ends] = [0, 0.5, 1].map((place) => isSeenAt(element, boxOf, [place, 0.5]));
    const isWhole =
      begins &&
      middle &&
      ends &&
      isSeenAt(element, boxOf, [0.5, 0.2]) &&
      isSeenAt(element, boxOf, [0.5, 0.8]);
    if (isWhole) continue;
    if ((begins || i > 0) && isCutOnPurpose(element)) return '';
    return `${said} is ${begins || middle || ends ? 'cut, or covered in part' : 'out of reach, clipped or covered'}`;
  }
  return '';
}

/** Declared to be for those who listen. */
const isForEars = (element) => element.closest('.sr-only') !== null;

/** Elements with text of their own that a person should see, in an element. */
function speakersOf(element) {
  const all = [element, ...element.querySelectorAll('*')];
  return all.filter(
    (one) =>
      !/^(option|script|style|title|desc|defs|template)$/.test(one.localName) &&
      !one.closest('select, defs') &&
      one.checkVisibility({ visibilityProperty: true }) &&
      !isForEars(one) &&
      !ownTexts(one).next().done,
  );
}

function opacityOf(element) {
  let all = 1;
  for (let one = element; one; one = one.parentElement) all *= Number(getComputedStyle(one).opacity);
  return all;
}

/** '' or why nobody sees the box of an element. */
function faultOfBox(element) {
  const boxOf = () => element.getClientRects()[0] ?? element.getBoundingClientRect();
  const { width, height } = boxOf();
  const least = element.matches('input, select, button') ? LEAST_CONTROL : 1;
  if (width < least || height < least) return `it is ${Math.round(width)} by ${Math.round(height)} pixels`;
  const seen = MIDDLES.filter((place) => isSeenAt(element, boxOf, place)).length;
  return seen >= 3
    ? ''
    : `it is out of reach, clipped or covered at ${MIDDLES.length - seen} of ${MIDDLES.length} points`;
}

/** '' or why nobody sees a line or an area of a drawing. */
function faultOfDrawn(element) {
  const { width, height } = element.getBoundingClientRect();
  return width + height >= 1 ? faultOfBox(element.ownerSVGElement) : 'nothing of it is drawn';
}

/** '' or what is wrong with drawings: those that lie on each other are one, of more than one colour. */
function faultOfCanvas(element) {
  const { width, height } = element.getBoundingClientRect();
  if (width < 12 || height < 8) return `the drawing is ${Math.round(width)} by ${Math.round(height)} pixels`;
  const layers = [...element.parentElement.querySelectorAll(':scope > canvas')];
  const isPainted = layers.some((one) => {
    const words = new Uint32Array(one.getContext('2d').getImageData(0, 0, one.width, one.height).data.buffer);
    return words.some((word) => word !== words[0]);
  });
  return isPainted ? '' : 'the drawing is of one colour';
}

/** '' or which text in a drawing is cut at its sides, or stands on another. */
function faultOfPainted(element) {
  const texts = (globalThis.paintedTexts?.get(element) ?? []).filter(
    ({ top, bottom }) => top >= 0 && bottom <= element.height,
  );
  const cut = texts.find(({ left, right }) => left < -1 || right > element.width + 1);
  if (cut) return `“${cut.text}” is cut at the edge of the drawing`;
  const isOn = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  for (const [i, one] of texts.entries()) {
    const other = texts.slice(0, i).find((before) => isOn(one, before));
    if (other) return `“${one.text}” stands on “${other.text}”`;
  }
  return '';
}

/** '' or what is wrong with something that has no text. */
function faultOfShape(element) {
  if (element.ownerSVGElement) return faultOfDrawn(element);
  return (
    (element instanceof HTMLCanvasElement && (faultOfCanvas(element) || faultOfPainted(element))) ||
    faultOfBox(element)
  );
}

/** '' or why a person does not see an element. */
function faultOf(element) {
  if (!element.isConnected) return '';
  if (isForEars(element)) return 'it is for screen readers only';
  if (!element.checkVisibility()) return 'it is not shown (display)';
  if (!element.checkVisibility({ visibilityProperty: true })) return 'it is not shown (visibility)';
  const speakers = speakersOf(element);
  if (speakers.length === 0) return opacityOf(element) < 0.1 ? 'it is transparent' : faultOfShape(element);
  for (const one of speakers)
    for (const [node, range] of ownTexts(one)) {
      const fault = faultOfText(one, node, range);
      if (fault) return fault;
    }
  return '';
}

/** All that there is to see in elements: those with a text of their own, drawings and what can be typed into. */
function sightsIn(elements) {
  const drawn = (one) =>
    one.matches('canvas, svg, input, select') && one.checkVisibility({ visibilityProperty: true });
  const all = elements.flatMap((one) => [
    ...speakersOf(one),
    ...[...one.querySelectorAll('*')].filter(drawn),
  ]);
  return [...new Set(all)].filter((one) => !isForEars(one));
}

/** Of elements and the view in them, those without anything to see. */
function blankOnes(elements) {
  const all = elements.flatMap((one) => [one, ...one.querySelectorAll('#view')]);
  return all.filter((one) => sightsIn([one]).length === 0);
}

/** Each thing that is not seen: [its name, why]; of the elements, or of `isAll` that is in them. */
function lookAt(elements, isAll) {
  const everything = new CSSStyleSheet();
  everything.replaceSync(
    '*, *::before, *::after { pointer-events: auto !important; scroll-behavior: auto !important; }',
  );
  const all = [...document.querySelectorAll('*')],
    before = new Map(all.map((one) => [one, [one.scrollLeft, one.scrollTop]]));
  const restore = () => {
    for (const [one, [left, top]] of before)
      if (one.scrollLeft !== left || one.scrollTop !== top) one.scrollTo(left, top);
  };
  document.adoptedStyleSheets.push(everything);
  try {
    const sights = isAll ? sightsIn(elements) : elements,
      blank = isAll ? blankOnes(elements) : [];
    return [
      ...sights.map((one) => [nameOf(one), faultOf(one)]),
      ...blank.map((one) => [nameOf(one), 'there is nothing to see in it']),
    ].filter(([, why]) => why);
  } finally {
    restore();
    document.adoptedStyleSheets.pop();
  }
}

/** Runs in a page before all else: notes which texts stand in each drawing, in its pixels.  Drawings cannot be asked. */
export function notePaintedTexts() {
  const { prototype } = CanvasRenderingContext2D,
    { fillText, clearRect } = prototype;
  globalThis.paintedTexts = new WeakMap();
  prototype.clearRect = function (x, y, ...size) {
    if (x === 0 && y === 0) globalThis.paintedTexts.set(this.canvas, []);
    clearRect.call(this, x, y, ...size);
  };
  prototype.fillText = function (text, x, y, ...rest) {
    const {
      actualBoundingBoxLeft,
      actualBoundingBoxRight,
      actualBoundingBoxAscent,
      actualBoundingBoxDescent,
    } = this.measureText(text);
    const { a, d, e, f } = this.getTransform();
    globalThis.paintedTexts.get(this.canvas)?.push({
      text,
      left: (x - actualBoundingBoxLeft) * a + e,
      right: (x + actualBoundingBoxRight) * a + e,
      top: (y - actualBoundingBoxAscent) * d + f,
      bottom: (y + actualBoundingBoxDescent) * d + f,
    });
    fillText.call(this, text, x, y, ...rest);
  };
}

const constants = { LEAST_CONTROL, LEAST_CUT, MIDDLES, MOVED, PASSING };
const functions = [
  ...[nameOf, scrollersOf, bring, partsOf, alphaOf, ownTexts, isThrough, isOnTop, isSeenAt, isCutOnPurpose],
  ...[luminanceOf, isOtherColor, faultOfText, isForEars, speakersOf, opacityOf, faultOfBox, faultOfDrawn],
  ...[faultOfCanvas, faultOfPainted, faultOfShape, faultOf, sightsIn, blankOnes, lookAt],
];

/** `lookAt` with all it knows, to be sent to a page: takes elements and `isAll`, returns [name, why] of each that is not seen. */
export const inPage = new Function(
  'elements',
  'isAll',
  [
    ...Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`),
    ...functions.map((one) => (/^function/.test(one) ? String(one) : `const ${one.name} = ${one};`)),
    'return lookAt(elements, isAll);',
  ].join('\n'),
);
