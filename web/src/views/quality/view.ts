// How far to trust it: each doubt with its reason and what to do.
import type { Quality, Report } from '../../api_types';
import { add, fill, h } from '../../dom';
import type { Table } from '../../export/seen';
import { headOf, type Part, type Scene } from '../../scene';
import { bytesText, countText, durationText, shareText } from '../../units';

type Level = 'good' | 'note' | 'bad';

export interface Finding {
  name: string;
  level: Level;
  value: number;
  text: string;
  reason: string;
}

const ends: Readonly<Record<string, string>> = {
  no_rule: 'ended in code without unwind information: build it with -fasynchronous-unwind-tables',
  bad_frame: 'had unwind rules that pointed outside the stack',
  too_deep: 'were too deep: their middle is left out',
  table_full: 'were dropped because the table of stacks was full',
  cut: 'were longer than the part of the stack that was copied',
  not_taken: 'were not recorded: too many new stacks at once, or unreadable memory',
};
const nameless: Readonly<Record<string, string>> = {
  no_module: 'in code without a file, such as that of a JIT',
  no_symbols: 'in files without symbols: install their debug symbols, or do not strip them',
  gap: 'between the symbols of a file',
};

function counted(reasons: Readonly<Record<string, string>>, counts: Record<string, number>): string {
  return Object.entries(reasons)
    .filter(([key]) => (counts[key] ?? 0) > 0)
    .map(([key, reason]) => `${countText(counts[key]!)} ${reason}`)
    .join('; ');
}

function lostEvents(q: Quality): Finding {
  return {
    name: 'lost_events',
    level: q.lost_events > 0 ? 'bad' : 'good',
    value: q.lost_events,
    text: q.lost_events
      ? `${countText(q.lost_events)} of ${countText(q.events)} events lost`
      : `Nothing lost of ${countText(q.events)} events`,
    reason: q.lost_events
      ? `The recorder was late. Totals are exact all the same; ${bytesText(q.lost_bytes)} in ${countText(q.lost_calls)} allocations are in no stack. Give the recorder more processor time, or record samples instead of every event.`
      : '',
  };
}

function timeFindings({ time }: Quality): Finding[] {
  if (!time) return [];
  const lost = time.lost_samples + time.lost_waits;
  const found: Finding[] = [
    {
      name: 'time-lost',
      level: lost > 0 ? 'bad' : 'good',
      value: lost,
      text: lost
        ? `${countText(lost)} samples or waits lost`
        : `Nothing lost of ${countText(time.samples)} samples at ${time.hz} Hz and ${countText(time.waits)} waits`,
      reason: lost ? 'The recorder was late: give it more processor time, or sample less often.' : '',
    },
  ];
  if (time.throttled > 0)
    found.push({
      name: 'throttled',
      level: 'note',
      value: time.throttled,
      text: `The kernel held samples back ${countText(time.throttled)} times`,
      reason: 'Sample less often.',
    });
  if (time.waits_without_stack > 0)
    found.push({
      name: 'waits_without_stack',
      level: 'note',
      value: time.waits_without_stack,
      text: `${countText(time.waits_without_stack)} waits without a stack`,
      reason: 'Their time is counted, but the function that waited is not known.',
    });
  return found;
}

/** Of every recording; in the order in which it matters. */
export function findingsOf(report: Pick<Report, 'quality' | 'cost' | 'before' | 'recording'>): Finding[] {
  const { quality: q, cost, before } = report;
  const stacks = Object.values(q.stack_ends).reduce((sum, count) => sum + count, 0),
    whole = q.stack_ends['complete'] ?? 0;
  const some = (value: number, level: Level): Level => (value > 0 ? level : 'good');
  const all: Finding[] = [
    ...q.doubts.map((doubt): Finding => ({
      name: `doubt-${doubt.kind}`,
      level: 'bad',
      value: 1,
      text: 'Part of the memory is not recorded',
      reason: doubt.sentence,
    })),
    ...timeFindings(q),
    ...(q.events === 0 && q.time ? [] : [lostEvents(q)]),
    {
      name: 'complete_stacks',
      level: stacks > whole ? (q.complete_stacks_share < 0.95 ? 'bad' : 'note') : 'good',
      value: q.complete_stacks_share,
      text: `${shareText(q.complete_stacks_share, 1)} of stacks complete`,
      reason: counted(ends, q.stack_ends),
    },
    {
      name: 'unresolved_frames',
      level: q.unresolved_frames_share > 0.2 ? 'bad' : some(q.unresolved_frames_share, 'note'),
      value: q.unresolved_frames_share,
      text:
        q.unresolved_frames_share > 0
          ? `${(100 * q.unresolved_frames_share).toFixed(1)} % of frames without a name`
          : 'Every frame has a name',
      reason: counted(nameless, q.unresolved_frames),
    },
    {
      name: 'damaged',
      level: some(q.damaged_chunks + q.truncated_bytes, 'bad'),
      value: q.damaged_chunks,
      text: q.damaged_chunks + q.truncated_bytes > 0 ? 'The file is damaged' : 'The file is whole',
      reason:
        q.damaged_chunks + q.truncated_bytes > 0
          ? `${countText(q.damaged_chunks)} damaged parts were skipped, ${bytesText(q.truncated_bytes)} are cut off at its end.`
          : '',
    },
  ];
  if (!report.recording.being_written)
    all.push({
      name: 'complete',
      level: q.complete ? 'good' : 'note',
      value: q.complete ? 1 : 0,
      text: q.complete ? 'The recorder ended in order' : 'The recorder was interrupted',
      reason: q.complete ? '' : 'The file has everything that was written until then.',
    });
  const odd: [string, number, Level, string, string][] = [
    [
      'unknown_frees',
      q.unknown_frees,
      'note',
      `${countText(q.unknown_frees)} frees of blocks never seen allocated`,
      before
        ? 'These blocks were allocated before memoir attached.'
        : 'These blocks were allocated before tracing began, or by an allocator that is not traced.',
    ],
    [
      'implied_frees',
      q.implied_frees,
      'note',
      `${countText(q.implied_frees)} frees found only by reuse of the address`,
      'An allocator or a library frees memory in a way that is not traced.',
    ],
    [
      'collapsed_stacks',
      q.collapsed_stacks,
      'note',
      `${countText(q.collapsed_stacks)} events with folded recursion`,
      'Deep recursion is shown once.',
    ],
    [
      'sample_rate',
      q.sample_rate_bytes,
      'note',
      `Sampled: one in about ${bytesText(q.sample_rate_bytes)}`,
      'Numbers are estimates; small ones are rough.',
    ],
    [
      'samples_dropped',
      q.samples_dropped,
      'bad',
      `${countText(q.samples_dropped)} samples dropped: the buffer was full`,
      'Sample less often.',
    ],
    [
      'off',
      q.off_ns,
      'note',
      `The heap was not traced for ${durationText(q.off_ns)}`,
      'Allocations in that time are not counted.',
    ],
    [
      'coarsened',
      q.coarsened ? 1 : 0,
      'note',
      'Older times have a coarser resolution',
      'The file stays below --max-size this way; sums are exact.',
    ],
    [
      'waits',
      cost.waits,
      'note',
      `The program waited ${countText(cost.waits)} times for the recorder, ${durationText(cost.wait_ns)} in all`,
      'The event buffer was full; each wait was 20 ms at most.',
    ],
  ];
  for (const [name, value, level, text, reason] of odd)
    if (value > 0) all.push({ name, level, value, text, reason });
  return all.concat(
    q.notes.map((note, i): Finding => ({
      name: `note-${i}`,
      level: 'note',
      value: 1,
      text: 'Note',
      reason: note,
    })),
  );
}

export function worst(quality: Finding[]): Level {
  return quality.some((one) => one.level === 'bad')
    ? 'bad'
    : quality.some((one) => one.level === 'note')
      ? 'note'
      : 'good';
}

const signs: Record<Level, string> = { good: '✓', note: 'i', bad: '!' };
const words: Record<Level, string> = { good: 'good', note: 'note', bad: 'problem' };

export class QualityPart implements Part {
  readonly element = h('section', { class: 'quality', 'aria-label': 'Quality' });
  private scene: Scene | null = null;
  private seen: Finding[] | null = null;

  asTable(): Table | null {
    return (
      this.seen && {
        columns: ['finding', 'level', 'value', 'text', 'reason'],
        rows: this.seen.map((one) => [one.name, one.level, one.value, one.text, one.reason]),
      }
    );
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const report = await scene.source.get<Report>('api/report', headOf(scene));
    if (this.scene !== scene) return;
    this.seen = findingsOf(report);
    fill(this.element, h('p', { class: 'hint' }, 'About the whole recording, not only the selection.'));
    add(
      this.element,
      h(
        'ul',
        { class: 'findings' },
        ...this.seen.map((one) =>
          h(
            'li',
            { class: `finding ${one.level}`, 'data-name': one.name, 'data-value': one.value },
            h('span', { class: 'sign', role: 'img', 'aria-label': words[one.level] }, signs[one.level]),
            h('div', {}, h('b', {}, one.text), one.reason ? h('p', {}, one.reason) : null),
          ),
        ),
      ),
      this.costOf(report),
    );
  }

  private costOf(report: Report): HTMLElement {
    const { cost, before } = report;
    const line = (name: string, text: string, value: number): HTMLElement[] => [
      h('dt', {}, name),
      h('dd', { 'data-name': name, 'data-value': value }, text),
    ];
    return h(
      'section',
      { class: 'card cost' },
      h('h3', {}, 'Cost of recording'),
      h(
        'dl',
        {},
        ...line(
          'Time added to the program',
          cost.ns_per_event ? `about ${countText(cost.ns_per_event)} ns per event` : 'not measured',
          cost.ns_per_event,
        ),
        ...line('CPU time of the recorder', durationText(cost.recorder_cpu_ns), cost.recorder_cpu_ns),
        ...line('Memory of the recorder', bytesText(cost.recorder_rss_bytes), cost.recorder_rss_bytes),
        ...(before
          ? line('Resident before memoir attached', bytesText(before.rss_bytes), before.rss_bytes)
          : []),
      ),
    );
  }
}
