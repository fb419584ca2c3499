// A table as CSV, quoted as memoir report --csv does.
import type { Table } from './seen';

// What steers a terminal or the order of text: controls, bidi controls, separators.
const steering = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function field(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const isQuoted = /[,"\r\n]/.test(value);
  const isNumber = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(value);
  const isFormula = /^\s*[-=+@]/.test(value) && !isNumber; // to a spreadsheet
  const plain = (isFormula ? "'" : '') + value.replace(/"/g, '""').replace(steering, ' ');
  return isQuoted ? `"${plain}"` : plain;
}

export function csvOf(table: Table): string {
  return [table.columns, ...table.rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}
