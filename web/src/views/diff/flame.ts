// The differential flame graph: as wide as both sides together, so that what is gone keeps the width it had.
import type { DiffFlameAnswer, FlameAnswer } from '../../api_types';
import { h } from '../../dom';
import { ChangeDress, changesOf, signed } from '../flame/changes';
import type { Dress } from '../flame/paint';
import { FlamePart, type Shown } from '../flame/view';
import type { Scene } from '../../scene';
import { questionOfSides, sidesOf } from './sides';

const grey: Record<DiffFlameAnswer['noise'], string> = {
  none: 'no value is estimated, so no frame is grey',
  samples: 'grey frames are within the error of sampling (95 %)',
  blocks: 'grey frames are within the error of sampling (95 %)',
  unknown: 'values are estimated and their error is not known, so no frame is grey',
};

export class DiffFlamePart extends FlamePart {
  private diff: DiffFlameAnswer | null = null;

  constructor() {
    super();
    this.table.hidden = true; // the other form of the view is one, with both sides
  }

  protected override async load(scene: Scene): Promise<FlameAnswer> {
    this.diff = await scene.source.get<DiffFlameAnswer>('api/diff/flame', {
      ...questionOfSides(scene, sidesOf(scene)),
      frames: scene.selection.frames,
    });
    return this.diff.flame;
  }

  protected override dressOf({ tree, frames }: Shown, scene: Scene): Promise<Dress | null> {
    const diff = this.diff!;
    return Promise.resolve(
      new ChangeDress({
        tree,
        frames,
        unit: diff.unit,
        changeOf: changesOf(diff, scene.selection.callers ? 1 : 0, tree),
        words: `Each frame is as wide as its values before and after together; its colour is the change, with everything it calls; ${grey[diff.noise]}.`,
      }),
    );
  }

  protected override totalsOf(): HTMLElement[] {
    const { grown, shrunk, unit } = this.diff!;
    return [
      h(
        'span',
        { class: 'hint', 'data-name': 'flame-grown', 'data-value': grown },
        `▲ ${signed(grown, unit)}`,
      ),
      h(
        'span',
        { class: 'hint', 'data-name': 'flame-shrunk', 'data-value': shrunk },
        `▼ ${signed(-shrunk, unit)}`,
      ),
    ];
  }
}
