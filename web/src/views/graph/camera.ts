// Looks at a drawing: drag moves it, wheel and two fingers zoom.
import { setAttribute } from '../../dom';

const LEAST = 0.04,
  MOST = 4,
  STEP = 1.25,
  NEARLY = 0.88,
  STILL = 5, // pixels that a hand moves without meaning it
  SETTLE_MS = 200;

interface Place {
  x: number;
  y: number;
}

/** Not past either end of what is larger than the window. */
function within(place: number, least: number): number {
  return Math.min(0, Math.max(least, place));
}

export class Camera {
  private scale = 1;
  private left = 0;
  private top = 0;
  private content = { width: 1, height: 1 };
  private anchor: Place | undefined; // what a drawing that is too large begins with
  private readonly fingers = new Map<number, Place>();
  private moved = 0;
  private wasMoved = false; // by the user: a new size of the window then changes nothing
  private settling = 0;
  private text = ''; // what is seen, as in the address; empty: as usual

  constructor(
    private readonly stage: SVGSVGElement,
    private readonly drawing: SVGGElement,
    private readonly least: () => number, // the scale that a drawing is shown at when it is made to fit
    private readonly onRest: (text: string) => void, // the user has moved it
  ) {
    stage.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    stage.addEventListener('pointerdown', (event) => this.press(event));
    stage.addEventListener('pointermove', (event) => this.drag(event));
    for (const name of ['pointerup', 'pointercancel'] as const)
      stage.addEventListener(name, (event) => this.fingers.delete(event.pointerId));
    new ResizeObserver(() => !this.wasMoved && this.fit()).observe(stage);
  }

  /** Whether the click that just came ends a drag. */
  get isDragged(): boolean {
    return this.moved > STILL;
  }

  show(content: { width: number; height: number }, anchor: Place | undefined): void {
    this.content = content;
    this.anchor = anchor;
    this.fit();
  }

  /** As the address says. */
  follow(text: string): void {
    if (text === this.text || this.settling) return;
    const [x, y, thousandths] = text.split(',').map(Number);
    if (x === undefined || y === undefined || thousandths === undefined) {
      this.fit();
      return;
    }
    this.text = text;
    this.scale = Math.min(MOST, Math.max(LEAST, thousandths / 1000));
    this.left = this.stage.clientWidth / 2 - x * this.scale;
    this.top = this.stage.clientHeight / 2 - y * this.scale;
    this.wasMoved = true;
    this.apply();
  }

  private rest(): void {
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      const x = (this.stage.clientWidth / 2 - this.left) / this.scale,
        y = (this.stage.clientHeight / 2 - this.top) / this.scale;
      this.settling = 0;
      this.text = this.wasMoved ? `${Math.round(x)},${Math.round(y)},${Math.round(this.scale * 1000)}` : '';
      this.onRest(this.text);
    }, SETTLE_MS);
  }

  /** All of it; but no smaller than one can read, then the part around what it begins with. */
  fit(isWhole = false): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (width < 10 || height < 10) return;
    const whole = Math.min(width / this.content.width, height / this.content.height, 1.2);
    const least = Math.min(this.least(), 1);
    this.scale = Math.max(isWhole ? LEAST : least, whole);
    if (whole > NEARLY * least) this.scale = whole; // a little smaller, and nothing is cut
    const wide = this.content.width * this.scale,
      high = this.content.height * this.scale;
    const { x, y } = this.anchor ?? { x: this.content.width / 2, y: 0 };
    this.left = wide <= width ? (width - wide) / 2 : within(width / 2 - x * this.scale, width - wide);
    this.top = high <= height ? (height - high) / 2 : within(height / 3 - y * this.scale, height - high);
    this.wasMoved = isWhole;
    this.text = '';
    this.apply();
    if (isWhole) this.rest();
  }

  /** Moves only if it must. */
  bringIntoView(box: { x: number; y: number; width: number; height: number }, toMiddle = false): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const x = box.x * this.scale + this.left,
      y = box.y * this.scale + this.top;
    const wide = (box.width / 2) * this.scale + 8,
      high = (box.height / 2) * this.scale + 8;
    if (toMiddle || x - wide < 0 || x + wide > width) this.left += width / 2 - x;
    if (toMiddle || y - high < 0 || y + high > height) this.top += height / 2 - y;
    this.apply();
  }

  step(direction: 1 | -1): void {
    this.zoom(STEP ** direction, { x: this.stage.clientWidth / 2, y: this.stage.clientHeight / 2 });
  }

  private zoom(factor: number, at: Place): void {
    const next = Math.min(MOST, Math.max(LEAST, this.scale * factor));
    this.left = at.x - ((at.x - this.left) / this.scale) * next;
    this.top = at.y - ((at.y - this.top) / this.scale) * next;
    this.scale = next;
    this.wasMoved = true;
    this.apply();
    this.rest();
  }

  private apply(): void {
    setAttribute(
      this.drawing,
      'transform',
      `translate(${this.left.toFixed(2)} ${this.top.toFixed(2)}) scale(${this.scale.toFixed(4)})`,
    );
  }

  private placeOf(event: MouseEvent): Place {
    const { left, top } = this.stage.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    this.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0015)), this.placeOf(event));
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    if (this.fingers.size === 0) this.moved = 0;
    this.fingers.set(event.pointerId, this.placeOf(event));
  }

  private drag(event: PointerEvent): void {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = this.placeOf(event);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    this.moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (!this.isDragged) return;
    this.fingers.set(event.pointerId, now);
    if (!this.stage.hasPointerCapture(event.pointerId)) this.stage.setPointerCapture(event.pointerId);
    this.left += (now.x - before.x) / (other ? 2 : 1);
    this.top += (now.y - before.y) / (other ? 2 : 1);
    this.wasMoved = true;
    this.rest();
    if (other)
      this.zoom(
        Math.hypot(now.x - other.x, now.y - other.y) /
          Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)),
        { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 },
      );
    else this.apply();
  }
}
