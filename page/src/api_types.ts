// What the server answers: docs/api.md and docs/json.md.  Only fields that the page reads.

export interface Target {
  id: string; // for ?target=
  kind: 'process' | 'recording' | 'node' | 'history';
  pid: number;
  node?: string;
  running: boolean;
  recording: 'none' | 'being written' | 'ended';
  file?: string;
  program?: string;
  start_unix_ns?: number;
  time_ns?: number;
  metrics?: string[];
}

export interface Targets {
  targets: Target[];
}

export interface Frame {
  function: string;
  module: string;
  file: string;
  line: number;
  inlined: boolean;
}

export interface ReportRow {
  value: number;
  count: number;
  share: number;
  total_value?: number;
  total_count?: number;
  thread?: { tid: number; name: string; merged: number };
  stack: Frame[];
}

export interface HeapSummary {
  calls: number;
  allocated_bytes: number;
  freed_calls: number;
  freed_bytes: number;
  peak_bytes: number;
  peak_calls: number;
  peak_time_ns: number;
  leaked_bytes: number;
  leaked_calls: number;
  suppressed_bytes: number;
  suppressed_calls: number;
  temporary_calls: number;
}

export interface Quality {
  lost_events: number;
  events: number;
  lost_calls: number;
  lost_bytes: number;
  implied_frees: number;
  unknown_frees: number;
  collapsed_stacks: number;
  sample_rate_bytes: number;
  samples_dropped: number;
  unfollowed_bytes: number;
  off_ns: number;
  damaged_chunks: number;
  truncated_bytes: number;
  complete: boolean;
  coarsened: boolean;
  complete_stacks_share: number;
  stack_ends: Record<string, number>;
  unresolved_frames_share: number;
  unresolved_frames: Record<string, number>;
  notes: string[];
  time: {
    hz: number;
    samples: number;
    lost_samples: number;
    throttled: number;
    waits: number;
    lost_waits: number;
    waits_without_stack: number;
  } | null;
  doubts: { kind: string; has: string | null; sentence: string }[];
}

export interface Trend {
  verdict: string;
  bytes_per_second: number;
  confidence: number;
  limit_in_ns: number | null;
}

export interface Recording {
  program: string;
  command_line: string;
  pid: number | null;
  host: string;
  start: number | null;
  duration_ns: number;
  source: string;
  exit_status: number | null;
  being_written: boolean;
}

export interface Report {
  recording: Recording;
  summary: { heap: HeapSummary; rss_peak_bytes: number | null };
  quality: Quality;
  cost: {
    ns_per_event: number;
    recorder_cpu_ns: number;
    recorder_rss_bytes: number;
    waits: number;
    wait_ns: number;
  };
  before: { rss_bytes: number; freed_calls: number } | null;
  growth: { heap: Trend; rss: Trend };
  metric: string;
  unit: string;
  range: { from_ns: number; to_ns: number };
  total: { value: number; count: number };
  matched: { value: number; count: number };
  histogram: {
    sizes: { from_bytes: number; below_bytes: number | null; count: number }[];
    lifetimes: { from_ns: number; below_ns: number | null; count: number }[];
  };
  rows: ReportRow[];
}

export interface SideValue {
  value: number;
  count: number;
  total_value: number;
  total_count: number;
  total_share: number | null;
}

export interface SideRow {
  frame?: Frame | null;
  tid?: number;
  name?: string;
  values: SideValue[];
  ratios: (number | null)[];
}

export interface SideNode {
  id: number;
  parent: number | null;
  function: string;
  module: string;
  values: SideValue[];
  ratios: (number | null)[];
}

export interface Sides {
  metrics: {
    metric: string;
    unit: string;
    value: number;
    count: number;
    matched_value: number;
    from_ns: number;
    to_ns: number;
  }[];
  ratios: { of: string; per: string; unit: string }[];
  rows?: SideRow[];
  tree?: SideNode[];
}

export interface Timeline {
  metric: string;
  unit: string;
  is_rate: boolean;
  from_ns: number;
  to_ns: number;
  start_unix_ns: number;
  being_written: boolean;
  columns: {
    begin_ns: number[];
    end_ns: number[];
    rss: (number | null)[];
    heap_live: (number | null)[];
    heap_live_max: (number | null)[];
    heap_live_min: (number | null)[];
    allocated: number[];
    allocated_calls: number[];
    lost_events: number[];
  };
  sites: { function: string | null; values: number[] }[];
  instants_ns: number[];
  marks: { kind: 'mark' | 'phase'; label: string; time_ns: number; end_ns?: number; is_open?: boolean }[];
}

export interface FlameAnswer {
  unit: string;
  noun: string;
  total: number;
  trees: { nodes: number[] }[];
  frames: number[];
  strings: string[];
}
