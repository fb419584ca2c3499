// The time that the selected one is compared with: dashed, and named, so that it is not taken for the other.
import { SANS } from '../canvas';
import type { Time } from '../selection';
import type { Theme } from '../theme';
import type { Plan } from './chart';
import { xOf } from './scale';

export function paintCompared(pen: CanvasRenderingContext2D, plan: Plan, time: Time, theme: Theme): void {
  const to = xOf(plan, time.to),
    from = time.from === null ? to : xOf(plan, time.from);
  pen.save();
  pen.strokeStyle = pen.fillStyle = theme.mark;
  pen.globalAlpha = 0.12;
  pen.fillRect(from, 0, to - from, plan.axis);
  pen.globalAlpha = 1;
  pen.lineWidth = 2;
  pen.setLineDash([5, 3]);
  pen.beginPath();
  for (const x of [from, to]) {
    const inside = Math.min(plan.width - 1, Math.max(1, x));
    pen.moveTo(inside, 0);
    pen.lineTo(inside, plan.axis);
  }
  pen.stroke();
  pen.setLineDash([]);
  pen.font = `600 11px ${SANS}`;
  const text = 'compared with',
    width = pen.measureText(text).width + 10;
  const left = Math.max(0, Math.min(plan.width - width, from));
  pen.fillRect(left, plan.axis - 18, width, 17);
  pen.fillStyle = theme.surface;
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  pen.fillText(text, left + 5, plan.axis - 9);
  pen.restore();
}
