// The ordinary flame graph, coloured by what changed within the selected time.
import type { DiffFlameAnswer } from '../../api_types';
import { ChangeDress, changesOf, type Change } from '../flame/changes';
import { frameTable, treeOf, type FrameTable, type Tree } from '../flame/layout';
import type { Dress } from '../flame/paint';
import { timely } from '../../metrics';
import type { Scene } from '../../scene';
import { valueText } from '../../units';
import { h } from '../../dom';
import { questionOfSides, timeText, usualText, usualTimes, type Sides } from './sides';

interface Coloured {
  tree: Tree;
  frames: FrameTable;
  answer: { unit: string };
}

export async function changesWithin({ tree, frames, answer }: Coloured, scene: Scene): Promise<Dress> {
  const metric = timely(scene.metric),
    { target, selection } = scene;
  const [first, second] = usualTimes(target, selection.time, metric);
  const sides: Sides = {
    before: { target, time: first },
    after: { target, time: second },
    metric,
    isUsual: true,
  };
  const diff = await scene.source.get<DiffFlameAnswer>('api/diff/flame', {
    ...questionOfSides(scene, sides),
    normalise: null,
    frames: selection.frames,
  });
  const which = selection.callers ? 1 : 0;
  const other = treeOf(diff.flame.trees[which]?.nodes ?? [], frameTable(diff.flame));
  const changeOf = changesOf(diff, which, other);
  const places = new Map<number, number>(); // the same names from the root on are the same frame
  for (let i = other.size - 1; i >= 0; i--) if (other.frame[i]! >= 0) places.set(other.path[i]!, i);
  const nothing: Change = { kind: '', before: 0, after: 0, beforeCount: 0, afterCount: 0, error: 0 };
  return new ChangeDress({
    tree,
    frames,
    unit: diff.unit,
    changeOf: (node) => {
      const place = tree.frame[node]! < 0 ? undefined : places.get(tree.path[node]!);
      return place === undefined ? nothing : changeOf(place);
    },
    words: `Colour: ${metric}, ${timeText(first)} → ${timeText(second)}, ${usualText(target, selection.time, metric)}.`,
    own: (node) => [
      h(
        'div',
        { class: 'tip-line' },
        h('span', {}, 'Total'),
        h('b', { 'data-value': tree.value[node]! }, valueText(tree.value[node]!, answer.unit)),
      ),
    ],
  });
}
