// The call tree, from the outermost function down or from the innermost up, with columns for every metric.
import { barCell } from '../../bars';
import { add, button, fill, h } from '../../dom';
import type { Table } from '../../export/seen';
import { finderOf, literally } from '../../finder';
import { Grid, type Column } from '../../grid';
import { nameWord, whereWord } from '../../names';
import { sumWords } from '../../rows';
import type { Part, Scene } from '../../scene';
import { noneText } from '../../states';
import { baseName, countText, valueText } from '../../units';
import { BesideChooser } from '../../beside';
import { loadForest, type Forest, type Node } from './forest';

const OPEN_SHARE = 0.3;

export class TreePart implements Part {
  readonly element = h('section', { class: 'tree', 'aria-label': 'Call tree' });
  private readonly beside = new BesideChooser();
  private readonly words = h('span', { class: 'words' });
  private readonly directions = h('div', { class: 'switch', role: 'group', 'aria-label': 'Direction' });
  private readonly bar = h('div', { class: 'toolbar' }, this.directions, this.beside.element, this.words);
  private scene: Scene | null = null;
  private forest: Forest | null = null;
  private rows: Node[] = [];
  private readonly isOpen = new Map<string, boolean>(); // as somebody wanted it
  private readonly grid = new Grid<Node>({
    label: 'Call tree',
    role: 'treegrid',
    nameOf: (node) => node.name,
    attributes: (node) => ({
      'aria-level': node.depth + 1,
      ...(node.children.length ? { 'aria-expanded': String(this.opens(node)) } : {}),
    }),
    onEnter: (node) => this.toggle(node),
    onKey: (node, event) => this.type(node, event),
    onPress: (node) => this.toggle(node),
  });

  constructor() {
    add(this.element, this.bar, this.grid.element);
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const forest = await loadForest(scene);
    if (this.scene !== scene) return;
    this.forest = forest;
    this.beside.show(scene);
    fill(
      this.directions,
      ...[false, true].map((callers) =>
        button(callers ? 'Bottom up' : 'Top down', () => scene.change({ callers, zoom: '' }), {
          'aria-pressed': String(scene.selection.callers === callers),
        }),
      ),
    );
    fill(
      this.words,
      ...sumWords(forest.sums),
      forest.root.children.length === 0 && h('p', { class: 'empty' }, noneText('stack', scene)),
    );
    this.list();
  }

  /** Where most of it is, is open by itself. */
  private opens(node: Node): boolean {
    const whole = Math.abs(this.forest?.root.cells[0]?.total ?? 0);
    return (
      this.isOpen.get(node.path) ??
      (node.depth === 0 || Math.abs(node.cells[0]?.total ?? 0) >= OPEN_SHARE * whole)
    );
  }

  private toggle(node: Node): void {
    if (!node.children.length) return;
    this.isOpen.set(node.path, !this.opens(node));
    this.list();
  }

  private focus(node: Node): void {
    if (node.depth > 0) this.scene?.change({ view: 'callers', focus: node.name, zoom: '' });
  }

  key(event: KeyboardEvent): boolean {
    if (event.key !== 'r') return false;
    this.scene?.change({ callers: !this.scene.selection.callers, zoom: '' });
    return true;
  }

  private type(node: Node, event: KeyboardEvent): boolean {
    if (event.key === 'c') this.focus(node);
    else if (event.key === 'ArrowRight' && node.children.length && !this.opens(node)) this.toggle(node);
    else if (event.key === 'ArrowLeft' && node.children.length && this.opens(node)) this.toggle(node);
    else if (event.key === 'ArrowLeft')
      this.grid.choose(this.rows.findIndex((other) => other.children.includes(node)));
    else return false;
    return true;
  }

  private list(): void {
    const { forest, scene } = this;
    if (!forest || !scene) return;
    const rows: Node[] = [],
      waiting = [forest.root];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      rows.push(node);
      if (this.opens(node))
        for (let i = node.children.length - 1; i >= 0; i--) waiting.push(node.children[i]!);
    }
    this.rows = rows;
    this.grid.set(this.columnsOf(forest, scene), rows, '');
  }

  /** The rows that are open. */
  asTable(): Table | null {
    const { forest } = this;
    return (
      forest && {
        columns: [
          'depth',
          'function',
          'module',
          ...forest.sums.flatMap(({ metric }) =>
            ['total', 'self', 'total_count'].map((word) =>
              forest.sums.length > 1 ? `${metric}.${word}` : word,
            ),
          ),
        ],
        rows: this.rows.map((node) => [
          node.depth,
          node.name,
          node.module,
          ...node.cells.flatMap((cell) => [cell.total, cell.self, cell.totalCount]),
        ]),
      }
    );
  }

  private columnsOf(forest: Forest, scene: Scene): Column<Node>[] {
    const finds = finderOf(scene.selection.find);
    const name: Column<Node> = {
      id: 'name',
      label: 'Function',
      cell: (node) => {
        const cell = h(
          'span',
          { class: 'name-cell' },
          h(
            'span',
            { class: 'twisty', 'aria-hidden': 'true' },
            node.children.length ? (this.opens(node) ? '▾' : '▸') : '',
          ),
          nameWord(node.name, node.name, finds?.(node.name)),
          whereWord(baseName(node.module), node.module),
        );
        cell.style.paddingLeft = `${Math.min(node.depth, 40) * 13}px`;
        if (node.depth > 0)
          add(
            cell,
            button('callers', () => this.focus(node), {
              class: 'tiny',
              tabindex: -1,
              title: `Callers and callees of ${node.name} (c)`,
            }),
            button('only', () => scene.change({ filter: literally(node.name), zoom: '' }), {
              class: 'tiny',
              tabindex: -1,
              title: `Only stacks through ${node.name}`,
            }),
          );
        return cell;
      },
    };
    return [
      name,
      ...forest.sums.flatMap((sum, i): Column<Node>[] => {
        const of = forest.sums.length > 1 ? `${sum.metric}\n` : '';
        const all: Column<Node>[] = [
          {
            id: `total-${i}`,
            label: `${of}total`,
            isNumber: true,
            data: (node) => node.cells[i]!.total,
            cell: (node) => barCell(node.cells[i]!.total, sum.value, sum.unit, i),
          },
          {
            id: `self-${i}`,
            label: `${of}self`,
            isNumber: true,
            isWide: true,
            data: (node) => node.cells[i]!.self,
            cell: (node) => (node.cells[i]!.self ? valueText(node.cells[i]!.self, sum.unit) : ''),
          },
          {
            id: `count-${i}`,
            label: `${of}count`,
            isNumber: true,
            isWide: true,
            data: (node) => node.cells[i]!.totalCount,
            cell: (node) => countText(node.cells[i]!.totalCount),
          },
        ];
        if (scene.selection.callers) all.splice(1, 1); // all that it has is of the functions it began with
        return forest.sums.length > 1 ? all.slice(0, 2) : all;
      }),
    ];
  }
}
