// SPDX-License-Identifier: Apache-2.0
// The heat map above a flame graph: pick cells by mouse or keyboard, and the graph is of them.
const heatView = (function () {
'use strict';

// picture: {svg, data, make, amount, share, show(trees, total), changed()}.  What is chosen is a word for the link,
// "12340-12360" in units of rows, or "" for everything.
function open(picture) {
  const {openHeat, sumSlots, treesOf} = heatTree;
  const {svg, data, make} = picture, heat = data.heat;
  const map = openHeat(heat), group = svg.querySelector('#heat');
  const number = name => parseFloat(group.getAttribute('data-' + name));
  const left = number('left'), top = number('top'), cell = number('cell'), column = number('column');
  const width = column * heat.columns, height = cell * heat.rows;
  const everything = data.trees.map(tree => tree.nodes), total = data.total;
  const chosenShape = make(group, 'path', {class: 'chosen', d: ''});
  const cursorShape = make(group, 'rect', {class: 'cursor', width: Math.max(column, 2), height: cell, visibility: 'hidden'});
  const hint = 'Pick a cell or drag over several: the graph below is then of that time. Keys: arrows, Shift to extend, Enter, Escape.';
  const status = make(group, 'text', {class: 'm', x: left, y: top + height + 62, role: 'status'}, hint);
  const grid = make(group, 'rect', {class: 'grid', x: left, y: top, width: width, height: height, tabindex: 0,
    role: 'application', 'aria-label': 'Heat map of time. ' + hint});
  const state = {from: 0, to: 0, cursor: 0, anchor: -1};

  function time(slot) {
    const seconds = (map.begin + slot * map.slotNs) / 1e9;
    return seconds.toFixed(map.slotNs % 1e9 ? 3 : 0).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  }
  function describe(from, to) {
    const sums = sumSlots(map, from, to);
    return time(from) + ' s to ' + time(to) + ' s: ' + picture.amount(sums.value, sums.count) + ', ' + picture.share(sums.value, total);
  }
  function tellChosen() {
    status.textContent = state.to > state.from
      ? describe(state.from, state.to) + '   (memoir flame ' + heat.file + ' --metric ' + heat.metric + ' --between ' +
        time(state.from) + 's,' + time(state.to) + 's; Escape: everything)'
      : hint;
  }
  function place(slot) { // lower left corner of a cell
    return {x: left + Math.floor(slot / heat.rows) * column, y: top + height - (slot % heat.rows) * cell};
  }

  // Slots [from, to) as one shape: the rest of a column, whole columns, the beginning of one.
  function outline(from, to) {
    let path = '';
    for (let slot = from; slot < to;) {
      const begin = slot % heat.rows, at = place(slot);
      let columns = 1, rows = Math.min(heat.rows - begin, to - slot);
      if (begin === 0 && to - slot >= heat.rows) {
        columns = Math.floor((to - slot) / heat.rows);
        rows = heat.rows;
      }
      path += 'M' + at.x + ' ' + at.y + 'h' + columns * column + 'v-' + rows * cell + 'h-' + columns * column + 'z';
      slot += columns * rows;
    }
    return path;
  }

  function choose(from, to) {
    state.from = from;
    state.to = to;
    chosenShape.setAttribute('d', outline(from, to));
    if (to > from) {
      const sums = sumSlots(map, from, to);
      picture.show(treesOf(map, sums), sums.value);
    } else picture.show(everything, total);
    tellChosen();
  }

  function slotAt(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(grid.getScreenCTM().inverse());
    const at = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value)));
    return at((point.x - left) / column, heat.columns) * heat.rows + at((top + height - point.y) / cell, heat.rows);
  }
  function moveCursor(slot, isShown) {
    state.cursor = slot;
    const at = place(slot);
    cursorShape.setAttribute('x', at.x);
    cursorShape.setAttribute('y', at.y - cell);
    cursorShape.setAttribute('visibility', isShown ? 'visible' : 'hidden');
    if (isShown) status.textContent = describe(slot, slot + 1);
  }

  let dragged = -1;
  grid.addEventListener('pointerdown', event => {
    dragged = state.anchor = slotAt(event);
    grid.setPointerCapture(event.pointerId);
    event.preventDefault();
    grid.focus({preventScroll: true});
  });
  grid.addEventListener('pointermove', event => {
    const slot = slotAt(event);
    moveCursor(slot, true);
    if (dragged < 0) return;
    const from = Math.min(dragged, slot), to = Math.max(dragged, slot) + 1;
    chosenShape.setAttribute('d', outline(from, to));
    status.textContent = describe(from, to);
  });
  grid.addEventListener('pointerup', event => {
    if (dragged < 0) return;
    const slot = slotAt(event), from = Math.min(dragged, slot), to = Math.max(dragged, slot) + 1;
    dragged = -1;
    choose(from, to);
    picture.changed();
  });
  grid.addEventListener('pointerleave', () => {
    if (dragged >= 0) return;
    moveCursor(state.cursor, false);
    tellChosen();
  });
  grid.addEventListener('focus', () => { if (grid.matches(':focus-visible')) moveCursor(state.cursor, true); });
  grid.addEventListener('blur', () => { moveCursor(state.cursor, false); tellChosen(); });
  grid.addEventListener('keydown', event => {
    const steps = {ArrowUp: 1, ArrowDown: -1, ArrowRight: heat.rows, ArrowLeft: -heat.rows};
    if (event.key in steps) {
      const slot = Math.max(0, Math.min(map.slots - 1, state.cursor + steps[event.key]));
      if (event.shiftKey && state.anchor < 0) state.anchor = state.cursor;
      if (!event.shiftKey) state.anchor = -1;
      moveCursor(slot, true);
      if (state.anchor >= 0) {
        const from = Math.min(state.anchor, slot), to = Math.max(state.anchor, slot) + 1;
        chosenShape.setAttribute('d', outline(from, to));
        status.textContent = describe(from, to);
      }
    } else if (event.key === 'Enter' || event.key === ' ') {
      const other = state.anchor < 0 ? state.cursor : state.anchor;
      choose(Math.min(other, state.cursor), Math.max(other, state.cursor) + 1);
      picture.changed();
    } else if (event.key === 'Escape') {
      state.anchor = -1;
      choose(0, 0);
      picture.changed();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  let scale = 1;
  return {
    fit(now) { // a narrow window shows the whole map, smaller
      scale = Math.min(1, now / Math.max(left + width + 10, 800));
      group.setAttribute('transform', 'translate(0,' + top * (1 - scale) + ') scale(' + scale + ')');
    },
    bottom: () => top + (height + 68) * scale,
    word: () => state.to > state.from ? state.from + '-' + state.to : '',
    isChosen: () => state.to > state.from,
    clear: () => choose(0, 0),
    read(word) { // from a link
      const found = /^(\d{1,9})-(\d{1,9})$/.exec(word || '');
      const from = found ? Math.min(parseInt(found[1], 10), map.slots) : 0;
      const to = found ? Math.min(parseInt(found[2], 10), map.slots) : 0;
      if (from !== state.from || to !== state.to) choose(from, Math.max(from, to));
    },
  };
}

return {open};
})();
