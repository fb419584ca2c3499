// The views there are.  Each is made when it is first shown.
import { ExplainPart } from './explain/view';
import { DiffPart } from './diff/view';
import { CallersPart } from './callers/view';
import { GrowthPart } from './growth/view';
import { FlamePart } from './flame/view';
import { GraphPart } from './graph/view';
import { HeatPart } from './heat/view';
import { SourcePart } from './source/view';
import { NodesPart } from './nodes/view';
import { MapPart } from './map/view';
import type { Part } from '../scene';
import { SitesPart } from './sites/view';
import { FunctionsPart } from './functions/view';
import { HistogramsPart } from './histograms/view';
import { viewNames, type View } from './list';
import { QualityPart } from './quality/view';
import { ThreadsPart } from './threads/view';
import { TreePart } from './tree/view';

const makers: Partial<Record<View, () => Part>> = {
  flame: () => new FlamePart(),
  functions: () => new FunctionsPart(),
  tree: () => new TreePart(),
  explain: () => new ExplainPart(),
  graph: () => new GraphPart(),
  source: () => new SourcePart(),
  heat: () => new HeatPart(),
  diff: () => new DiffPart(),
  callers: () => new CallersPart(),
  map: () => new MapPart(),
  growth: () => new GrowthPart(),
  sites: () => new SitesPart(),
  histograms: () => new HistogramsPart(),
  threads: () => new ThreadsPart(),
  nodes: () => new NodesPart(),
  quality: () => new QualityPart(),
};

export const views = viewNames.filter((view) => makers[view]);

export class Parts {
  private readonly made = new Map<View, Part>();

  get(view: View): Part {
    let part = this.made.get(view);
    if (!part) {
      part = makers[view]!();
      this.made.set(view, part);
    }
    return part;
  }
}
