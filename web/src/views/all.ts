// The part of the page that shows each view.  It is made when it is first shown.
import type { Part } from '../scene';
import { CallersPart } from './callers/view';
import { DiffPart } from './diff/view';
import { ExplainPart } from './explain/view';
import { FlamePart } from './flame/view';
import { FunctionsPart } from './functions/view';
import { GraphPart } from './graph/view';
import { GrowthPart } from './growth/view';
import { HeatPart } from './heat/view';
import { HistogramsPart } from './histograms/view';
import type { View } from './list';
import { MapPart } from './map/view';
import { NodesPart } from './nodes/view';
import { QualityPart } from './quality/view';
import { SitesPart } from './sites/view';
import { SourcePart } from './source/view';
import { ThreadsPart } from './threads/view';
import { TreePart } from './tree/view';

const makers: Record<View, () => Part> = {
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

export class Parts {
  private readonly made = new Map<View, Part>();

  get(view: View): Part {
    let part = this.made.get(view);
    if (!part) {
      part = makers[view]();
      this.made.set(view, part);
    }
    return part;
  }
}
