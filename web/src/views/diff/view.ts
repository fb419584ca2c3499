// What changed between two times of a recording, or between two recordings: as a table, or as one flame graph of both.
import type { Diff, DiffRow, Timeline } from '../../api_types';
import { add, button, fill, h } from '../../dom';
import type { Picture, Table } from '../../export/seen';
import { finderOf, literally } from '../../finder';
import { percent, signed } from '../flame/changes';
import { Grid, sortOf } from '../../grid';
import { timely } from '../../metrics';
import { whose, type Part, type Scene } from '../../scene';
import { diffGroupings, type DiffGrouping } from '../../selection';
import { countText, valueText } from '../../units';
import { DiffFlamePart } from './flame';
import { questionOfSides, sidesOf, sideText, targetText, usualText, type Sides } from './sides';
import { SidesBar } from './sides_bar';
import { columnsOf, kindSigns, nameOfRow, sortRows } from './table';

const labels: Record<DiffGrouping, string> = {
  stack: 'Stack',
  function: 'Function',
  module: 'Module',
  line: 'Line',
};

export class DiffPart implements Part {
  readonly element = h('section', { class: 'diff', 'aria-label': 'What changed' });
  private readonly sidesBar = new SidesBar();
  private readonly bar = h('div', { class: 'toolbar' });
  private readonly words = h('div', { class: 'toolbar', 'aria-live': 'polite' });
  private readonly flame = new DiffFlamePart();
  private scene: Scene | null = null;
  private shown: { answer: Diff; rows: DiffRow[]; by: DiffGrouping } | null = null;
  private readonly grid = new Grid<DiffRow>({
    label: 'What changed',
    nameOf: (row) => nameOfRow(row, this.shown?.by ?? 'function'),
    attributes: (row) => ({
      'data-kind': row.kind,
      class: row.may_be_chance ? 'chance' : 'sure',
      ...(row.may_be_chance ? { title: 'The change is within the error of sampling.' } : {}),
    }),
    onSort: (column) => this.scene?.change({ sort: column }, 'replace'),
    onEnter: (row) => this.only(row),
  });

  constructor() {
    add(this.element, this.sidesBar.element, this.bar, this.words, this.grid.element, this.flame.element);
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const { drawn } = scene.selection,
      sides = sidesOf(scene);
    this.fillBar(scene);
    this.sidesBar.show(scene, sides, []);
    const [answer, timeline] = await Promise.all([
      scene.source.get<Diff>('api/diff', {
        ...questionOfSides(scene, sides),
        by: scene.selection.rows,
      }),
      this.timelineOf(scene),
      drawn ? this.flame.show(scene) : null,
    ]);
    if (this.scene !== scene) return;
    this.sidesBar.show(scene, sides, timeline.marks);
    this.flame.element.hidden = !drawn;
    this.grid.element.hidden = drawn;
    this.list(scene, sides, answer);
  }

  /** For its marks; the timeline above asks for the same. */
  private timelineOf(scene: Scene): Promise<Timeline> {
    return scene.source.get<Timeline>('api/timeline', {
      ...whose(scene),
      metric: timely(scene.metric),
      points: 800,
      top: 7,
    });
  }

  private list(scene: Scene, sides: Sides, answer: Diff): void {
    const by = scene.selection.rows,
      finds = finderOf(scene.selection.find);
    const found = finds
      ? answer.rows.filter((row) => row.stack.some((frame) => finds(frame.function) || finds(frame.module)))
      : answer.rows;
    const columns = columnsOf(answer, by);
    const sort = sortOf(columns, scene.selection.sort, 'change');
    this.shown = { answer, rows: sortRows(found, sort), by };
    this.grid.set(columns, this.shown.rows, sort);
    this.fillWords(scene, sides, answer, found.length);
  }

  private only(row: DiffRow): void {
    if (this.shown?.by !== 'module')
      this.scene?.change({ filter: literally(nameOfRow(row, 'function')), zoom: '' });
  }

  private fillBar(scene: Scene): void {
    const { rows, drawn } = scene.selection;
    const shape = (label: string, isDrawn: boolean): HTMLButtonElement =>
      button(label, () => scene.change({ drawn: isDrawn }), { 'aria-pressed': String(drawn === isDrawn) });
    fill(
      this.bar,
      h(
        'div',
        { class: 'switch', role: 'group', 'aria-label': 'Shown as' },
        shape('Table', false),
        shape('Flame graph', true),
      ),
      !drawn &&
        h(
          'div',
          { class: 'switch', role: 'group', 'aria-label': 'Group by' },
          ...diffGroupings.map((by) =>
            button(labels[by], () => scene.change({ rows: by }), { 'aria-pressed': String(rows === by) }),
          ),
        ),
      scene.selection.time &&
        button('Keep this time, then select another', () => this.keep(), {
          class: 'small',
          title: 'Makes the selected time the one to compare with (b)',
        }),
    );
  }

  private keep(): void {
    const scene = this.scene;
    if (scene?.selection.time)
      scene.change({ besides: scene.selection.time, other: scene.target.id, swap: false });
  }

  private fillWords(scene: Scene, sides: Sides, answer: Diff, found: number): void {
    const { before, after, change, unit, sites } = answer;
    const chance = answer.rows.filter((row) => row.may_be_chance).length;
    const share = before.value === 0 || after.value === 0 ? '' : ` (${percent(before.value, after.value)})`;
    const total = (name: string, value: number, text: string): HTMLElement =>
      h('span', { class: 'total', 'data-name': name, 'data-value': value }, text);
    fill(
      this.words,
      h('span', { class: 'soft' }, answer.metric),
      total('diff-before', before.value, valueText(before.value, unit)),
      h('span', { 'aria-hidden': 'true' }, '→'),
      total('diff-after', after.value, valueText(after.value, unit)),
      total('diff-change', change, `${signed(change, unit)}${share}`),
      ...(['new', 'gone', 'grown', 'shrunk'] as const).map((kind) =>
        h(
          'span',
          { class: 'hint', 'data-name': `diff-${kind}`, 'data-value': sites[kind] },
          h('span', { class: `kind-sign ${kind}`, 'aria-hidden': 'true' }, kindSigns[kind]),
          ` ${countText(sites[kind])} ${kind}`,
        ),
      ),
      h('span', { class: 'hint' }, `${countText(sites.unchanged)} unchanged`),
      chance > 0 &&
        h(
          'span',
          { class: 'hint', 'data-name': 'diff-chance', 'data-value': chance },
          `~ ${countText(chance)} within the error of sampling, shown in grey`,
        ),
      answer.scale !== 1 &&
        h(
          'span',
          { class: 'hint', 'data-name': 'diff-scale', 'data-value': answer.scale },
          `before is multiplied by ${answer.scale.toPrecision(3)}`,
        ),
      h('p', { class: 'hint line' }, this.sentence(scene, sides)),
      ...[sides.before.target, sides.after.target]
        .filter((one) => !(one.metrics ?? []).includes(sides.metric))
        .slice(0, 1)
        .map((one) =>
          h(
            'p',
            { class: 'trouble line', 'data-name': 'diff-missing' },
            `${targetText(one)} has no ${sides.metric}: choose a metric that both recordings have, or another recording.`,
          ),
        ),
      found === 0 && h('p', { class: 'empty' }, this.emptySentence(scene, answer)),
    );
  }

  private sentence(scene: Scene, sides: Sides): string {
    const what = `${sideText(sides.before, scene)} → ${sideText(sides.after, scene)}`;
    if (!sides.isUsual) return what;
    const why =
      sides.before.target === sides.after.target
        ? usualText(scene.target, scene.selection.time, sides.metric)
        : 'the two recordings that memoir serve was given';
    return `${what}: ${why}. Choose others above, or drag over the timeline with Alt or Shift held down.`;
  }

  private emptySentence(scene: Scene, answer: Diff): string {
    if (answer.rows.length > 0 && scene.selection.find) return 'No row matches the search.';
    return answer.sites.unchanged > 0
      ? `Nothing changed: all ${countText(answer.sites.unchanged)} call sites have exactly the same values.`
      : `Neither side has any ${answer.metric}: choose other times, or another metric.`;
  }

  asTable(): Table | null {
    if (!this.shown) return null;
    const { rows, by } = this.shown;
    return {
      columns: ['name', 'kind', 'before', 'after', 'change', 'error', 'may be chance', 'stack'],
      rows: rows.map((row) => [
        nameOfRow(row, by),
        row.kind,
        row.before,
        row.after,
        row.change,
        row.error,
        row.may_be_chance ? 1 : 0,
        row.stack.map((frame) => frame.function).join(';'),
      ]),
    };
  }

  asPicture(): Picture | null {
    return this.scene?.selection.drawn ? this.flame.asPicture() : null;
  }

  key(event: KeyboardEvent): boolean {
    const scene = this.scene;
    if (!scene) return false;
    if (event.key === 'v') scene.change({ drawn: !scene.selection.drawn });
    else if (event.key === 'x') scene.change({ swap: !scene.selection.swap });
    else if (event.key === 'b') this.keep();
    else if (scene.selection.drawn) return this.flame.key(event);
    else return false;
    return true;
  }
}
