// Whether memory grows, who makes it, and when it reaches its limit.
import type { GrowingSite, GrowthAnswer, Timeline, Trend } from '../../api_types';
import { add, button, fill, h } from '../../dom';
import type { Picture, Table } from '../../export/seen';
import { finderOf, literally } from '../../finder';
import { timely } from '../../metrics';
import { plainTable, type PlainColumn } from '../../plain_table';
import { whose, type Part, type Scene } from '../../scene';
import { bytesText, durationText, shareText } from '../../units';
import { growthChart, sparkline, type Series } from './chart';

const verdicts: Record<Trend['verdict'], { sign: string; level: string; word: string; means: string }> = {
  growing: {
    sign: '▲',
    level: 'bad',
    word: 'Growing',
    means: 'Memory rises steadily and does not slow down.',
  },
  settling: {
    sign: '◠',
    level: 'note',
    word: 'Settling',
    means: 'Memory rose and is slowing down: a warm-up, or a cache that fills.',
  },
  stepped: {
    sign: '⎍',
    level: 'note',
    word: 'Stepped',
    means: 'A jump to another level explains the change.',
  },
  steady: { sign: '＝', level: 'good', word: 'Steady', means: 'Memory has no significant trend.' },
  falling: { sign: '▼', level: 'good', word: 'Falling', means: 'Memory falls.' },
  unknown: {
    sign: '?',
    level: 'note',
    word: 'Not known',
    means: 'A verdict needs at least 30 s and 24 values.',
  },
};

const titles = { heap: 'Live heap', rss: 'Resident memory' } as const;
const limits: Record<GrowthAnswer['limit'], string> = {
  process: 'the limit of the process,',
  machine: 'all memory of the machine,',
  none: '',
};

/** Per minute, hour or day, by how long was looked: as memoir report says it. */
function perTime(trend: Trend): { seconds: number; unit: string } {
  const span = (trend.to_ns - trend.from_ns) / 1e9;
  if (span < 600) return { seconds: 60, unit: 'min' };
  return span < 2 * 86400 ? { seconds: 3600, unit: 'h' } : { seconds: 86400, unit: 'day' };
}

function rate(trend: Trend, perSecond: number): string {
  const { seconds, unit } = perTime(trend);
  return `${bytesText(perSecond * seconds)}/${unit}`;
}

interface SiteRow {
  site: GrowingSite;
  curve: readonly number[];
}

function shareCell({ share }: GrowingSite): HTMLElement {
  const bar = h('i', { class: 'bar hue-0', 'aria-hidden': 'true' });
  bar.style.width = `${Math.min(100, 100 * share).toFixed(1)}%`;
  return h('span', { class: 'bar-cell' }, bar, h('span', { class: 'bar-value' }, shareText(share, 1)));
}

export class GrowthPart implements Part {
  readonly element = h('section', { class: 'growth', 'aria-label': 'Growth' });
  private readonly cards = h('div', { class: 'growth-cards' });
  private readonly frame = h('div', { class: 'growth-frame' });
  private readonly legend = h('div', { class: 'legend' });
  private readonly sites = h('div', { class: 'growth-sites' });
  private readonly table = h('details', { class: 'as-table' }, h('summary', {}, 'As a table'));
  private scene: Scene | null = null;
  private shown: { answer: GrowthAnswer; data: Timeline } | null = null;

  constructor() {
    add(this.element, this.cards, this.sites, this.frame, this.legend, this.table);
    this.table.addEventListener('toggle', () => this.fillTable());
    new ResizeObserver(() => this.draw()).observe(this.frame);
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const { time } = scene.selection;
    const [answer, data] = await Promise.all([
      scene.source.get<GrowthAnswer>('api/growth', {
        ...whose(scene),
        between: time ? `${time.from ?? 0}ns,${time.to}ns` : null,
      }),
      scene.source.get<Timeline>('api/timeline', {
        ...whose(scene),
        metric: timely(scene.metric),
        points: 800,
        top: 7,
      }),
    ]);
    if (this.scene !== scene) return;
    this.shown = { answer, data };
    fill(this.cards, this.cardOf('heap', answer), this.cardOf('rss', answer));
    this.fillSites(scene, answer);
    this.fillLegend(answer);
    this.fillTable();
    this.draw();
  }

  private seriesOf(answer: GrowthAnswer): Series[] {
    return (['rss', 'heap'] as const).map((name) => ({
      name,
      trend: answer.growth[name],
      curve: answer.curves[name],
    }));
  }

  private draw(): void {
    const width = this.frame.clientWidth;
    if (!this.shown || width < 10) return;
    const { answer, data } = this.shown;
    fill(this.frame, growthChart(answer, data, this.seriesOf(answer), width));
  }

  private cardOf(name: 'heap' | 'rss', answer: GrowthAnswer): HTMLElement {
    const trend = answer.growth[name],
      about = verdicts[trend.verdict];
    const isKnown = trend.verdict !== 'unknown';
    const line = (label: string, value: number | null, text: string, key: string): HTMLElement[] => [
      h('dt', {}, label),
      h('dd', { 'data-name': `${name}-${key}`, 'data-value': value ?? '' }, text),
    ];
    const grows = trend.verdict === 'growing';
    return h(
      'section',
      {
        class: `card growth-card ${about.level} of-${name}`,
        'data-name': `growth-${name}`,
        'data-value': trend.verdict,
      },
      h(
        'h3',
        {},
        h('span', { class: 'sign', 'aria-hidden': 'true' }, about.sign),
        ` ${titles[name]}: ${about.word.toLowerCase()}`,
      ),
      h('p', { class: 'soft' }, isKnown ? `${about.means}` : this.tooShort(name, answer)),
      isKnown &&
        h(
          'dl',
          {},
          ...line('Slope', trend.bytes_per_second, rate(trend, trend.bytes_per_second), 'slope'),
          ...line(
            '95 % interval',
            trend.bytes_per_second_low,
            `${rate(trend, trend.bytes_per_second_low)} to ${rate(trend, trend.bytes_per_second_high)}`,
            'low',
          ),
          ...line(
            'Confidence that memory rises',
            trend.confidence,
            trend.confidence > 0.9995 ? 'more than 99.9 %' : `${(100 * trend.confidence).toFixed(1)} %`,
            'confidence',
          ),
          ...line(
            'From',
            trend.first_bytes,
            `${bytesText(trend.first_bytes)} to ${bytesText(trend.last_bytes)}, in ${durationText(trend.to_ns - trend.from_ns)}`,
            'first',
          ),
          ...(trend.bytes_per_mark !== null && grows
            ? line(
                `Each “${answer.growth.mark ?? ''}”`,
                trend.bytes_per_mark,
                bytesText(trend.bytes_per_mark),
                'mark',
              )
            : []),
          ...(grows ? this.limitLine(name, trend, answer) : []),
        ),
    );
  }

  private limitLine(name: string, trend: Trend, answer: GrowthAnswer): HTMLElement[] {
    const { limit_in_ns: at, limit_early_ns: early, limit_late_ns: late } = trend;
    const limit = `${limits[answer.limit]} ${bytesText(answer.growth.limit_bytes)}`.trim();
    const text =
      at === null
        ? 'not within 30 years'
        : at === 0
          ? `memory is past ${limit}`
          : `in ${durationText(at)} (${durationText(early ?? at)} to ${late === null ? 'never' : durationText(late)}): ${limit}`;
    return [
      h('dt', {}, 'Limit reached'),
      h(
        'dd',
        { 'data-name': `${name}-limit`, 'data-value': at ?? '' },
        answer.limit === 'none' ? 'the limit is not known' : text,
      ),
    ];
  }

  private tooShort(name: 'heap' | 'rss', answer: GrowthAnswer): string {
    const { bytes } = answer.curves[name];
    const length = answer.range.to_ns - answer.range.from_ns;
    if (length >= 30e9 && bytes.length === 0)
      return name === 'heap'
        ? 'The heap was not recorded in this time: memoir run and memoir attach record it.'
        : 'Resident memory was not sampled often enough.';
    return `${verdicts.unknown.means} The selected time is ${durationText(length)}.`;
  }

  private fillSites(scene: Scene, answer: GrowthAnswer): void {
    const { growth, explained_share: share } = answer,
      finds = finderOf(scene.selection.find);
    const sites = growth.sites.map((site, i) => ({ site, curve: answer.site_curves[i]?.bytes ?? [] }));
    if (sites.length === 0) {
      fill(this.sites, h('p', { class: 'hint' }, this.noSites(growth.heap, growth.rss)));
      return;
    }
    const count = sites.length === 1 ? 'One call site explains' : `These ${sites.length} call sites explain`;
    fill(
      this.sites,
      h(
        'h3',
        { 'data-name': 'explained', 'data-value': share },
        `${count} ${(100 * share).toFixed(0)} % of the growth of the heap`,
      ),
      h(
        'div',
        { class: 'scroll' },
        plainTable(this.siteColumns(growth.heap, finds), sites, {
          class: 'plain growth-table',
          rowAttributes: ({ site }) => ({ 'data-name': site.function }),
        }),
      ),
    );
  }

  private siteColumns(heap: Trend, finds: ((text: string) => boolean) | null): PlainColumn<SiteRow>[] {
    const most = ({ curve }: SiteRow): number => Math.max(0, ...curve);
    return [
      {
        label: 'Function',
        cell: ({ site }) => {
          const callers = site.callers.map((name) => `‹ ${name}`).join(' ');
          return [
            h('span', { class: `mono${finds?.(site.function) ? ' hit' : ''}` }, site.function),
            h('div', { class: 'where', title: callers }, callers),
          ];
        },
      },
      { id: 'share', label: 'Share', data: ({ site }) => site.share, cell: ({ site }) => shareCell(site) },
      {
        id: 'slope',
        label: 'Slope',
        data: ({ site }) => site.bytes_per_second,
        cell: ({ site }) => rate(heap, site.bytes_per_second),
      },
      {
        id: 'curve',
        label: 'Live bytes',
        data: most,
        cell: (row) => [
          sparkline(row.curve),
          h('span', { class: 'hint' }, ` up to +${bytesText(most(row))}`),
        ],
      },
      { label: '', cell: ({ site }) => this.leads(site.function) },
    ];
  }

  /** To the views that tell more of it. */
  private leads(name: string): HTMLElement[] {
    const go = (label: string, view: 'flame' | 'callers'): HTMLButtonElement =>
      button(
        label,
        () =>
          this.scene?.change({ view, metric: 'heap.live', focus: name, filter: literally(name), zoom: '' }),
        { class: 'small', 'aria-label': `${label}: ${name}` },
      );
    return [go('Flame', 'flame'), go('Callers', 'callers')];
  }

  private noSites(heap: Trend, rss: Trend): string {
    if (rss.verdict === 'growing' && heap.verdict !== 'unknown')
      return 'The heap does not grow, so no call site causes the growth. Holes between blocks, mappings or untraced memory do: the Resident view shows which.';
    return heap.verdict === 'unknown' ? '' : 'The heap does not grow: there are no growing call sites.';
  }

  private fillLegend(answer: GrowthAnswer): void {
    const key = (name: 'heap' | 'rss', text: string): HTMLElement =>
      h('span', { class: `key key-${name}` }, h('i', { class: 'dot' }), text);
    const isEmpty = (['heap', 'rss'] as const).every((name) => answer.curves[name].bytes.length === 0);
    fill(
      this.legend,
      key('rss', 'Resident'),
      key('heap', 'Live heap'),
      h(
        'span',
        { class: 'hint' },
        isEmpty
          ? 'Too few values to draw minimums.'
          : 'Thin line: measured values. Dots: the minimum of each interval, which the verdict is made of. Thick line: the slope of the minimums; dashed: its forecast with the 95 % interval.',
      ),
    );
  }

  private fillTable(): void {
    if (!this.shown || !this.table.open) return;
    const { answer } = this.shown;
    const rows = this.seriesOf(answer).flatMap(({ name, curve }) =>
      curve.bytes.map((bytes, i) => ({ name, bytes, ns: curve.time_ns[i] ?? 0 })),
    );
    this.table.querySelector('.scroll')?.remove();
    this.table.append(
      h(
        'div',
        { class: 'scroll' },
        plainTable(
          [
            { label: 'Series', cell: (row) => titles[row.name] },
            { label: 'Time', cell: (row) => durationText(row.ns) },
            { label: 'Minimum', data: (row) => row.bytes, cell: (row) => bytesText(row.bytes) },
          ],
          rows,
        ),
      ),
    );
  }

  asPicture(): Picture | null {
    return this.frame.querySelector('svg');
  }

  asTable(): Table | null {
    if (!this.shown) return null;
    const { growth } = this.shown.answer;
    return {
      columns: ['function', 'share', 'bytes_per_second', 'callers'],
      rows: growth.sites.map((site) => [
        site.function,
        site.share,
        site.bytes_per_second,
        site.callers.join(';'),
      ]),
    };
  }
}
