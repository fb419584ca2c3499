// What is selected, over the lanes: a range between two handles, or an instant; and where the cursor is.
import type { Pen } from '../export/seen';
import type { Time } from '../selection';
import type { Theme } from '../theme';
import type { Plan } from './chart';
import { xOf } from './scale';

export function paintSelected(pen: Pen, plan: Plan, time: Time, theme: Theme): void {
  const to = xOf(plan, time.to),
    from = time.from === null ? to : xOf(plan, time.from);
  if (time.from !== null) {
    pen.fillStyle = theme.surface;
    pen.globalAlpha = 0.62;
    pen.fillRect(0, 0, Math.max(0, from), plan.axis);
    pen.fillRect(to, 0, Math.max(0, plan.width - to), plan.axis);
    pen.globalAlpha = 0.09;
    pen.fillStyle = theme.accent;
    pen.fillRect(from, 0, to - from, plan.axis);
    pen.globalAlpha = 1;
  }
  pen.fillStyle = theme.accent;
  for (const x of [from, to]) {
    if (x < -1 || x > plan.width + 1) continue;
    pen.fillRect(Math.min(plan.width - 2, Math.max(0, x - 1)), 0, 2, plan.axis);
    pen.fillRect(Math.min(plan.width - 6, Math.max(0, x - 3)), plan.axis / 2 - 11, 6, 22);
  }
}

export function paintCursor(pen: Pen, plan: Plan, ns: number, theme: Theme): void {
  const x = Math.round(xOf(plan, ns)) + 0.5;
  pen.strokeStyle = theme.soft;
  pen.lineWidth = 1;
  pen.setLineDash([3, 3]);
  pen.beginPath();
  pen.moveTo(x, 0);
  pen.lineTo(x, plan.axis);
  pen.stroke();
  pen.setLineDash([]);
}
