// Who has each resident byte: what the heap profile says, what the kernel says, and all that lies between.
import type { Explain, Report } from '../../api_types';
import { ServerError } from '../../client';
import { add, fill, h } from '../../dom';
import type { Picture, Table } from '../../export/seen';
import { finderOf, literally } from '../../finder';
import { headOf, whose, type Part, type Scene } from '../../scene';
import { theme } from '../../theme';
import { bytesText, countText, durationText } from '../../units';
import { aboutOwner } from './owners';
import { OwnersChart } from './over_time';
import { paintWaterfall, stepsOf, waterfall, waterfallHeight } from './waterfall';

const adviceTitles: Readonly<Record<string, string>> = {
  trim: 'Free pages',
  arenas: 'Arenas',
  fragmented: 'Pinned',
  stacks: 'Stacks',
  growing: 'Growing',
  earlier: 'Before',
  blocks: 'Blocks',
  untouched: 'Untouched',
  reserved: 'Reserved',
};

const POINTS = 400,
  ROWS = 12;

export class ExplainPart implements Part {
  readonly element = h('section', { class: 'explain', 'aria-label': 'Resident memory by owner' });
  private readonly head = h('div', { class: 'explain-head' });
  private readonly chart = new OwnersChart((time) => this.scene?.change({ time }));
  private readonly body = h('div', {});
  private readonly empty = h('div', { class: 'absent', hidden: true });
  private readonly looks = h('span', { class: 'hint' });
  // Stays where it is: what is pointed at in it is told until the pointer goes, also while the recording grows.
  private readonly overTime = h(
    'section',
    { class: 'over-time' },
    h('h3', {}, 'Over time ', this.looks),
    this.chart.element,
  );
  private readonly full = h('div', {}, this.head, this.body, this.overTime);
  private scene: Scene | null = null;
  private shown: Explain | null = null;

  constructor() {
    add(this.element, this.full, this.empty);
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const { time } = scene.selection;
    let explanation: Explain;
    try {
      explanation = await scene.source.get<Explain>('api/explain', {
        ...whose(scene),
        at: time ? `${time.to}ns` : null,
        top: ROWS,
        points: POINTS,
      });
    } catch (error) {
      if (!(error instanceof ServerError) || error.status !== 404 || this.scene !== scene) throw error;
      this.showEmpty(scene, error.message);
      return;
    }
    const report = await scene.source.get<Report>('api/report', headOf(scene));
    if (this.scene !== scene) return;
    this.shown = explanation;
    this.empty.hidden = true;
    this.full.hidden = false;
    this.fillHead(explanation, report.quality.sample_rate_bytes);
    this.fillBody(scene, explanation, report.quality.sample_rate_bytes > 0);
  }

  asTable(): Table | null {
    if (!this.shown) return null;
    return {
      columns: ['owner', 'metric', 'bytes'],
      rows: this.shown.owners.map((owner) => [
        aboutOwner(owner.metric, owner.name).title,
        owner.metric,
        owner.value,
      ]),
    };
  }

  asPicture(): Picture | null {
    const { shown } = this;
    if (!shown) return null;
    const width = Math.max(320, this.element.clientWidth);
    return {
      width,
      height: waterfallHeight(shown),
      paint: (pen) => paintWaterfall(pen, shown, width, theme()),
    };
  }

  private showEmpty(scene: Scene, sentence: string): void {
    const { target, selection } = scene;
    this.shown = null;
    this.full.hidden = true;
    this.empty.hidden = false;
    fill(
      this.empty,
      h('h2', {}, 'There is no snapshot of the pages'),
      h('p', { 'data-name': 'explain-why' }, `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`),
      selection.time
        ? h('p', { class: 'hint' }, 'Choose a later time on the timeline, or press Esc for the end.')
        : h(
            'p',
            { class: 'hint' },
            target.running
              ? 'This command makes the recorder take a snapshot now:'
              : 'This command records with snapshots of the pages; without --map-every they come every 10 s at the latest.',
          ),
      selection.time
        ? null
        : h(
            'pre',
            {},
            target.running ? `memoir explain ${target.pid}` : 'memoir run --map-every 1s -- PROGRAM',
          ),
    );
  }

  private fillHead(explanation: Explain, sampleRate: number): void {
    const { residency } = explanation,
      resident = residency.resident_bytes,
      live = residency.heap_live_bytes;
    const figure = (name: string, label: string, value: number, text: string, more: string): HTMLElement =>
      h(
        'div',
        { class: `figure figure-${name}` },
        h('span', { class: 'fact-label' }, label),
        h('b', { 'data-name': `explain-${name}`, 'data-value': value }, text),
        h('span', { class: 'fact-more', title: more }, more),
      );
    const about = sampleRate > 0 ? '≈ ' : '';
    fill(
      this.head,
      live === undefined
        ? null
        : figure(
            'profile',
            'Heap profile',
            live,
            `${about}${bytesText(live)}`,
            'live blocks: allocated and not freed',
          ),
      live === undefined
        ? null
        : figure(
            'gap',
            'Difference',
            resident - live,
            `${resident >= live ? '+' : '−'}${bytesText(Math.abs(resident - live))}`,
            this.gapWords(explanation),
          ),
      figure('kernel', 'Kernel', resident, bytesText(resident), `VmRSS, at ${durationText(residency.at_ns)}`),
      h('p', { class: 'hint explain-sum', 'data-name': 'explain-sum' }, sumWords(explanation)),
      live === undefined
        ? h(
            'p',
            { class: 'hint' },
            'Allocations of this process are not traced: memory is listed by the function that touched it first. memoir attach shows the functions that allocate.',
          )
        : null,
      sampleRate > 0
        ? h(
            'p',
            { class: 'hint estimated' },
            `The heap was sampled, one in about ${bytesText(sampleRate)}: numbers with ≈ are estimated, the sum is exact.`,
          )
        : null,
      residency.lost_events > 0
        ? h(
            'p',
            { class: 'hint estimated' },
            `${countText(residency.lost_events)} events were lost: the memory of missing blocks counts as held or free.`,
          )
        : null,
    );
  }

  private gapWords(explanation: Explain): string {
    const { residency } = explanation;
    const others = stepsOf(explanation)
      .filter(({ owner }) => owner.metric !== 'heap.resident')
      .sort((a, b) => b.owner.value - a.owner.value)
      .slice(0, 2)
      .map(
        ({ owner }) =>
          `${aboutOwner(owner.metric, owner.name).title.toLowerCase()} ${bytesText(owner.value)}`,
      );
    const live = explanation.owners.find((owner) => owner.metric === 'heap.resident')?.value ?? 0;
    const absent = (residency.heap_live_bytes ?? 0) - live;
    return [...others, absent > 4096 ? `${bytesText(absent)} of blocks is not resident` : '']
      .filter(Boolean)
      .join(', ');
  }

  private fillBody(scene: Scene, explanation: Explain, isSampled: boolean): void {
    const { over_time: overTime, advice } = explanation;
    const steps = waterfall(explanation, {
      opened: scene.selection.owner,
      isSampled,
      finds: finderOf(scene.selection.find),
      open: (metric) => scene.change({ owner: metric }, 'replace'),
      show: (view, metric, site) =>
        scene.change({
          view,
          metric,
          zoom: '',
          focus: view === 'callers' ? site : '',
          filter: view === 'flame' && site ? literally(site) : '',
        }),
    });
    const focused = this.ownerButtons().find((one) => one === document.activeElement)?.dataset['name'];
    fill(
      this.body,
      steps,
      advice.length
        ? h(
            'section',
            { class: 'advice' },
            h('h3', {}, 'What to do'),
            h(
              'ul',
              {},
              ...advice.map((one) =>
                h(
                  'li',
                  { 'data-name': `advice-${one.kind}`, 'data-value': one.bytes },
                  h('b', {}, adviceTitles[one.kind] ?? one.kind),
                  h('span', {}, one.text),
                ),
              ),
            ),
          )
        : null,
    );
    // At once, so that whoever walks by keys stays where he is, also while the recording grows.
    if (focused !== undefined)
      this.ownerButtons()
        .find((one) => one.dataset['name'] === focused)
        ?.focus({ preventScroll: true });
    const count = overTime?.time_ns.length ?? 0;
    this.overTime.hidden = count === 0;
    this.looks.textContent = `${countText(count)} snapshot${count === 1 ? '' : 's'} with changes; drag to select a range`;
    if (overTime)
      this.chart.set(
        overTime,
        scene.target.time_ns ?? explanation.recording.duration_ns,
        scene.selection.time,
      );
  }

  private ownerButtons(): HTMLElement[] {
    return [...this.body.querySelectorAll<HTMLElement>('[data-owner-button]')];
  }

  /** Up and down from owner to owner. */
  key(event: KeyboardEvent): boolean {
    const buttons = this.ownerButtons();
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step || !buttons.length) return false;
    const now = buttons.findIndex((one) => one === document.activeElement);
    buttons[Math.min(buttons.length - 1, Math.max(0, now + step))]?.focus();
    return true;
  }
}

function sumWords({ residency, owners }: Explain): string {
  const sum = owners.reduce((all, owner) => all + owner.value, 0);
  if (residency.at_ns < residency.last_look_ns)
    return `The owners below add up to ${countText(sum)} bytes, as of the last snapshot before the chosen time.`;
  return residency.changed_bytes === 0
    ? `The owners below add up to ${countText(sum)} bytes: exactly what the kernel counted.`
    : `The owners below add up to ${countText(sum)} bytes; the kernel counted ${countText(residency.rss_before_bytes)} before the walk over the pages and ${countText(residency.rss_after_bytes)} after it.`;
}
