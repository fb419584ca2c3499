// All views, in the order of their tabs: short names for tabs, whole ones for those who hover or listen.

interface About {
  tab: string;
  title: string;
  letter: string; // after g
  begins?: true; // a group of tabs
}

const about = {
  flame: { tab: 'Flame', title: 'Flame graph', letter: 'f', begins: true },
  functions: { tab: 'Functions', title: 'Functions, modules and lines', letter: 'u' },
  tree: { tab: 'Tree', title: 'Call tree', letter: 't' },
  callers: { tab: 'Callers', title: 'Callers and callees of one function', letter: 'c' },
  graph: { tab: 'Graph', title: 'Call graph', letter: 'g' },
  source: { tab: 'Source', title: 'Source lines', letter: 's' },
  sites: { tab: 'Sites', title: 'Call sites over time', letter: 'o', begins: true },
  growth: { tab: 'Growth', title: 'Memory growth', letter: 'w' },
  diff: { tab: 'Diff', title: 'What changed between two times or recordings', letter: 'd' },
  heat: { tab: 'Heat', title: 'Heat map of time', letter: 'h' },
  explain: { tab: 'Resident', title: 'Owners of resident memory', letter: 'r', begins: true },
  map: { tab: 'Map', title: 'Map of the address space', letter: 'm' },
  histograms: { tab: 'Sizes', title: 'Sizes and lifetimes of blocks', letter: 'i' },
  threads: { tab: 'Threads', title: 'Threads', letter: 'e' },
  nodes: { tab: 'Nodes', title: 'All nodes', letter: 'n', begins: true },
  quality: { tab: 'Quality', title: 'Quality of the recording', letter: 'q' },
} as const satisfies Record<string, About>;

export type View = keyof typeof about;
export const viewNames = Object.keys(about) as readonly View[];

export function aboutView(view: View): About {
  return about[view];
}
