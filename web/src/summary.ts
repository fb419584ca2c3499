// The few numbers that everybody wants first; each leads to its metric.
import type { Report } from './api_types';
import { fill, h, listen } from './dom';
import type { Scene } from './scene';
import { bytesText, countText, durationText, rateText, shareText, shortCountText } from './units';

interface Fact {
  name: string;
  label: string;
  value: number;
  text: string;
  more: string;
  metric: string;
}

const verdicts: Readonly<Record<string, string>> = {
  unknown: 'not known',
  steady: 'steady',
  falling: 'falling',
  settling: 'settling',
  stepped: 'in steps',
  growing: 'growing',
};

/** What the blocks are that are live at the end of the recording. */
const leakedLabels: Readonly<Record<Report['summary']['heap']['leaked_when'], string>> = {
  end: 'Never freed',
  now: 'Live now',
  stopped: 'Live when recording stopped',
  became_another: 'Live when it became another',
  last_snapshot: 'Live at the last snapshot',
  last_written: 'Live when last written',
};

/** A number that lost events leave open is never shown alone. */
function rangeText(low: number, high: number): string {
  return low === high ? '' : `${bytesText(low)} to ${bytesText(high)}, because events were lost; `;
}

/** What a verdict lacks: time, or values in it. */
function lackText(durationNs: number): string {
  return durationNs < 30e9 ? 'a verdict needs 30 s' : 'too few values: a verdict needs 24';
}

function factsOf(report: Report): Fact[] {
  const { heap, rss_peak_bytes: rss } = report.summary,
    { growth, recording } = report;
  const seconds = recording.duration_ns / 1e9,
    facts: Fact[] = [];
  if (heap.calls > 0) {
    const atPeak = heap.peak_calls === null ? '' : `${countText(heap.peak_calls)} blocks, `;
    facts.push({
      name: 'peak',
      label: 'Peak heap',
      value: heap.peak_bytes,
      text: bytesText(heap.peak_bytes),
      more: `${rangeText(heap.peak_bytes_low, heap.peak_bytes_high)}${atPeak}at ${durationText(heap.peak_time_ns)}`,
      metric: 'heap.peak',
    });
    // While it runs nothing is leaked yet: then it is all that is live, as heap.live counts it.
    const isLive = recording.being_written;
    const bytes = heap.leaked_bytes + (isLive ? heap.suppressed_bytes : 0);
    const blocks = heap.leaked_calls + (isLive ? heap.suppressed_calls : 0);
    facts.push({
      name: 'leaked',
      label: leakedLabels[heap.leaked_when],
      value: bytes,
      text: bytesText(bytes),
      more: `${rangeText(heap.leaked_bytes_low, heap.leaked_bytes_high)}${countText(blocks)} blocks`,
      metric: isLive ? 'heap.live' : 'heap.leaked',
    });
    facts.push({
      name: 'allocated',
      label: 'Total allocated',
      value: heap.allocated_bytes,
      text: bytesText(heap.allocated_bytes),
      more: `${shortCountText(heap.calls)} calls${seconds > 0 ? `, ${shortCountText(heap.calls / seconds)}/s` : ''}`,
      metric: 'heap.allocated',
    });
    facts.push({
      name: 'temporary',
      label: 'Temporary',
      value: heap.temporary_calls,
      text: shareText(heap.temporary_calls, heap.calls),
      more: `${shortCountText(heap.temporary_calls)} short-lived blocks`,
      metric: 'heap.temporary',
    });
  }
  if (rss !== null)
    facts.push({
      name: 'rss',
      label: 'Peak resident',
      value: rss,
      text: bytesText(rss),
      more: 'as counted by the kernel',
      metric: 'resident',
    });
  const isOfRss = growth.rss.verdict === 'growing' || growth.heap.verdict === 'unknown';
  const trend = isOfRss ? growth.rss : growth.heap;
  facts.push({
    name: 'growth',
    label: 'Growth',
    value: trend.bytes_per_second,
    text: verdicts[trend.verdict] ?? trend.verdict,
    more:
      trend.verdict === 'growing'
        ? `${rateText(trend.bytes_per_second * 3600, 'bytes').replace('/s', '/h')}${trend.limit_in_ns === null ? '' : `, limit in ${durationText(trend.limit_in_ns)}`}`
        : trend.verdict === 'unknown'
          ? lackText(recording.duration_ns)
          : '',
    metric: '',
  });
  return facts;
}

export function showSummary(into: HTMLElement, report: Report, scene: Scene): void {
  const known = scene.target.metrics ?? [];
  fill(
    into,
    ...factsOf(report).map((fact) => {
      const leads = known.includes(fact.metric);
      const parts = [
        h('span', { class: 'fact-label' }, fact.label),
        h('b', { 'data-value': fact.value, 'data-name': `summary-${fact.name}` }, fact.text),
        h('span', { class: 'fact-more' }, fact.more),
      ];
      if (!leads) return h('div', { class: 'fact' }, ...parts);
      return listen(
        h(
          'button',
          {
            type: 'button',
            class: 'fact',
            'aria-pressed': String(scene.metric === fact.metric),
            title: `Show ${fact.metric}`,
          },
          ...parts,
        ),
        {
          click: () => scene.change({ metric: fact.metric, time: null, zoom: '' }),
        },
      );
    }),
  );
}
