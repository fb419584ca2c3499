// The owners of resident memory: what they are called, what they mean, and their colours.
import type { Theme } from '../../theme';

interface About {
  title: string;
  meaning: string;
  series: number; // of the palette; 0: the grey one
}

const about: Readonly<Record<string, About>> = {
  'heap.resident': { title: 'Heap, live', meaning: 'resident bytes of live blocks', series: 1 },
  'heap.held': {
    title: 'Heap, held',
    meaning: 'unused bytes of pages with live blocks: the allocator cannot return them to the kernel',
    series: 2,
  },
  'heap.kept': {
    title: 'Heap, free',
    meaning: 'pages without live blocks that the allocator keeps',
    series: 4,
  },
  'maps.resident': { title: 'Mapped', meaning: 'mapped or named by the program itself', series: 3 },
  'stacks.resident': { title: 'Stacks', meaning: 'stacks of threads', series: 7 },
  'files.resident': {
    title: 'Files',
    meaning: 'code, libraries with their data, mapped files, shared memory',
    series: 5,
  },
  'runtime.resident': {
    title: 'Runtime',
    meaning: "the heap of the language's runtime, and code made at run time",
    series: 6,
  },
  'memoir.resident': { title: 'memoir', meaning: 'memory that recording uses in the process', series: 0 },
  'before.resident': {
    title: 'Before',
    meaning: 'heap memory that is older than the recording',
    series: 8,
  },
  'unexplained.resident': { title: 'Unexplained', meaning: 'memory without a known owner', series: 0 },
  'pages.anon': { title: 'Anonymous', meaning: 'private memory without a file', series: 1 },
  'pages.file': { title: 'Files', meaning: 'pages of mapped files', series: 5 },
  'pages.shmem': { title: 'Shared', meaning: 'shared memory', series: 3 },
};

export function aboutOwner(metric: string, name: string): About {
  return about[metric] ?? { title: name, meaning: '', series: 0 };
}

/** For the style sheet: it follows light and dark by itself. */
export function ownerVariable(metric: string): string {
  const series = about[metric]?.series ?? 0;
  return series ? `var(--series-${series})` : metric.startsWith('memoir') ? 'var(--mark)' : 'var(--rest)';
}

export function ownerColor(colors: Theme, metric: string): string {
  const series = about[metric]?.series ?? 0;
  return (
    (series ? colors.series[series - 1] : metric.startsWith('memoir') ? colors.mark : colors.rest) ??
    colors.rest
  );
}

/** What a sampled heap only estimates. */
export function isEstimated(metric: string): boolean {
  return metric === 'heap.resident' || metric === 'heap.kept' || metric === 'heap.held';
}
