// The call graph: each function once, callers above; click or Enter for the graph around one.
import type { GraphAnswer } from '../../api_types';
import { add, button, fill, h, listen, setAttribute, svg } from '../../dom';
import type { Picture, Table } from '../../export/seen';
import { finderOf, literally } from '../../finder';
import { heatSteps } from '../../heat_colors';
import { questionOf, type Part, type Scene } from '../../scene';
import { groupings } from '../../selection';
import { noneText } from '../../states';
import { onTheme, theme } from '../../theme';
import { countText, shareText, valueText } from '../../units';
import { Camera } from './camera';
import { drawGraph, nameOf, sizesOf, type Drawing } from './draw';
import { planOf, type Plan } from './layout';
import { neighboursOf, outermost, stepFrom, type Neighbours } from './walk';
import { describe, graphTables, nodeTable } from './words';

const LEASTS = ['20', '10', '5', '2', '1', '0.5', '0.2', '0.1', '0.05', '0'],
  USUAL = '0.5',
  FIRST = 60, // boxes that can be read at a glance
  NODES = 400,
  TYPING_MS = 200;

const labels = { function: 'Functions', module: 'Modules', line: 'Lines' } as const;

interface Shown {
  answer: GraphAnswer;
  plan: Plan;
  drawing: Drawing;
  neighbours: Neighbours[];
}

export class GraphPart implements Part {
  readonly element = h('section', { class: 'graph', 'aria-label': 'Call graph' });
  private readonly bar = h('div', { class: 'toolbar' });
  private readonly drawing = svg('g');
  private readonly stage = svg(
    'svg',
    {
      class: 'graph-stage',
      tabindex: 0,
      role: 'application',
      'aria-label':
        'Call graph. Up and down walk to the heaviest caller and callee, left and right to neighbours, Enter shows the graph around a function, Backspace shows the whole graph; plus, minus and 0 zoom. The same is below as a table.',
    },
    this.drawing,
  );
  private readonly camera = new Camera(
    this.stage,
    this.drawing,
    () => 0.62,
    (camera) => this.scene?.change({ camera }, 'replace'),
  );
  private readonly tip = h('div', { class: 'tip wide', hidden: true });
  private readonly frame = h('div', { class: 'flame-frame' }, this.stage, this.tip);
  private readonly empty = h('p', { class: 'empty', hidden: true });
  private readonly facts = h('div', { class: 'facts', 'aria-live': 'polite' });
  private readonly legend = h('div', { class: 'legend' });
  private readonly table = h('details', { class: 'as-table' }, h('summary', {}, 'As a table'));
  private readonly slider = listen(
    h('input', {
      type: 'range',
      min: 0,
      max: LEASTS.length - 1,
      step: 1,
      'aria-label': 'Least share of a box',
    }),
    { input: () => this.slide() },
  );
  private timer = 0;
  private scene: Scene | null = null;
  private shown: Shown | null = null;
  private chosen = -1;
  private hovered = -1;

  constructor() {
    add(this.element, this.bar, this.frame, this.empty, this.facts, this.legend, this.table);
    this.stage.addEventListener('pointermove', (event) => this.hover(event));
    this.stage.addEventListener('pointerleave', () => this.point(-1));
    this.stage.addEventListener('click', (event) => this.click(event));
    this.stage.addEventListener('keydown', (event) => this.type(event));
    this.table.addEventListener('toggle', () => this.fillTable());
    onTheme(() => this.scene && this.element.isConnected && this.draw(this.shown?.answer ?? null));
  }

  async show(scene: Scene): Promise<void> {
    this.scene = scene;
    const { focus, by, least } = scene.selection;
    const answer = await scene.source.get<GraphAnswer>('api/graph', {
      ...questionOf(scene),
      by,
      focus,
      'node-thres': least || USUAL,
      nodes: least ? NODES : FIRST,
    });
    if (this.scene !== scene) return;
    if (answer !== this.shown?.answer) this.draw(answer);
    this.camera.follow(scene.selection.camera);
    this.fillBar(scene, answer);
    this.mark();
    this.fillTable();
  }

  private draw(answer: GraphAnswer | null): void {
    if (!answer) return;
    const name = this.shown?.answer.nodes[this.chosen]?.function;
    const isSame = this.shown?.answer === answer;
    const began = performance.now();
    const plan = isSame ? this.shown!.plan : planOf(answer, sizesOf(answer));
    this.element.dataset['layoutMs'] = (performance.now() - began).toFixed(0);
    this.shown = {
      answer,
      plan,
      drawing: drawGraph(this.drawing, answer, plan),
      neighbours: neighboursOf(answer),
    };
    this.hovered = -1;
    this.tip.hidden = true;
    if (!isSame) this.camera.show(plan, plan.boxes[outermost(this.shown.neighbours)]);
    const wanted = answer.focus ?? name;
    this.chosen = wanted === undefined ? -1 : answer.nodes.findIndex((node) => node.function === wanted);
    if (!isSame && this.chosen >= 0) this.camera.bringIntoView(plan.boxes[this.chosen]!);
    this.frame.hidden = this.legend.hidden = this.table.hidden = answer.nodes.length === 0;
    this.fillLegend();
    this.fillFacts();
  }

  // What stands out.

  private mark(): void {
    const { shown, scene } = this;
    if (!shown || !scene) return;
    const finds = finderOf(scene.selection.find),
      colors = theme();
    const around = this.hovered >= 0 ? this.hovered : -1;
    const near = around < 0 ? null : shown.neighbours[around];
    shown.drawing.nodes.forEach((element, i) => {
      const node = shown.answer.nodes[i]!;
      const isFound = finds !== null && (finds(node.function) || finds(node.module));
      const isNear = !near || i === around || near.callers.includes(i) || near.callees.includes(i);
      const box = element.firstElementChild!;
      const isFocus = node.function === shown.answer.focus;
      setAttribute(element, 'opacity', isNear && (!finds || isFound) ? null : isNear ? 0.45 : 0.2);
      setAttribute(
        box,
        'stroke',
        i === this.chosen || isFocus ? colors.accent : isFound ? colors.hit : colors.faint,
      );
      setAttribute(box, 'stroke-width', i === this.chosen || isFound ? 3 : isFocus ? 2.5 : 1);
    });
    for (const { edge, element, label } of shown.drawing.edges) {
      const isNear = around < 0 || edge.from === around || edge.to === around;
      setAttribute(element, 'opacity', isNear ? (finds ? 0.5 : null) : 0.08);
      if (label) setAttribute(label, 'opacity', isNear ? null : 0.1);
    }
  }

  private point(place: number): void {
    if (place !== this.hovered) {
      this.hovered = place;
      this.mark();
    }
    if (place < 0) this.tip.hidden = true;
  }

  private placeUnder(event: Event): number {
    const node = event.target instanceof Element ? event.target.closest('.node') : null;
    return node ? Number(node.getAttribute('data-node')) : -1;
  }

  private hover(event: PointerEvent): void {
    if (event.buttons || event.pointerType === 'touch' || !this.shown) return;
    const place = this.placeUnder(event);
    this.point(place);
    if (place < 0) return;
    fill(this.tip, ...describe(this.shown.answer, place, this.shown.neighbours));
    this.tip.hidden = false;
    const frame = this.frame.getBoundingClientRect();
    const x = event.clientX - frame.left,
      y = event.clientY - frame.top;
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    this.tip.style.left = `${Math.max(0, Math.min(frame.width - width, x + 16))}px`;
    this.tip.style.top = `${Math.max(0, y + 20 + height > frame.height ? y - height - 12 : y + 20)}px`;
  }

  private click(event: MouseEvent): void {
    const place = this.placeUnder(event);
    if (this.camera.isDragged || place < 0) return;
    this.choose(place, false);
    this.focusOn(place);
  }

  private choose(place: number, isBrought: boolean): void {
    this.chosen = place;
    if (isBrought && this.shown) this.camera.bringIntoView(this.shown.plan.boxes[place]!);
    this.mark();
    this.fillFacts();
  }

  private focusOn(place: number): void {
    const node = this.shown?.answer.nodes[place];
    if (node && this.shown?.answer.by !== 'module') this.scene?.change({ focus: node.function });
  }

  private type(event: KeyboardEvent): void {
    const { shown } = this;
    if (!shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const next =
      this.chosen < 0
        ? event.key.startsWith('Arrow')
          ? outermost(shown.neighbours)
          : null
        : stepFrom(this.chosen, event.key, shown.plan, shown.neighbours);
    if (next !== null) this.choose(next, true);
    else if (event.key === 'Enter' && this.chosen >= 0) this.focusOn(this.chosen);
    else if (event.key === 'Backspace') this.scene?.change({ focus: '' });
    else if (event.key === '+' || event.key === '=') this.camera.step(1);
    else if (event.key === '-') this.camera.step(-1);
    else if (event.key === '0') this.camera.fit(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private slide(): void {
    const least = LEASTS[Number(this.slider.value)] ?? USUAL;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.scene?.change({ least }, 'replace'), TYPING_MS);
  }

  // Words.

  private fillFacts(): void {
    const { shown, scene } = this;
    const node = shown?.answer.nodes[this.chosen];
    this.facts.hidden = !node;
    if (!shown || !scene || !node) return;
    fill(
      this.facts,
      ...describe(shown.answer, this.chosen, shown.neighbours),
      shown.answer.by !== 'module' && node.function !== shown.answer.focus
        ? button('Graph around this function', () => this.focusOn(this.chosen), { class: 'small' })
        : null,
      node.file
        ? button('Source', () => scene.change({ view: 'source', focus: node.function, file: '', zoom: '' }), {
            class: 'small',
          })
        : null,
      button(
        'Only stacks through this function',
        () =>
          scene.change({
            filter: shown.answer.by === 'module' ? literally(node.module) : `^${literally(node.function)}$`,
            focus: '',
          }),
        { class: 'small' },
      ),
    );
    this.facts.dataset['name'] = nameOf(node, shown.answer.by);
  }

  private fillBar(scene: Scene, answer: GraphAnswer): void {
    const { by, focus, least, find } = scene.selection;
    const hidden = answer.left_out;
    if (document.activeElement !== this.slider)
      this.slider.value = String(Math.max(0, LEASTS.indexOf(least || USUAL)));
    const finds = finderOf(find);
    const found = finds
      ? answer.nodes.filter((node) => finds(node.function) || finds(node.module)).length
      : 0;
    fill(
      this.bar,
      h(
        'div',
        { class: 'switch', role: 'group', 'aria-label': 'One box per' },
        ...groupings.map((one) =>
          button(labels[one], () => scene.change({ by: one }), { 'aria-pressed': String(by === one) }),
        ),
      ),
      h(
        'label',
        { class: 'control' },
        h('span', {}, least ? `at least ${least} %` : `the ${FIRST} heaviest`),
        this.slider,
      ),
      h(
        'span',
        { class: 'switch', role: 'group', 'aria-label': 'Zoom' },
        button('−', () => this.camera.step(-1), { 'aria-label': 'Smaller', title: 'Smaller (-)' }),
        button('Fit', () => this.camera.fit(true), { title: 'The whole graph (0)' }),
        button('+', () => this.camera.step(1), { 'aria-label': 'Larger', title: 'Larger (+)' }),
      ),
      focus
        ? button(
            `around ${focus.length > 40 ? `${focus.slice(0, 39)}…` : focus} ×`,
            () => scene.change({ focus: '' }),
            {
              class: 'chip on',
              'data-name': 'focus',
              'aria-label': 'Show the whole graph again',
            },
          )
        : null,
      h(
        'span',
        { class: 'total', 'data-name': 'graph-total', 'data-value': answer.total.value },
        valueText(answer.total.value, answer.unit) +
          (focus ? ` of ${valueText(answer.all.value, answer.unit)}` : ''),
      ),
      find
        ? h(
            'span',
            { class: 'found', 'data-name': 'found', 'data-value': found },
            `${countText(found)} found`,
          )
        : null,
      h(
        'span',
        { class: 'hint', 'data-name': 'left-out', 'data-value': hidden.nodes },
        hidden.nodes
          ? `${countText(answer.nodes.length)} shown, ${countText(hidden.nodes)} smaller ones hidden, which have ${shareText(hidden.self, answer.whole)} of self`
          : `all ${countText(answer.nodes.length)} shown`,
      ),
    );
    this.empty.hidden = answer.nodes.length > 0;
    this.empty.textContent =
      focus && answer.all.value
        ? `No stack of this selection has ${focus} in it. Escape shows all functions.`
        : noneText('stack', scene);
  }

  private fillLegend(): void {
    const scale = h('span', { class: 'heat-scale', 'aria-hidden': 'true' });
    for (const color of heatSteps(8)) {
      const step = h('i', {});
      step.style.background = color;
      scale.append(step);
    }
    fill(
      this.legend,
      h('span', { class: 'key' }, 'box: little self', scale, 'much self'),
      h('span', { class: 'hint' }, 'arrow: wider and darker means a larger value'),
      h('span', { class: 'hint' }, 'dashed: call through hidden functions'),
    );
  }

  private fillTable(): void {
    if (!this.shown || !this.table.open) return;
    this.table.querySelector('.scroll')?.remove();
    this.table.append(graphTables(this.shown.answer));
  }

  key(event: KeyboardEvent): boolean {
    if (!event.key.startsWith('Arrow') && !['+', '-', '0', '='].includes(event.key)) return false;
    this.stage.focus();
    this.type(event);
    return true;
  }

  asPicture(): Picture | null {
    return this.shown ? this.stage : null;
  }

  asTable(): Table | null {
    return this.shown ? nodeTable(this.shown.answer) : null;
  }
}
