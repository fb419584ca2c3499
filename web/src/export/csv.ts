// A table as CSV, quoted as memoir report --csv does.
import type { Table } from './seen';

function field(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const isQuoted = /[,"\r\n]/.test(value);
  const plain = value.replace(/"/g, '""').replace(/[\u0000-\u001f]/g, ' ');
  return isQuoted ? `"${plain}"` : plain;
}

export function csvOf(table: Table): string {
  return [table.columns, ...table.rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}
