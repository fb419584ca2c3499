// Which files and lines cost what: a list of files, then one file with costs beside its lines.
import type { SourceAnswer, SourceFile } from '../../api_types';
import { barCell } from '../../bars';
import { add, button, fill, h } from '../../dom';
import type { Table } from '../../export/seen';
import { finderOf } from '../../finder';
import { Grid, type Column } from '../../grid';
import { nameWord, whereWord } from '../../names';
import { questionOf, type Part, type Scene } from '../../scene';
import { baseName, countText, shareText, valueText } from '../../units';
import { isTooShort, listingOf, wordsOf, type CodeLine } from './listing';

const ROW = 22,
  ONLY_COSTS = 'costs'; // of `sort`: lines without a cost are folded

export class SourcePart implements Part {
  readonly element = h('section', { class: 'sources', 'aria-label': 'Source lines' });
  private readonly bar = h('div', { class: 'toolbar' });
  private readonly notice = h('p', { class: 'notice', role: 'status', hidden: true });
  private readonly files = new Grid<SourceFile>({
    label: 'Source files',
    nameOf: (file) => file.file,
    onEnter: (file) => this.open(file),
    onPress: (file) => this.open(file),
  });
  private readonly code = new Grid<CodeLine>({
    label: 'Lines of the file',
    height: ROW,
    nameOf: (line) => (line.line ? String(line.line) : ''),
    attributes: (line) => ({ class: line.cost ? 'warm' : '' }),
    onEnter: (line) => this.facts(line),
    onPress: (line) => (line.hidden ? this.scene?.change({ sort: '' }, 'replace') : this.facts(line)),
    onKey: (line, event) => this.typed(line, event),
  });
  private readonly listing = h('div', { class: 'code-grid' }, this.code.element);
  private readonly stage = h('div', {}); // one of the two
  private readonly about = h('div', { class: 'facts', 'aria-live': 'polite', hidden: true });
  private scene: Scene | null = null;
  private answer: SourceAnswer | null = null;
  private lines: CodeLine[] = [];
  private placed = ''; // what was last scrolled to

  constructor() {
    add(this.element, this.bar, this.notice, this.stage, this.about);
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const { file, focus } = scene.selection;
    const answer = await scene.source.get<SourceAnswer>('api/source', {
      ...questionOf(scene),
      file,
      focus: file ? null : focus,
    });
    if (this.scene !== scene) return;
    this.answer = answer;
    const isOne = answer.file !== null;
    const grid = isOne ? this.listing : this.files.element;
    if (this.stage.firstElementChild !== grid) fill(this.stage, grid);
    if (!isOne) this.about.hidden = true;
    this.fillNotice(answer);
    if (isOne) this.showLines(scene, answer);
    else this.showFiles(scene, answer);
  }

  private open(file: SourceFile): void {
    this.scene?.change({ file: file.file, zoom: '' });
  }

  // All files.

  private showFiles(scene: Scene, answer: SourceAnswer): void {
    const finds = finderOf(scene.selection.find);
    const files = finds ? answer.files.filter((file) => finds(file.file)) : answer.files;
    const number = (id: 'self' | 'total', title: string): Column<SourceFile> => ({
      id,
      label: id,
      title,
      isNumber: true,
      data: (file) => file[id],
      cell: (file) => barCell(file[id], answer.total.value, answer.unit, id === 'self' ? 0 : 1),
    });
    this.files.set(
      [
        {
          id: 'name',
          label: 'File',
          cell: (file) =>
            h(
              'span',
              { class: 'name-cell' },
              nameWord(baseName(file.file), file.file),
              whereWord(file.file.slice(0, -baseName(file.file).length), file.file),
            ),
        },
        number('self', 'cost of stacks that end in this file'),
        number('total', 'cost of stacks that contain this file'),
        {
          id: 'lines',
          label: 'lines',
          title: 'lines that have a cost',
          isNumber: true,
          isWide: true,
          data: (file) => file.lines,
          cell: (file) => countText(file.lines),
        },
      ],
      files,
      'self',
    );
    fill(
      this.bar,
      this.sumOf(answer),
      h(
        'span',
        { class: 'hint', 'data-name': 'file-count', 'data-value': files.length },
        `${countText(files.length)} file${files.length === 1 ? '' : 's'}` +
          (answer.placed === answer.total.value
            ? ''
            : `, which have ${shareText(answer.placed, answer.total.value)} of self; the source file of the rest is not known`),
      ),
      files.length === 0 &&
        h(
          'p',
          { class: 'empty' },
          scene.selection.find && answer.files.length
            ? 'No file matches the search.'
            : 'No frame of this selection has a source file: compile the program with -g, or install its debug symbols, and record again.',
        ),
    );
    this.stage.hidden = files.length === 0;
  }

  private sumOf(answer: SourceAnswer): HTMLElement {
    return h(
      'span',
      { class: 'total', 'data-name': 'source-total', 'data-value': answer.total.value },
      `${answer.metric} ${valueText(answer.total.value, answer.unit)}`,
    );
  }

  // One file.

  private showLines(scene: Scene, answer: SourceAnswer): void {
    this.stage.hidden = false;
    const isFolded = scene.selection.sort === ONLY_COSTS;
    const finds = finderOf(scene.selection.find);
    this.lines = listingOf(answer, isFolded);
    this.code.set(this.columnsOf(answer, finds), this.lines, '');
    const found = finds ? this.lines.filter((line) => !line.hidden && this.isFound(line, finds)) : [];
    this.fillBar(scene, answer, isFolded, finds ? found.length : null);
    const { zoom, focus, find } = scene.selection;
    const wanted = [answer.file, zoom, focus, find, isFolded].join(' ');
    if (wanted === this.placed) return;
    this.placed = wanted;
    const place = this.placeOf(zoom, focus, found[0]);
    if (place < 0) return;
    this.code.element.scrollTop = place * ROW - this.code.element.clientHeight / 3;
    this.code.choose(place);
    this.facts(this.lines[place]!);
  }

  private isFound(line: CodeLine, finds: (text: string) => boolean): boolean {
    return finds(line.text) || (line.cost !== null && finds(line.cost.function));
  }

  /** What was found, the line that was asked for, the heaviest of the function, or of the file. */
  private placeOf(zoom: string, focus: string, found: CodeLine | undefined): number {
    if (found) return this.lines.indexOf(found);
    const asked = this.lines.findIndex((line) => line.line > 0 && String(line.line) === zoom);
    if (asked >= 0) return asked;
    const heaviest = (isMeant: (line: CodeLine) => boolean): number => {
      let place = -1,
        most = -1;
      this.lines.forEach((line, i) => {
        const cost =
          line.cost && isMeant(line) ? Math.abs(line.cost.self) * 2 + Math.abs(line.cost.total) : -1;
        if (cost > most) [place, most] = [i, cost];
      });
      return place;
    };
    const ofFocus = focus ? heaviest((line) => line.cost?.function === focus) : -1;
    return ofFocus >= 0 ? ofFocus : heaviest(() => true);
  }

  private columnsOf(answer: SourceAnswer, finds: ((text: string) => boolean) | null): Column<CodeLine>[] {
    const number = (id: 'self' | 'total', hue: number): Column<CodeLine> => ({
      id,
      label: id,
      title: id === 'self' ? 'cost of stacks that end at this line' : 'cost of stacks that contain this line',
      isNumber: true,
      data: (line) => line.cost?.[id] ?? '',
      cell: (line) => (line.cost ? barCell(line.cost[id], answer.total.value, answer.unit, hue) : ''),
    });
    return [
      {
        id: 'line',
        label: 'line',
        isNumber: true,
        cell: (line) => (line.line ? String(line.line) : ''),
      },
      number('self', 0),
      number('total', 1),
      {
        id: 'text',
        label: answer.text === null ? 'function' : 'source',
        cell: (line) =>
          h(
            'span',
            {
              class: `mono code${line.hidden ? ' folded' : ''}`,
              title: line.cost ? wordsOf(line.cost) : null,
            },
            line.hidden
              ? `⋯ ${countText(line.hidden)} line${line.hidden === 1 ? '' : 's'} without a cost`
              : finds && this.isFound(line, finds)
                ? h('mark', { class: 'hit' }, line.text || ' ')
                : line.text || ' ',
          ),
      },
    ];
  }

  private typed(line: CodeLine, event: KeyboardEvent): boolean {
    const finds = finderOf(this.scene?.selection.find ?? '');
    const isMeant = (one: CodeLine): boolean => (finds ? this.isFound(one, finds) : one.cost !== null);
    const at = this.lines.indexOf(line);
    let place = -1;
    if (event.key === 'n') place = this.lines.findIndex((one, i) => i > at && isMeant(one));
    else if (event.key === 'p') for (place = at - 1; place >= 0 && !isMeant(this.lines[place]!);) place--;
    else if (event.key === 'Backspace') this.scene?.change({ file: '', focus: '', zoom: '' });
    else return false;
    if (place >= 0) {
      this.code.choose(place);
      this.facts(this.lines[place]!);
    }
    event.stopPropagation();
    return true;
  }

  private facts(line: CodeLine): void {
    const { answer, scene } = this,
      { cost } = line;
    this.about.hidden = !cost;
    if (!answer || !scene || !cost) return;
    const part = (label: string, value: number, text: string): HTMLElement =>
      h('div', { class: 'tip-line' }, h('span', {}, label), h('b', { 'data-value': value }, text));
    fill(
      this.about,
      h('div', { class: 'tip-head mono' }, `${wordsOf(cost)}${line.line ? `, line ${line.line}` : ''}`),
      part('self', cost.self, `${valueText(cost.self, answer.unit)} in ${countText(cost.self_count)}`),
      part('total', cost.total, `${valueText(cost.total, answer.unit)} in ${countText(cost.total_count)}`),
      button(
        'Graph around the function',
        () => scene.change({ view: 'graph', focus: cost.function, zoom: '' }),
        {
          class: 'small',
        },
      ),
    );
    this.about.dataset['name'] = String(line.line);
  }

  private fillBar(scene: Scene, answer: SourceAnswer, isFolded: boolean, found: number | null): void {
    const file = answer.files[0];
    const fold = (label: string, sort: string): HTMLButtonElement =>
      button(label, () => scene.change({ sort }, 'replace'), {
        'aria-pressed': String(isFolded === (sort !== '')),
      });
    fill(
      this.bar,
      button('‹ All files', () => scene.change({ file: '', focus: '', zoom: '' }), { class: 'small' }),
      h(
        'b',
        { class: 'mono path', title: answer.path ?? answer.file, 'data-name': 'file' },
        baseName(answer.file ?? ''),
      ),
      answer.text !== null &&
        h(
          'div',
          { class: 'switch', role: 'group', 'aria-label': 'Lines' },
          fold('All lines', ''),
          fold('With costs', ONLY_COSTS),
        ),
      h(
        'span',
        { class: 'total', 'data-name': 'file-self', 'data-value': file?.self ?? 0 },
        `self ${valueText(file?.self ?? 0, answer.unit)} · ${shareText(file?.self ?? 0, answer.total.value)}`,
      ),
      h(
        'span',
        { class: 'total', 'data-name': 'file-total', 'data-value': file?.total ?? 0 },
        `total ${valueText(file?.total ?? 0, answer.unit)} · ${shareText(file?.total ?? 0, answer.total.value)}`,
      ),
      found === null
        ? null
        : h(
            'span',
            { class: 'found', 'data-name': 'found', 'data-value': found },
            `${countText(found)} found`,
          ),
      h('span', { class: 'hint path', title: answer.path ?? '' }, answer.path ?? answer.file ?? ''),
      answer.lines.length === 0 &&
        h('p', { class: 'empty' }, `No line of this file has any ${answer.metric} in the selection.`),
    );
  }

  private fillNotice(answer: SourceAnswer): void {
    const sentence =
      answer.why ??
      (isTooShort(answer)
        ? 'This file is shorter than the file that was compiled: line numbers may not fit.'
        : answer.changed
          ? 'This file was changed after the recording began: lines may have moved.'
          : '');
    this.notice.hidden = !sentence;
    this.notice.textContent = sentence;
  }

  key(event: KeyboardEvent): boolean {
    const grid = this.listing.isConnected ? this.code : this.files;
    if (!event.key.startsWith('Arrow') || document.activeElement === grid.element) return false;
    grid.element.focus();
    return true;
  }

  asTable(): Table | null {
    const { answer } = this;
    if (!answer) return null;
    return answer.file === null
      ? {
          columns: ['file', 'self', 'self_count', 'total', 'total_count', 'lines'],
          rows: answer.files.map((file) => [
            file.file,
            file.self,
            file.self_count,
            file.total,
            file.total_count,
            file.lines,
          ]),
        }
      : {
          columns: ['file', 'line', 'function', 'self', 'self_count', 'total', 'total_count'],
          rows: answer.lines.map((line) => [
            answer.file,
            line.line,
            line.function,
            line.self,
            line.self_count,
            line.total,
            line.total_count,
          ]),
        };
  }
}
