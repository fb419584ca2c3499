// One function between its callers, above, and its callees, below: as a flame graph to both sides, and as tables.
import type { CallersAnswer } from '../../api_types';
import { add, button, fill, h } from '../../dom';
import type { Picture, Table } from '../../export/seen';
import { literally } from '../../finder';
import { Palette } from '../flame/colors';
import {
  depthCount,
  frameTable,
  mergedCount,
  nodeOfPath,
  pathText,
  treeOf,
  type FrameTable,
} from '../flame/layout';
import { matchesOf } from '../flame/matches';
import { FlameStage, type Shown } from '../flame/stage';
import { describe } from '../flame/words';
import { isCounter } from '../../metrics';
import { whereWord } from '../../names';
import { loadRows, type Row } from '../../rows';
import { questionOf, type Part, type Scene } from '../../scene';
import { noneText } from '../../states';
import { onTheme, theme } from '../../theme';
import { baseName, countText, shareText, valueText } from '../../units';
import { byTotal, focusOf, questionAbout, rowOfFocus } from './focus';
import { FunctionList } from './list';
import { NeighbourTable } from './table';

const UP = 'up.'; // zoom=up.…: among the callers
const HALF = 0.3; // of the window's height, for each side

export class CallersPart implements Part {
  readonly element = h('section', { class: 'callers', 'aria-label': 'Callers and callees' });
  private readonly facts = h('div', { class: 'facts', 'aria-live': 'polite' });
  private readonly note = h('p', { class: 'hint notes' });
  private readonly list = new FunctionList((row) => this.focusRow(row));
  private readonly callers = this.stage('Callers', true);
  private readonly callees = this.stage('Callees', false);
  private readonly callerTable = new NeighbourTable(
    'Callers',
    'no caller: outermost function',
    (name, module) => this.focus(name, module),
  );
  private readonly calleeTable = new NeighbourTable('Callees', 'itself', (name, module) =>
    this.focus(name, module),
  );
  private readonly flames = h(
    'div',
    { class: 'sandwich' },
    this.facts,
    this.callers.element,
    this.callees.element,
    this.note,
    h('div', { class: 'both' }, this.callerTable.element, this.calleeTable.element),
  );
  private readonly empty = h('p', { class: 'empty', hidden: true });
  private scene: Scene | null = null;
  private rows: Row[] = [];
  private answer: CallersAnswer | null = null;
  private made: { callers: Shown; callees: Shown; frames: FrameTable } | null = null;
  private readonly trail: string[] = []; // functions that were in focus before

  constructor() {
    add(this.element, this.list.element, h('div', { class: 'sandwich-side' }, this.empty, this.flames));
    onTheme(() => this.scene && void this.show(this.scene));
  }

  private stage(label: string, isUpward: boolean): FlameStage {
    const stage: FlameStage = new FlameStage({
      label: `${label}. Arrows walk through the frames, Enter moves to a function, z zooms in, Backspace goes back. The same is below as a table.`,
      isUpward,
      hidesRoot: !isUpward,
      marksRoot: isUpward,
      describe: (node) =>
        this.answer && this.made
          ? describe(
              { ...(isUpward ? this.made.callers : this.made.callees), answer: this.answer.flame },
              node,
              this.answer.total.value,
            )
          : [],
      onZoom: (node) => this.zoom(isUpward, node),
      onEnter: (node) => this.focusNode(isUpward, node),
      onKey: (node, event) => {
        if (event.key === 'z') this.zoom(isUpward, node);
        else if (event.key === 'Backspace') this.back();
        else return false;
        return true;
      },
    });
    return stage;
  }

  async show(scene: Scene): Promise<void> {
    const before = this.scene;
    this.scene = scene;
    const loaded = await loadRows({ ...scene, selection: { ...scene.selection, beside: [] } }, 'function');
    const rows = byTotal(loaded.rows),
      row = rowOfFocus(scene.selection.focus, rows);
    const answer =
      row &&
      (await scene.source.get<CallersAnswer>('api/callers', {
        ...questionOf(scene),
        ...questionAbout(row),
        frames: Math.min(scene.selection.frames, 200000),
      }));
    if (this.scene !== scene) return;
    this.rows = rows;
    this.list.show(rows, row, loaded.sums[0]!);
    this.flames.hidden = !answer;
    this.empty.hidden = answer !== null;
    this.empty.textContent = rows.length
      ? `No stack with ${scene.selection.focus} has any ${scene.metric} in the selection. Choose another function from the list, or clear the filter or the time.`
      : noneText('stack', scene);
    if (!answer) return;
    this.draw(answer, scene, before);
  }

  private draw(answer: CallersAnswer, scene: Scene, before: Scene | null): void {
    const { zoom, find, colour } = scene.selection;
    const isNew = answer !== this.answer || before?.selection.colour !== colour;
    if (isNew || !this.made || before?.selection.find !== find) {
      const frames = frameTable(answer.flame),
        matches = matchesOf(frames, find);
      const made = (place: number): Shown => {
        const tree = treeOf(answer.flame.trees[place]?.nodes ?? [0, 0, 0, 0], frames);
        return {
          tree,
          frames,
          palette: new Palette(tree, frames, theme().isDark, colour),
          matches,
          dress: null,
        };
      };
      this.made = { callees: made(0), callers: made(1), frames };
    }
    if (isNew) this.callers.chosen = this.callees.chosen = -1;
    this.answer = answer;
    this.fillFacts(answer, scene);
    this.fillNote(answer, scene);
    const glides = !isNew && before?.selection.zoom !== zoom,
      mostHeight = Math.max(150, Math.round(innerHeight * HALF));
    const { callers, callees } = this.made;
    this.callers.show(callers, zoom.startsWith(UP) ? nodeOfPath(callers.tree, zoom.slice(UP.length)) : 0, {
      glides,
      mostHeight,
    });
    this.callees.element.hidden = depthCount(callees.tree) < 2; // it calls nothing
    this.callees.show(callees, zoom.startsWith(UP) ? 0 : nodeOfPath(callees.tree, zoom), {
      glides,
      mostHeight,
    });
    this.callerTable.show(answer.callers, answer, find);
    this.calleeTable.show(answer.callees, answer, find);
  }

  // Moving about.

  private focusRow(row: Row): void {
    const { scene } = this,
      now = this.answer && scene?.selection.focus;
    const focus = focusOf(row, this.rows);
    if (!scene || focus === now) return;
    if (this.answer) this.trail.push(now || this.answer.function);
    scene.change({ focus, zoom: '' });
  }

  private focus(name: string, module: string): void {
    const row = this.rows.find((one) => one.name === name && one.module === module);
    if (row) this.focusRow(row);
  }

  private focusNode(isUpward: boolean, node: number): void {
    const { made } = this;
    const frame = made?.[isUpward ? 'callers' : 'callees'].tree.frame[node] ?? -1;
    if (made && node > 0 && frame >= 0) this.focus(made.frames.name(frame), made.frames.module(frame));
  }

  /** To where one came from. */
  private back(): void {
    const focus = this.trail.pop();
    if (focus) this.scene?.change({ focus, zoom: '' });
    else if (this.scene?.selection.zoom) this.scene.change({ zoom: '' });
  }

  private zoom(isUpward: boolean, node: number): void {
    const shown = this.made?.[isUpward ? 'callers' : 'callees'];
    if (!shown || shown.tree.frame[node]! < 0) return;
    const path = pathText(shown.tree, node);
    this.scene?.change({ zoom: path && isUpward ? `${UP}${path}` : path });
  }

  // Words.

  private fillFacts(answer: CallersAnswer, scene: Scene): void {
    const { unit, total, self, again, whole } = answer;
    const line = (label: string, name: string, value: number, text: string): HTMLElement =>
      h(
        'div',
        { class: 'tip-line' },
        h('span', {}, label),
        h('b', { 'data-name': `focus-${name}`, 'data-value': value }, text),
      );
    fill(
      this.facts,
      h('div', { class: 'tip-head mono', 'data-name': 'focus' }, answer.function),
      whereWord(baseName(answer.module), answer.module),
      line(
        'Total',
        'total',
        total.value,
        `${valueText(total.value, unit)} · ${shareText(total.value, whole.value)}`,
      ),
      line('Self', 'self', self.value, valueText(self.value, unit)),
      again.value !== 0 && line('Recursive', 'again', again.value, valueText(again.value, unit)),
      line('Count', 'count', total.count, countText(total.count)),
      button(
        'Only stacks through this function',
        () => scene.change({ filter: literally(answer.function).slice(0, 200), zoom: '' }),
        { class: 'small' },
      ),
      this.trail.length > 0 &&
        button('Back', () => this.back(), {
          class: 'small',
          title: `Back to ${this.trail[this.trail.length - 1]} (Backspace)`,
        }),
    );
  }

  private fillNote(answer: CallersAnswer, scene: Scene): void {
    const { made } = this;
    const merged = made ? mergedCount(made.callers.tree) + mergedCount(made.callees.tree) : 0;
    const drawn = answer.flame.total,
      { time } = scene.selection;
    this.note.textContent = [
      answer.again.value !== 0 &&
        'A stack with recursion counts once, from the outermost call of this function; inner calls are listed as callees.',
      drawn !== answer.total.value &&
        `Negative values cannot be drawn: the graphs show ${valueText(drawn, answer.unit)}, the tables show all values.`,
      time &&
        time.from !== null &&
        !isCounter(scene.metric) &&
        'Values are the growth within the selected range.',
      merged > 0 && `${countText(merged)} small frames are merged in the graphs; the tables have all frames.`,
      answer.callees.every((row) => !row.frame) &&
        `This function calls no function that has any ${answer.metric}.`,
      scene.selection.zoom && 'Zoomed in: a double click shows all frames.',
    ]
      .filter(Boolean)
      .join(' ');
    this.note.hidden = !this.note.textContent;
  }

  asPicture(): Picture | null {
    const above = this.callers.asPicture(),
      below = this.callees.asPicture();
    if (!above || !below || this.flames.hidden) return null;
    return {
      width: above.width,
      height: above.height + below.height,
      paint: (pen) => {
        above.paint(pen);
        pen.save();
        pen.translate(0, above.height);
        below.paint(pen);
        pen.restore();
      },
    };
  }

  asTable(): Table | null {
    const { answer } = this;
    if (!answer) return null;
    const rows = (side: 'callers' | 'callees'): (string | number)[][] =>
      answer[side].map((row) => [
        side === 'callers' ? 'caller' : 'callee',
        row.frame?.function ?? '',
        row.frame?.module ?? '',
        row.value,
        row.count,
      ]);
    return {
      columns: ['side', 'function', 'module', answer.metric, 'count'],
      rows: [...rows('callers'), ...rows('callees')],
    };
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === 'Backspace') this.back();
    else if (event.key === 'ArrowUp') this.callers.over.focus();
    else if (event.key === 'ArrowDown') this.callees.over.focus();
    else return false;
    return true;
  }
}
