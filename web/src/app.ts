// The page: header, timeline, selection, one view at a time; asks the server again and again while a recording grows.
import { SelectionInAddress } from './address';
import type { Report, Target, Targets } from './api_types';
import { ask, hasToken, ServerError } from './client';
import { Controls } from './controls';
import { add, button, fill, h, isTyping, rememberFocus } from './dom';
import { Events, growthOf, type Happening } from './events';
import { island } from './export/island';
import { SaveMenu } from './export/menu';
import { helpDialog, openHelp } from './help';
import { isTimeless, learnMetrics, timely, usualMetric } from './metrics';
import { headOf, type Part, type Scene } from './scene';
import { Source } from './source';
import { nothingYet, unread, waiting } from './states';
import { showSummary } from './summary';
import { toggleTheme } from './theme';
import { TimelinePart } from './timeline/timeline';
import { tokenForm } from './token';
import { Parts } from './views/all';
import { HistoryView } from './views/history/view';
import { aboutView, viewNames, type View } from './views/list';
import { findingsOf, worst } from './views/quality/view';
import { fillWho, isClosed, nameOf } from './who';

const GROWING_MS = 1000,
  AT_REST_MS = 3000,
  HEARD_MS = 30000, // while the server tells what happens
  PAUSE_MS = 700; // whatever it tells

export class App {
  private readonly address = new SelectionInAddress();
  private readonly source = new Source();
  private readonly controls = new Controls();
  private readonly timeline = new TimelinePart();
  private readonly parts = new Parts();
  private readonly banner = h('div', { class: 'banner', role: 'alert', hidden: true });
  private readonly who = h('div', { class: 'who' });
  private readonly badge = button('', () => this.address.change({ view: 'quality' }), {
    class: 'badge',
    hidden: true,
  });
  private readonly summary = h('div', { class: 'summary' });
  private readonly tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' });
  private readonly stage = h('div', { class: 'view card', id: 'view', role: 'tabpanel' });
  private readonly trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
  private readonly main = h('main', {});
  private readonly help = helpDialog();
  private readonly history = new HistoryView();
  private readonly saveMenu = new SaveMenu(
    {
      part: (view) => this.parts.get(view),
      always: [(scene) => this.timeline.show(scene), (scene) => this.showReport(scene)],
      again: () => void this.refresh(),
    },
    this.timeline,
  );
  private targets: Target[] = [];
  private state: 'begins' | 'token' | 'empty' | 'shows' | 'history' = 'begins';
  private known = ''; // what the views were last shown with
  private turn = 0; // of showing: only the newest says that it is done
  private isGoing = false; // g was typed: the letter of a view follows

  constructor(private readonly root: HTMLElement) {
    add(
      root,
      this.banner,
      h(
        'header',
        {},
        h('h1', {}, 'memoir'),
        this.who,
        h('span', { class: 'spring' }),
        this.badge,
        button('Save…', () => this.save(), {
          class: 'save-button',
          title: 'Save this view, or all views (e)',
        }),
        button('◐', toggleTheme, {
          class: 'icon',
          'aria-label': 'Dark or light',
          title: 'Dark or light (d)',
        }),
        button('?', () => openHelp(this.help), { class: 'icon', 'aria-label': 'Keys', title: 'Keys (?)' }),
      ),
      this.main,
      this.help,
      this.saveMenu.element,
    );
    fill(this.main, waiting('Reading the recording…'));
    this.address.onChange(() => void this.refresh());
    document.addEventListener('keydown', (event) => this.key(event));
    document.addEventListener('visibilitychange', () => !document.hidden && void this.look());
  }

  /** Looks at the server now, and whenever it tells that something happened; from time to time when it does not. */
  async run(): Promise<void> {
    if (island()) {
      await this.look();
      return;
    }
    const events = new Events();
    let happenings: Happening[] = [];
    for (;;) {
      if (!document.hidden && !(await this.grow(happenings))) await this.look();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const isGrowing = this.targets.some((target) => target.recording !== 'ended');
      const isUrgent = isGrowing || !this.banner.hidden;
      happenings = await events.next(events.isHeard ? HEARD_MS : isUrgent ? GROWING_MS : AT_REST_MS);
    }
  }

  /** Whether all that happened is growth of what is known, so that nobody has to ask for it. */
  private async grow(happenings: Happening[]): Promise<boolean> {
    const grown = growthOf(happenings);
    if (!happenings.length || !grown || this.state !== 'shows' || !this.banner.hidden) return false;
    const known = (id: string): Target | undefined => this.targets.find((one) => one.id === id);
    for (const id of grown.keys())
      if (known(id)?.time_ns === undefined || known(id)?.kind === 'run') return false;
    this.targets = this.targets.map((one) => {
      const told = grown.get(one.id);
      return told ? { ...one, time_ns: told.time_ns, recording: told.recording } : one;
    });
    await this.showIfNew();
    return true;
  }

  private async look(): Promise<void> {
    if (this.state === 'token') return;
    try {
      this.targets = (await ask<Targets>('api/targets', { target: this.read })).targets;
      if (!this.banner.hidden) this.known = '';
      this.banner.hidden = true;
    } catch (error) {
      this.fail(error);
      return;
    }
    await this.showIfNew();
  }

  private async showIfNew(): Promise<void> {
    const seen = this.targets
      .map(
        (target) =>
          `${target.id} ${target.pid} ${target.recording} ${target.time_ns ?? 0} ${target.file ?? ''} ${target.version ?? 0}`,
      )
      .join();
    if (seen === this.known) return;
    const isFirst = this.known === '';
    this.known = seen;
    this.source.forget();
    if (isFirst && location.hash === '' && this.targets[0]?.kind === 'run')
      this.address.change({ target: this.targets[0].id, view: 'nodes' }, 'replace');
    else await this.refresh();
  }

  /** A node of a run that is shown is kept open by asking for it. */
  private get read(): string | null {
    const { target } = this;
    return target?.open && this.view !== 'nodes' && !island() ? target.id : null;
  }

  private fail(error: unknown): void {
    if (error instanceof ServerError && error.needsToken) {
      this.askToken();
    } else if (error instanceof ServerError && error.isUnreachable) {
      this.banner.textContent = `${error.message}${this.state === 'shows' ? ' The page shows its last answers.' : ''}`;
      this.banner.hidden = false;
    } else {
      this.trouble.textContent = error instanceof Error ? error.message : String(error);
      this.trouble.hidden = false;
    }
  }

  private askToken(): void {
    this.state = 'token';
    this.who.replaceChildren();
    fill(
      this.main,
      tokenForm(hasToken(), () => {
        this.state = 'begins';
        this.known = '';
        void this.look();
      }),
    );
  }

  private get target(): Target | undefined {
    return this.targets.find((one) => one.id === this.address.current.target) ?? this.targets[0];
  }

  /** In place of all views: it has none of what they show. */
  private async showHistory(target: Target): Promise<void> {
    const { current } = this.address;
    this.badge.hidden = true;
    try {
      await this.history.show(target, current, this.source, (part) => this.address.change(part));
      if (this.state !== 'history')
        fill(this.main, h('div', { class: 'views' }, this.trouble, this.history.element));
      this.state = 'history';
      this.trouble.hidden = true;
    } catch (error) {
      this.fail(error);
    }
    this.root.dataset['shown'] = String(Number(this.root.dataset['shown'] ?? 0) + 1);
  }

  /** Reads a node of a run, which the server does when it is first asked for. */
  private async open(target: Target): Promise<void> {
    this.state = 'begins';
    this.badge.hidden = true;
    fill(this.main, waiting(`Reading the profiles of ${nameOf(target)}…`));
    try {
      this.targets = (await ask<Targets>('api/targets', { target: target.id })).targets;
    } catch (error) {
      if (error instanceof ServerError && error.status === 404)
        fill(
          this.main,
          unread(error.message, () => this.address.change({ view: 'nodes' })),
        );
      else this.fail(error);
      return;
    }
    if (this.target?.id === target.id && !isClosed(this.target)) await this.refresh();
  }

  private scene(): Scene | null {
    learnMetrics(this.targets);
    const { current } = this.address,
      { target } = this;
    if (!target || target.recording === 'none') return null;
    const isOverview = target.kind === 'run' && this.view === 'nodes';
    if (!target.metrics?.length && !isOverview) return null;
    const known = isOverview ? [] : (target.metrics ?? []);
    let metric = known.includes(current.metric)
      ? current.metric
      : usualMetric(known, target.recording === 'being written');
    if (current.time && isTimeless(metric)) metric = timely(metric);
    return { ...this.asked(target), metric };
  }

  private asked(target: Target): Omit<Scene, 'metric'> {
    return {
      selection: this.address.current,
      target,
      targets: this.targets,
      source: this.source,
      change: (part, how) => this.address.change(part, how),
    };
  }

  private get view(): View {
    return this.address.current.view;
  }

  private async refresh(): Promise<void> {
    const scene = this.scene(),
      turn = ++this.turn,
      restoreFocus = rememberFocus(this.root);
    fillWho(this.who, scene?.target ?? this.target, this.targets, (part) => this.address.change(part));
    if (this.target?.kind === 'history') {
      await this.showHistory(this.target);
      restoreFocus();
      return;
    }
    if (!scene) {
      if (this.target && isClosed(this.target)) await this.open(this.target);
      else await this.showEmpty();
      restoreFocus();
      return;
    }
    const isOverview = scene.metric === '';
    this.main.classList.toggle('run-overview', isOverview);
    if (this.state !== 'shows') {
      this.state = 'shows';
      fill(
        this.main,
        this.summary,
        this.timeline.element,
        this.controls.element,
        h('div', { class: 'views' }, this.tabs, this.trouble, this.stage),
      );
    }
    const part = this.parts.get(this.view);
    this.controls.show(scene);
    this.fillTabs(this.view);
    if (this.stage.firstElementChild !== part.element) fill(this.stage, part.element);
    this.stage.setAttribute('aria-busy', 'true');
    this.trouble.hidden = true;
    const shown = await Promise.allSettled([
      this.showView(part, scene),
      isOverview ? null : this.showAround(scene),
    ]);
    restoreFocus();
    if (turn !== this.turn) return;
    for (const one of shown) if (one.status === 'rejected') this.fail(one.reason);
    this.stage.setAttribute('aria-busy', 'false');
    this.stage.classList.toggle('stale', shown[0]?.status === 'rejected');
    this.root.dataset['shown'] = String(Number(this.root.dataset['shown'] ?? 0) + 1);
  }

  /** The view itself is mostly there before what stands around it. */
  private async showView(part: Part, scene: Scene): Promise<void> {
    await part.show(scene);
    this.root.dataset['viewed'] = String(Number(this.root.dataset['viewed'] ?? 0) + 1);
  }

  /** What the view asks for goes first: the server answers one after the other. */
  private async showAround(scene: Scene): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    if (scene.selection !== this.address.current) return;
    await Promise.all([this.timeline.show(scene), this.showReport(scene)]);
  }

  private async showReport(scene: Scene): Promise<void> {
    const report = await scene.source.get<Report>('api/report', headOf(scene));
    if (scene.selection !== this.address.current) return;
    this.controls.tell(report.range);
    showSummary(this.summary, report, scene);
    const level = worst(findingsOf(report));
    this.badge.className = `badge ${level}`;
    this.badge.textContent =
      level === 'good' ? 'quality: good' : level === 'note' ? 'quality: notes' : 'quality: problems';
    this.badge.hidden = false;
  }

  /** A process that nobody records has its map all the same. */
  private async showEmpty(): Promise<void> {
    const { target } = this;
    const map = target?.running && target.recording === 'none' ? this.parts.get('map') : null;
    this.state = 'empty';
    this.badge.hidden = true;
    fill(this.main, nothingYet(target), map && this.stage);
    if (!target || !map) return;
    fill(this.stage, map.element);
    await map.show({ ...this.asked(target), metric: '' });
    this.stage.setAttribute('aria-busy', 'false');
    this.root.dataset['shown'] = String(Number(this.root.dataset['shown'] ?? 0) + 1);
  }

  private fillTabs(now: View): void {
    if (!this.tabs.childElementCount)
      fill(
        this.tabs,
        ...viewNames.map((view) => {
          const { tab, title, letter, begins } = aboutView(view);
          return button(tab, () => this.address.change({ view }), {
            role: 'tab',
            class: begins ? 'begins' : null,
            'data-view': view,
            'aria-controls': 'view',
            'aria-label': title,
            title: `${title} (g ${letter})`,
          });
        }),
      );
    for (const tab of this.tabs.children) {
      const isNow = tab.getAttribute('data-view') === now;
      tab.setAttribute('aria-selected', String(isNow));
      tab.setAttribute('tabindex', isNow ? '0' : '-1');
      if (isNow) this.tabs.scrollLeft = (tab as HTMLElement).offsetLeft - this.tabs.offsetLeft - 60;
    }
  }

  private save(): void {
    const scene = this.scene();
    if (scene && this.state === 'shows') this.saveMenu.open(scene, this.view);
  }

  private stepBack(): void {
    const { find, zoom, focus, filter, time, picked } = this.address.current;
    this.address.change(
      find
        ? { find: '' }
        : zoom
          ? { zoom: '', picked: '' }
          : focus
            ? { focus: '' }
            : filter
              ? { filter: '' }
              : time
                ? { time: null }
                : picked
                  ? { picked: '' }
                  : {},
    );
  }

  private key(event: KeyboardEvent): void {
    if (
      this.help.open ||
      this.saveMenu.element.open ||
      isTyping(event) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      this.state !== 'shows'
    )
      return;
    if (
      this.goTo(event.key) ||
      this.moveTab(event) ||
      this.act(event.key) ||
      this.parts.get(this.view).key?.(event)
    )
      event.preventDefault();
  }

  /** g and the letter of a view; or its place. */
  private goTo(key: string): boolean {
    const isGoing = this.isGoing;
    const view = isGoing
      ? viewNames.find((one) => aboutView(one).letter === key)
      : viewNames[Number(key) - 1];
    this.isGoing = !isGoing && key === 'g';
    if (view) this.address.change({ view });
    return this.isGoing || view !== undefined;
  }

  private moveTab(event: KeyboardEvent): boolean {
    const isOnTab = event.target instanceof Element && event.target.closest('[role=tab]') !== null;
    const step =
      event.key === ']' || (isOnTab && event.key === 'ArrowRight')
        ? 1
        : event.key === '[' || (isOnTab && event.key === 'ArrowLeft')
          ? -1
          : 0;
    if (step) this.nextTab(step, isOnTab);
    return step !== 0;
  }

  private act(key: string): boolean {
    const actions: Record<string, () => void> = {
      '?': () => openHelp(this.help),
      '/': () => this.controls.focus('find'),
      s: () => this.controls.focus('filter'),
      m: () => this.controls.focus('metric'),
      t: () => this.timeline.element.querySelector<HTMLElement>('.over')?.focus(),
      f: () => this.stage.querySelector<HTMLElement>('[tabindex="0"]')?.focus(),
      d: toggleTheme,
      e: () => this.save(),
      Escape: () => this.stepBack(),
    };
    actions[key]?.();
    return key in actions;
  }

  private nextTab(step: number, isOnTab: boolean): void {
    const next = viewNames[(viewNames.indexOf(this.view) + step + viewNames.length) % viewNames.length]!;
    this.address.change({ view: next });
    if (isOnTab) this.tabs.querySelector<HTMLElement>(`[data-view=${next}]`)?.focus();
  }
}
