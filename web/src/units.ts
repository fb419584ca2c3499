// Numbers for people, written as memoir report writes them.

function digits(value: number): number {
  const size = Math.abs(value);
  return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

function scaled(value: number, step: number, units: readonly string[]): string {
  let place = 0;
  while (Math.abs(value) >= step - 0.5 && place < units.length - 1) {
    value /= step;
    place++;
  }
  return value.toFixed(digits(value)) + units[place];
}

export function bytesText(bytes: number): string {
  if (Math.abs(bytes) < 1024) return `${Math.round(bytes)} B`;
  return scaled(bytes / 1024, 1024, [' KiB', ' MiB', ' GiB', ' TiB', ' PiB', ' EiB']);
}

export function countText(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

export function shortCountText(count: number): string {
  return Math.abs(count) < 1000
    ? String(Math.round(count))
    : scaled(count / 1000, 1000, ['k', 'M', 'G', 'T', 'P']);
}

export function durationText(ns: number): string {
  if (ns < 0) return `-${durationText(-ns)}`;
  if (ns < 1000) return `${Math.round(ns)} ns`;
  if (ns < 59.95e9) return scaled(ns / 1000, 1000, [' µs', ' ms', ' s']);
  const seconds = Math.round(ns / 1e9);
  const two = (n: number): string => String(n).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds / 3600) % 24} h`;
}

export function valueText(value: number, unit: string): string {
  if (unit === 'bytes') return bytesText(value);
  if (unit === 'ns') return durationText(value);
  return countText(value);
}

/** A change: what grows says so. */
export function signedText(value: number, text: (value: number) => string): string {
  return `${value > 0 ? '+' : ''}${text(value)}`;
}

export function rateText(perSecond: number, unit: string): string {
  if (unit === 'bytes') return `${bytesText(perSecond)}/s`;
  if (unit === 'ns') return `${(perSecond / 1e9).toFixed(2)} of a processor`;
  return `${shortCountText(perSecond)}/s`;
}

export function shareText(part: number, whole: number): string {
  if (!whole) return '–';
  const share = (100 * part) / whole;
  if (part !== 0 && Math.abs(share) < 0.05) return share < 0 ? '>-0.1 %' : '<0.1 %';
  return `${share.toFixed(1)} %`;
}

export function ratioText(ratio: number | null, unit: string): string {
  if (ratio === null) return '–';
  if (unit.startsWith('bytes/')) return `${bytesText(ratio)}${unit.slice('bytes'.length)}`;
  return `${shortCountText(ratio) === String(Math.round(ratio)) ? ratio.toFixed(digits(ratio)) : shortCountText(ratio)}${unit && ` ${unit}`}`;
}

export function clockText(unixNs: number): string {
  return new Date(unixNs / 1e6).toISOString().replace('T', ' ').slice(0, 19) + ' UTC';
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
