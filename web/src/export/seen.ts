// What a view shows, in a form that files can be made of.

/** The part of a canvas that views draw with; whatever is drawn so can also become SVG. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'lineJoin'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
  | 'globalAlpha'
  | 'fillRect'
  | 'strokeRect'
  | 'clearRect'
  | 'fillText'
  | 'strokeText'
  | 'measureText'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'closePath'
  | 'rect'
  | 'arc'
  | 'fill'
  | 'stroke'
  | 'clip'
  | 'setLineDash'
  | 'save'
  | 'restore'
  | 'translate'
>;

/** Drawn by the view's own code, on whatever it is given; or a drawing that is in the document. */
export type Picture = { width: number; height: number; paint(pen: Pen): void } | SVGSVGElement;

export interface Table {
  columns: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}
