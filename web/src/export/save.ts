// Gives the user a file; and what the server makes of the selection as one.
import { askFile } from '../client';
import type { Parameters } from '../client';

export function saveFile(name: string, data: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export function saveText(name: string, type: string, text: string): void {
  saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** A name that every system takes. */
export function fileName(...words: string[]): string {
  return words
    .filter(Boolean)
    .map((word) => word.replace(/[^A-Za-z0-9._-]+/g, '_'))
    .join('-')
    .replace(/^\.+/, '')
    .slice(0, 120);
}

export async function saveExport(parameters: Parameters): Promise<void> {
  const { name, data } = await askFile('api/export', parameters);
  saveFile(name, data);
}
