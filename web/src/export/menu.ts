// Save…: what is seen as a picture or a table, the answer itself, files for other programs, all of it as one page.
import { button, fill, h } from '../dom';
import { questionOf, whose, type Part, type Scene } from '../scene';
import { formatSelection } from '../selection';
import { baseName, bytesText, durationText } from '../units';
import { aboutView, type View } from '../views/list';
import { collect, Listener, type Host } from './collect';
import { csvOf } from './csv';
import { documentOf } from './document';
import { island, type Saved } from './island';
import { pngOf, svgOf } from './picture';
import { plain, plainQuestion } from './plain';
import { fileName, saveExport, saveFile, saveText } from './save';

const programs: readonly [to: string, label: string, title: string][] = [
  ['pprof', 'pprof', 'For go tool pprof, Parca, Pyroscope, speedscope, Perfetto'],
  ['folded', 'Folded stacks', 'One line per stack and a number, for flame graph programs'],
  ['callgrind', 'callgrind', 'For KCachegrind and callgrind_annotate'],
  ['massif', 'massif', 'For ms_print and massif-visualizer'],
  ['perf', 'perf.data', 'For perf report, perf script and Hotspot'],
  ['heaptrack', 'heaptrack', 'For heaptrack_gui and heaptrack_print: always the whole run and all stacks'],
];

export class SaveMenu {
  readonly element = h('dialog', { class: 'dialog save', 'aria-label': 'Save' });
  private readonly said = h('p', { class: 'hint', role: 'status', 'data-name': 'save-said' });
  private readonly hides = h('input', { type: 'checkbox', id: 'save-plain' });
  private readonly page = h('div', { class: 'save-row' });
  private scene: Scene | null = null;
  private view: View = 'flame';

  constructor(
    private readonly host: Host,
    private readonly timeline: Part,
  ) {
    this.element.addEventListener('click', (event) => event.target === this.element && this.element.close());
    this.hides.addEventListener('change', () => this.offerPage());
  }

  open(scene: Scene, view: View): void {
    this.scene = scene;
    this.view = view;
    const { title } = aboutView(view);
    this.said.textContent = '';
    this.offerPage();
    fill(
      this.element,
      h('h2', {}, 'Save'),
      this.row(title, 'view', this.host.part(view)),
      this.row('Timeline', 'timeline', this.timeline),
      island() ? null : this.group('For other programs', ...programs.map((one) => this.program(...one))),
      h(
        'section',
        {},
        h('h3', {}, 'All views, as one page'),
        h(
          'p',
          { class: 'hint' },
          'One file that opens in any browser, without memoir and without a network, and shows every view of this selection.',
        ),
        h(
          'label',
          { class: 'save-choice' },
          this.hides,
          'Leave out folders of files, arguments of the program and the name of the host',
        ),
        this.page,
      ),
      this.group(
        'Link',
        this.action('Copy the address', 'save-link', () => this.copyLink()),
      ),
      this.said,
      button('Close', () => this.element.close(), { class: 'primary' }),
    );
    if (!this.element.open) this.element.showModal();
  }

  private group(title: string, ...actions: (HTMLElement | null)[]): HTMLElement {
    return h('section', {}, h('h3', {}, title), h('div', { class: 'save-row' }, ...actions));
  }

  /** A button that says how it went. */
  private action(label: string, name: string, act: () => Promise<string>, title?: string): HTMLButtonElement {
    return button(
      label,
      () => {
        this.said.textContent = '…';
        act().then(
          (said) => (this.said.textContent = said),
          (error: unknown) =>
            (this.said.textContent = error instanceof Error ? error.message : String(error)),
        );
      },
      { class: 'small', 'data-name': name, title },
    );
  }

  private row(title: string, what: string, part: Part): HTMLElement {
    const { scene } = this;
    const stem = fileName(
      baseName(scene?.target.program ?? 'memoir'),
      what === 'view' ? this.view : what,
      scene?.metric ?? '',
    );
    const missing = 'There is nothing to save here yet.';
    const picture = part.asPicture
      ? [
          this.action('SVG', `save-${what}-svg`, async () => {
            const seen = part.asPicture?.();
            if (!seen) return missing;
            saveText(`${stem}.svg`, 'image/svg+xml', svgOf(seen, this.words(title)));
            return `Saved ${stem}.svg`;
          }),
          this.action('PNG', `save-${what}-png`, async () => {
            const seen = part.asPicture?.();
            if (!seen) return missing;
            saveFile(`${stem}.png`, await pngOf(seen, this.words(title)));
            return `Saved ${stem}.png`;
          }),
        ]
      : [];
    const table = part.asTable
      ? this.action('CSV', `save-${what}-csv`, async () => {
          const seen = part.asTable?.();
          if (!seen) return missing;
          saveText(`${stem}.csv`, 'text/csv', csvOf(seen));
          return `Saved ${stem}.csv`;
        })
      : null;
    return this.group(
      title,
      ...picture,
      table,
      this.action(
        'JSON',
        `save-${what}-json`,
        () => this.saveAnswer(part, stem),
        'The data that this view is made of',
      ),
    );
  }

  private words(title: string): string {
    const { target, metric, selection } = this.scene!;
    const { time, filter } = selection;
    const when = !time
      ? ''
      : time.from === null
        ? `at ${durationText(time.to)}`
        : `${durationText(time.from)} – ${durationText(time.to)}`;
    return [
      baseName(target.program ?? `process ${target.pid}`),
      title,
      metric,
      when,
      filter && `only ${filter}`,
    ]
      .filter(Boolean)
      .join(' · ');
  }

  private async saveAnswer(part: Part, stem: string): Promise<string> {
    const scene = this.scene!,
      source = new Listener(scene.source);
    await part.show({ ...scene, source });
    const answers = (await source.answers()).filter((one) => one[2] === undefined);
    this.host.again();
    const body: unknown =
      answers.length === 1
        ? answers[0]![1]
        : Object.fromEntries(answers.map(([question, answer]) => [question, answer]));
    saveText(`${stem}.json`, 'application/json', `${JSON.stringify(body, null, 1)}\n`);
    return `Saved ${stem}.json`;
  }

  private program(to: string, label: string, title: string): HTMLElement | null {
    const scene = this.scene!;
    return this.action(
      label,
      `save-${to}`,
      async () => {
        await saveExport({ ...(to === 'heaptrack' ? whose(scene) : questionOf(scene)), to });
        return `Saved for ${label}`;
      },
      title,
    );
  }

  // All of it.

  private offerPage(): void {
    fill(
      this.page,
      this.action('Create the page', 'save-page-make', () => this.makePage()),
    );
  }

  private async makePage(): Promise<string> {
    const scene = this.scene!,
      hides = this.hides.checked;
    let answers = await collect(this.host, scene, (done, all) => {
      this.said.textContent = `Collecting all views: ${done} of ${all}`;
    });
    if (hides)
      answers = answers.map(([question, ...rest]): Saved => [
        plainQuestion(question),
        ...(plain(rest) as [unknown, string?]),
      ]);
    const selection = { ...scene.selection, metric: scene.metric };
    const text = await documentOf({
      selection: formatSelection(selection),
      saved_unix_ns: Date.now() * 1e6,
      answers,
    });
    const file = new Blob([text], { type: 'text/html;charset=utf-8' });
    const name = `${fileName(baseName(scene.target.program ?? 'memoir'), scene.metric)}.html`;
    fill(
      this.page,
      button(
        `Save ${name}, ${bytesText(file.size)}`,
        () => {
          saveFile(name, file);
          this.said.textContent = `Saved ${name}`;
        },
        { class: 'small', 'data-name': 'save-page', 'data-value': file.size },
      ),
    );
    this.page.querySelector('button')?.focus();
    return `${answers.length} answers, ${bytesText(file.size)} in one file.`;
  }

  private async copyLink(): Promise<string> {
    try {
      await navigator.clipboard.writeText(location.href);
      return 'The address is copied: everybody who can reach this server sees the same view with it.';
    } catch {
      return location.href; // no clipboard here: it can be taken from the line
    }
  }
}
