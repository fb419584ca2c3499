// Paints a heat map: a column per second, time going up in it, the more the darker.
import { SANS, timeTicks } from '../../canvas';
import type { Pen } from '../../export/seen';
import { heatColor } from '../../heat_colors';
import type { Theme } from '../../theme';
import { durationText } from '../../units';
import type { Cells } from './cells';

export interface HeatPlan {
  left: number;
  wide: number; // of a column
  high: number; // of a row
  width: number;
  height: number; // of the cells
  axis: number; // below them
}

const LEFT = 62, // words stand there
  BARE = 8,
  AXIS = 22,
  LEVELS = 24;

export function heatPlan(cells: Cells, room: number): HeatPlan {
  const left = cells.isEven ? LEFT : BARE;
  const wide = Math.max(2, Math.min(96, (room - left - 2) / cells.columns));
  const high = cells.rows === 1 ? 48 : Math.max(6, Math.min(26, Math.round(320 / cells.rows)));
  return {
    left,
    wide,
    high,
    width: Math.ceil(left + wide * cells.columns + 2),
    height: high * cells.rows,
    axis: AXIS,
  };
}

export function placeOf(plan: HeatPlan, cells: Cells, slot: number): { x: number; y: number } {
  const column = Math.floor(slot / cells.rows),
    row = slot % cells.rows;
  return { x: plan.left + column * plan.wide, y: plan.height - (row + 1) * plan.high };
}

export function slotAt(plan: HeatPlan, cells: Cells, x: number, y: number): number {
  const column = Math.max(0, Math.min(cells.columns - 1, Math.floor((x - plan.left) / plan.wide)));
  const row = Math.max(0, Math.min(cells.rows - 1, Math.floor((plan.height - y) / plan.high)));
  return Math.min(cells.count - 1, column * cells.rows + row);
}

/** Small amounts are told apart from none; 0 to 1. */
export function warmth(shade: number, most: number): number {
  return shade > 0 && most > 0 ? 0.08 + 0.92 * Math.sqrt(shade / most) : 0;
}

export function paintHeat(pen: Pen, cells: Cells, plan: HeatPlan, theme: Theme): void {
  const colors = Array.from({ length: LEVELS + 1 }, (_, i) => heatColor(i / LEVELS).fill);
  const gap = plan.wide > 5 ? 1 : 0;
  pen.fillStyle = theme.line;
  pen.fillRect(plan.left, 0, plan.wide * cells.columns, plan.height);
  for (let slot = 0; slot < cells.count; slot++) {
    const { x, y } = placeOf(plan, cells, slot);
    pen.fillStyle = colors[Math.round(LEVELS * warmth(cells.shade(slot), cells.most))]!;
    pen.fillRect(x, y, plan.wide - gap, plan.high - (plan.high > 8 ? 1 : 0));
  }
  paintAxes(pen, cells, plan, theme);
}

function paintAxes(pen: Pen, cells: Cells, plan: HeatPlan, theme: Theme): void {
  pen.font = `10.5px ${SANS}`;
  pen.fillStyle = theme.faint;
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  const column = cells.to(cells.rows - 1) - cells.from(0);
  for (const part of cells.isEven ? [0, 0.5, 1] : []) {
    const y = plan.height * (1 - part);
    pen.fillText(
      part === 0 ? '+0' : `+${durationText(column * part)}`,
      plan.left - 7,
      Math.max(6, Math.min(plan.height - 6, y)),
    );
  }
  pen.textBaseline = 'alphabetic';
  const last = (cells.columns - 1) * cells.rows;
  const times = timeTicks(cells.from(0), cells.from(last), Math.max(1, (plan.wide * cells.columns) / 90));
  let slot = 0,
    free = 0;
  for (const tick of times) {
    while (slot < last && cells.from(slot + cells.rows) <= tick) slot += cells.rows;
    const { x } = placeOf(plan, cells, slot);
    if (x < free) continue;
    free = x + 60;
    pen.textAlign = x < plan.left + 12 ? 'left' : 'center';
    pen.fillText(
      tick === 0 ? '0 s' : durationText(tick),
      x + (x < plan.left + 12 ? 0 : plan.wide / 2),
      plan.height + 15,
    );
  }
}

/** A frame around all cells from one to another, in the order of time. */
export function outlineSlots(
  pen: Pen,
  cells: Cells,
  plan: HeatPlan,
  [first, last]: readonly [number, number],
  color: string,
  isFilled: boolean,
): void {
  const from = Math.floor(first / cells.rows),
    to = Math.floor(last / cells.rows);
  pen.strokeStyle = pen.fillStyle = color;
  pen.lineWidth = 2;
  for (let column = from; column <= to; column++) {
    const low = column === from ? first % cells.rows : 0,
      top = column === to ? last % cells.rows : cells.rows - 1;
    const { x } = placeOf(plan, cells, column * cells.rows);
    const y = plan.height - (top + 1) * plan.high,
      height = (top - low + 1) * plan.high;
    if (isFilled) {
      pen.globalAlpha = 0.18;
      pen.fillRect(x, y, plan.wide, height);
      pen.globalAlpha = 1;
    }
    if (from === to || column === from || column === to || plan.wide > 12)
      pen.strokeRect(x + 0.5, y + 0.5, Math.max(1, plan.wide - 1), Math.max(1, height - 1));
  }
}
