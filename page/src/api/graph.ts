// What /api/graph answers: docs/json.md, memoir graph -o NAME.json.

export interface GraphNode {
  function: string;
  module: string;
  file: string;
  line: number; // 0: unknown, or several
  self: number;
  self_count: number;
  total: number;
  total_count: number;
  share: number; // of total
  cycle: number; // 0, or the same for all that reach each other by calls
  recursive: boolean;
}

export interface GraphEdge {
  from: number; // places in nodes
  to: number;
  value: number;
  count: number;
  share: number;
  indirect: boolean;
}

export interface GraphAnswer {
  metric: string;
  unit: string;
  by: 'function' | 'line' | 'module';
  range: { from_ns: number; to_ns: number };
  focus: string | null;
  all: { value: number; count: number };
  total: { value: number; count: number };
  chosen: { value: number; count: number };
  whole: number;
  stackless: number;
  cycles: number;
  left_out: { nodes: number; self: number; edges: number; edge_most: number };
  nodes: GraphNode[]; // largest total first
  edges: GraphEdge[]; // largest first
}
