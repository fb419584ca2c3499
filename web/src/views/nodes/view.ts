// All nodes of a run, or all recordings, beside each other: what each has, how it went, whether it grows.
import type { Nodes } from '../../api_types';
import { fit } from '../../canvas';
import { ServerError } from '../../client';
import { add, button, fill, h, listen } from '../../dom';
import type { Picture, Table } from '../../export/seen';
import { instantText, rangeText } from '../../fields';
import { Grid, numberColumn, type Column } from '../../grid';
import { nameWord, whereWord } from '../../names';
import { whose, type Part, type Scene } from '../../scene';
import { onTheme, theme } from '../../theme';
import { baseName, bytesText, countText, durationText, signedText } from '../../units';
import { Lanes } from './lanes';
import { linesOf, rolesOf, summaryOf, type Line } from './rows';
import { paintCurve, shapeOf, type Place } from './spark';

const POINTS = 240,
  NARROW = 720;

const sparkPlace = (): Place => ({ x: 1, y: 1, width: innerWidth < NARROW ? 64 : 118, height: 26 });

/** What columns of memoir ram are called by people. */
const words: Readonly<Record<string, string>> = {
  rss: 'Resident',
  pss: 'Proportional',
  vsz: 'Virtual',
  swap: 'Swapped',
  heap: 'Live heap',
  pprof_inuse_space: 'Heap profile',
  inuse: 'In use',
  total: 'Runtime total',
  free: 'Free',
  idle: 'Idle',
  released: 'Released',
};

export function columnWord(column: string): string {
  return words[column] ?? column;
}

export class NodesPart implements Part {
  readonly element = h('section', { class: 'nodes', 'aria-label': 'All nodes' });
  private readonly bar = h('div', { class: 'toolbar' });
  private readonly words = h('div', { class: 'words' });
  private readonly empty = h('p', { class: 'empty', hidden: true });
  private readonly grid = new Grid<Line>({
    label: 'Memory of each node',
    nameOf: (line) => (line.node ? line.name : `role ${line.name}`),
    attributes: (line) => ({ class: line.node ? (line.node.up ? '' : 'down') : 'group' }),
    onSort: (column) => this.scene?.change({ sort: column }, 'replace'),
    onEnter: (line) => this.open(line),
    onPress: (line) => this.open(line),
  });
  private readonly lanes = new Lanes({
    choose: (time) => this.scene?.change({ time, zoom: '' }),
    open: (line) => this.open(line),
  });
  private scene: Scene | null = null;
  private answer: Nodes | null = null;
  private lines: Line[] = [];
  private columns: Column<Line>[] = [];

  constructor() {
    add(this.element, this.bar, this.words, this.empty, this.grid.element, this.lanes.element);
    onTheme(() => this.element.isConnected && this.fillGrid());
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const answer = await this.ask(scene);
    if (this.scene !== scene) return;
    this.answer = answer;
    this.lines = linesOf(answer, scene.selection, this.sort);
    this.fillBar(scene, answer);
    this.fillWords(answer);
    this.fillGrid();
    this.lanes.element.hidden = !scene.selection.lanes || this.lines.length === 0;
    this.lanes.show(this.lines, answer.time_ns, this.color, scene.selection.time);
  }

  /** A series that this run does not have is as good as none. */
  private async ask(scene: Scene): Promise<Nodes> {
    const { time, series } = scene.selection;
    const question = {
      ...whose(scene),
      points: POINTS,
      between: rangeText(time),
      at: instantText(time),
    };
    try {
      return await scene.source.get<Nodes>('api/nodes', { ...question, column: series });
    } catch (error) {
      if (!series || !(error instanceof ServerError) || error.status !== 400) throw error;
      return scene.source.get<Nodes>('api/nodes', question);
    }
  }

  private get sort(): string {
    const wanted = this.scene?.selection.sort ?? '';
    const known = ['name', 'role', 'last', 'max', 'change', 'growth', 'height', 'lag', 'gaps'];
    return known.includes(wanted) || wanted.startsWith('of-') ? wanted : 'change';
  }

  private get color(): string {
    return this.answer?.column === 'rss' ? theme().rss : theme().heap;
  }

  private open(line: Line, id = line.node?.targets[0]?.id): void {
    if (id !== undefined) {
      this.scene?.change({ target: id, view: 'flame', metric: '', zoom: '', focus: '' });
    } else if (line.node) {
      this.empty.hidden = false;
      this.empty.textContent = `There are no profiles of ${line.name}: memoir watch fetches profiles from programs that serve them, and with --record it records processes of this machine.`;
    }
  }

  private fillBar(scene: Scene, answer: Nodes): void {
    const series = listen(
      h(
        'select',
        { 'aria-label': 'Series' },
        ...answer.columns.map((column) =>
          h('option', { value: column, selected: column === answer.column }, columnWord(column)),
        ),
      ),
      { change: () => scene.change({ series: series.value }) },
    );
    const toggle = (label: string, isOn: boolean, part: Partial<Scene['selection']>): HTMLElement =>
      button(label, () => scene.change(part), {
        class: isOn ? 'chip on' : 'chip',
        'aria-pressed': String(isOn),
      });
    const { lanes, alone } = scene.selection;
    if (this.bar.contains(document.activeElement) && document.activeElement instanceof HTMLSelectElement)
      return;
    fill(
      this.bar,
      answer.columns.length > 0 && h('label', { class: 'control' }, h('span', {}, 'Series'), series),
      toggle('Over time', lanes, { lanes: !lanes }),
      answer.run !== null && rolesOf(answer).length > 1 && toggle('By role', !alone, { alone: !alone }),
      h('span', { class: 'spring' }),
      this.words,
    );
  }

  private fillWords(answer: Nodes): void {
    const nodes = this.lines.filter((line) => line.node !== null);
    const down = nodes.filter((line) => !line.node?.up).length,
      sum = (name: string): number => nodes.reduce((all, line) => all + (line.numbers.get(name) ?? 0), 0);
    const isRun = answer.run !== null;
    fill(
      this.words,
      h(
        'span',
        { 'data-name': 'nodes', 'data-value': nodes.length },
        `${countText(nodes.length)} ${isRun ? 'node' : 'recording'}${nodes.length === 1 ? '' : 's'}`,
      ),
      isRun &&
        down > 0 &&
        h('b', { class: 'down-word', 'data-name': 'down', 'data-value': down }, `${countText(down)} down`),
      answer.column !== null &&
        nodes.length > 1 &&
        h(
          'span',
          { 'data-name': 'nodes-last', 'data-value': sum('last') },
          `${bytesText(sum('last'))} in total`,
        ),
      answer.step > 1 &&
        h('span', { class: 'hint' }, `curves show the last of every ${countText(answer.step)} snapshots`),
      answer.unread_profiles > 0 &&
        h('span', { class: 'hint' }, `${countText(answer.unread_profiles)} profiles cannot be read`),
    );
    this.empty.hidden = this.lines.length > 0 && answer.columns.length > 0;
    this.empty.textContent =
      this.lines.length === 0
        ? 'No node has the search text in its name or role: Esc clears the search.'
        : 'There is no data on the memory of these nodes: memoir watch fetches heap profiles, and with --metrics the counters of the runtime.';
  }

  private fillGrid(): void {
    const { answer } = this;
    if (!answer) return;
    this.columns = this.columnsOf(answer);
    this.grid.set(this.columns, this.lines, this.sort);
  }

  private columnsOf(answer: Nodes): Column<Line>[] {
    const word = answer.column === null ? 'Memory' : columnWord(answer.column);
    const others = ['rss', 'pprof_inuse_space', 'heap', 'inuse'].filter(
      (column) => column !== answer.column && answer.columns.includes(column),
    );
    const isKnown = (name: string): boolean => this.lines.some((line) => line.numbers.has(name));
    const curve: Column<Line> = {
      id: 'curve',
      label: word,
      title: 'Over the whole time, scaled from its minimum to its maximum; a mark below is a gap',
      cell: (line) => this.spark(line, answer),
    };
    return [
      {
        id: 'name',
        label: answer.run === null ? 'Recording' : 'Node',
        sorts: true,
        cell: (line) => this.nameCell(line, answer),
      },
      ...(answer.column === null
        ? []
        : [
            curve,
            numberColumn('last', 'Last', `${word}, as it was last seen`, bytesText),
            numberColumn(
              'change',
              'Change',
              'From the first to the last value in the selected time',
              (value) => signedText(value, bytesText),
            ),
            this.growth(answer),
          ]),
      ...others.map((column) =>
        numberColumn(`of-${column}`, columnWord(column), `${columnWord(column)}, last seen`, bytesText, true),
      ),
      ...(isKnown('height')
        ? [
            numberColumn('height', 'Height', 'The newest block of the node', countText, true),
            numberColumn('lag', 'Lag', 'Blocks behind the highest node', countText, true),
          ]
        : []),
      ...(answer.run === null
        ? []
        : [numberColumn('gaps', 'Gaps', 'Snapshots and fetches that are missing', countText, true)]),
      ...(answer.run === null ? [] : [this.profiles()]),
    ];
  }

  private nameCell(line: Line, answer: Nodes): HTMLElement {
    const { node } = line;
    if (!node)
      return h(
        'span',
        { class: 'name-cell' },
        h('b', {}, line.role || 'no role'),
        whereWord(`${countText(line.members.length)} node${line.members.length === 1 ? '' : 's'}, in total`),
      );
    const where = answer.run === null ? node.nick : node.nick === node.name ? node.class : node.nick;
    return h(
      'span',
      { class: 'name-cell' },
      h('i', {
        class: `lamp ${node.up ? 'up' : 'down'}`,
        role: 'img',
        'aria-label': this.state(line, answer),
        title: this.state(line, answer),
      }),
      nameWord(answer.run === null ? baseName(node.name) : node.name, node.name),
      !node.up && answer.run !== null && h('span', { class: 'down-word' }, 'down'),
      whereWord(where),
    );
  }

  private state(line: Line, answer: Nodes): string {
    const { node } = line;
    if (!node) return '';
    if (answer.run === null) return node.up ? 'runs' : 'has ended';
    const seen =
      node.last_ns === null ? 'never seen' : `last seen at ${durationText(Math.max(0, node.last_ns))}`;
    return node.up ? (answer.being_written ? 'up' : 'up when the run ended') : `down, ${seen}`;
  }

  private spark(line: Line, answer: Nodes): HTMLElement {
    if (line.curve.values.every((value) => value === null)) return h('span', { class: 'nothing' }, '–');
    const canvas = h('canvas', { class: 'spark', 'aria-hidden': 'true' });
    const span = shapeOf(line.curve, answer.time_ns),
      place = sparkPlace();
    paintCurve(fit(canvas, place.width + 2, place.height + 2), line.curve, place, span, {
      theme: theme(),
      color: this.color,
      time: this.scene?.selection.time ?? null,
      isFilled: true,
    });
    return canvas;
  }

  private growth(answer: Nodes): Column<Line> {
    return numberColumn(
      'growth',
      'Growth',
      'The trend in the selected time and the verdict of memoir ram; a verdict needs at least 30 s and 24 snapshots',
      (perSecond, line) => {
        const verdict = line.node ? summaryOf(line.node, answer.column).growth.verdict : 'together';
        return h(
          'span',
          { class: 'growth-cell' },
          signedText(perSecond * 3600, (perHour) => `${bytesText(perHour)}/h`),
          h('span', { class: `verdict ${verdict}` }, verdict),
        );
      },
      true,
    );
  }

  private profiles(): Column<Line> {
    return {
      id: 'profiles',
      label: 'Profiles',
      isWide: true,
      cell: (line) =>
        line.node?.targets.length
          ? h(
              'span',
              { class: 'profiles' },
              ...line.node.targets.map((target) =>
                button(target.profile, () => this.open(line, target.id), {
                  class: 'link',
                  title: `Show the ${target.profile} profiles of ${line.name}`,
                }),
              ),
            )
          : h(
              'span',
              { class: 'nothing', title: 'memoir watch has fetched no profiles of this node' },
              line.node ? 'none' : '',
            ),
    };
  }

  key(event: KeyboardEvent): boolean {
    if (event.key !== 'l' || !this.scene) return false;
    this.scene.change({ lanes: !this.scene.selection.lanes });
    return true;
  }

  asPicture(): Picture | null {
    return this.lanes.element.hidden ? null : this.lanes.asPicture();
  }

  asTable(): Table | null {
    const { answer } = this;
    if (!answer) return null;
    const numbers = this.columns.filter((column) => column.data).map((column) => column.id);
    return {
      columns: ['node', 'role', 'class', 'up', ...numbers],
      rows: this.lines
        .filter((line) => line.node !== null)
        .map((line) => [
          line.name,
          line.role,
          line.node?.class ?? '',
          line.node?.up ? 'up' : 'down',
          ...numbers.map((name) => line.numbers.get(name) ?? null),
        ]),
    };
  }
}
