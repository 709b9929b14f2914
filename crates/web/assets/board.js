// Draws boards from the layout of a game and the view of a state: squares, hexagons, rows and layers.
//
// Cells are buttons: Tab reaches a board, arrow keys move from cell to cell, Enter chooses.

import { h, s, replace } from "./dom.js";
import { draw, letters } from "./figures.js";

const MARGIN = .45;
const GAP = .7;
const HEX_ROW = .87;
const HEX = "M0-.577L.5-.289V.289L0 .577L-.5 .289V-.289z";

/** A board on the page. `choose(board, cell)` is called when a cell is clicked; a `named` one shows its title. */
export class BoardView {
  constructor(layout, signs, number, choose, named = false) {
    this.layout = layout;
    this.signs = signs;
    this.number = number;
    this.choose = choose;
    this.cells = new Map();
    this.focused = null;
    this.holes = new Set(layout.holes);
    this.fixed = new Map((layout.fixed ?? []).map((cell) => [cell.cell, cell.contents]));
    this.svg = this.frame();
    this.element = h("figure", { class: "boards" }, named && h("figcaption", { class: "board-title" }, layout.title.replaceAll("_", " ")), this.svg);
  }

  /** Where things lie, in cells. */
  measure() {
    const { columns, rows, layers, shape, shifts } = this.layout;
    const hex = shape === "hex";
    const width = columns.length + Math.max(0, ...shifts);
    const height = hex ? (rows.length - 1) * HEX_ROW + 1.16 : rows.length;
    const named = layers.length > 1 ? .5 : 0;
    const across = this.across(width);
    return { hex, width, height, named, across, down: Math.ceil(layers.length / across) };
  }

  /** Layers side by side as the layout says; fewer where one after the other would be too small to be read. */
  across(width) {
    const { layers, layers_across: wanted } = this.layout;
    if (layers.length === 1) return 1;
    if (wanted < layers.length) return wanted;
    const most = Math.max(1, Math.min(layers.length, Math.floor(16 / (width + GAP))));
    return Math.ceil(layers.length / Math.ceil(layers.length / most));
  }

  frame() {
    const { columns, rows, layers } = this.layout;
    const size = this.measure();
    const left = rows.length > 1 ? MARGIN : .05;
    const one = { width: size.width + GAP, height: size.height + GAP * .4 + size.named };
    const total = { width: left + one.width * size.across - GAP + .05, height: one.height * size.down + .2 };
    const svg = s("svg", {
      class: "board", viewBox: `0 0 ${total.width.toFixed(2)} ${total.height.toFixed(2)}`, role: "group",
      "aria-label": `Board ${this.layout.title}, ${columns.length} columns and ${rows.length} rows`,
    });
    // Limits the size of cells, whatever the size of the board.
    svg.style.maxWidth = `${Math.ceil(Math.min(total.width * 92, 720))}px`;
    layers.forEach((name, layer) => {
      const x0 = left + (layer % size.across) * one.width;
      const y0 = .05 + Math.floor(layer / size.across) * one.height + size.named;
      if (size.named) svg.append(letters(name, x0 + .05, y0 - .15, .28, { class: "layer-name" }));
      rows.forEach((row, r) => columns.forEach((column, c) => {
        const cell = (layer * rows.length + r) * columns.length + c;
        if (!this.holes.has(cell)) svg.append(this.cell(cell, x0, y0, c, r, size.hex, this.name(column, row, name)));
      }));
      if (layer % size.across === 0 && rows.length > 1) rows.forEach((row, r) => {
        const y = size.hex ? y0 + .58 + r * HEX_ROW : y0 + r + .5;
        const x = size.hex ? x0 + this.layout.shifts[r] - .22 : x0 - .22;
        svg.append(coordinate(row, x, y, left - .1));
      });
      if (layer >= layers.length - size.across) columns.forEach((column, c) => {
        const shift = size.hex ? this.layout.shifts[rows.length - 1] : 0;
        svg.append(coordinate(column, x0 + shift + c + .5, y0 + size.height + .22, .9));
      });
    });
    // Lines between cells are drawn above all cells, and hints above everything.
    this.hints = s("g");
    svg.append(...[...this.cells.values()].map((cell) => cell.walls), this.hints);
    svg.addEventListener("keydown", (event) => this.key(event));
    return svg;
  }

  name(column, row, layer) {
    return [column, row, layer].filter(Boolean).join(" ");
  }

  cell(cell, x0, y0, column, row, hex, name) {
    const x = x0 + column + .5 + this.layout.shifts[row];
    const y = hex ? y0 + .58 + row * HEX_ROW : y0 + row + .5;
    const ground = hex
      ? s("path", { class: "ground", d: HEX, transform: `translate(${x} ${y})` })
      : s("rect", { class: "ground", x: x - .5, y: y - .5, width: 1, height: 1, rx: .04 });
    const ring = hex
      ? s("path", { class: "ring", d: HEX, transform: `translate(${x} ${y}) scale(.9)` })
      : s("rect", { class: "ring", x: x - .44, y: y - .44, width: .88, height: .88, rx: .06 });
    const content = s("g");
    const fixed = this.fixed.get(cell) ?? [];
    // Walls fill their cell; exits and other places are drawn below the pieces on them.
    const isWall = (text) => this.signs[text]?.figure === "block";
    const places = s("g", { class: "place" },
      fixed.filter((text) => !isWall(text)).map((text) => draw(this.signs[text], text, x, y, hex ? .85 : 1)));
    const dark = !hex && (column + row) % 2 === 1 && this.layout.shape === "square";
    const group = s("g", {
      class: `cell${dark ? " dark" : ""}${fixed.some(isWall) ? " solid" : ""}`, "data-cell": cell, role: "button", "aria-disabled": "true",
      onclick: () => this.choose(this.number, cell),
    }, ground, places, content, ring);
    this.cells.set(cell, { group, content, walls: s("g"), name, x, y, column, row, hex, said: "" });
    return group;
  }

  /**
   * Shows a state. `moved` are the cells of the last moves, `open` the cells that can be clicked, `chosen` those that were,
   * `lines` the columns and rows that can be clicked as a whole.
   */
  show(view, { moved = new Set(), open = new Set(), chosen = new Set(), lines = [] } = {}) {
    replace(this.hints, lines.map((line) => this.hint(line)));
    const contents = new Map((view ?? []).map((cell) => [cell.cell, cell]));
    let first = null;
    // If nearly every cell can be clicked, borders carry no information.
    this.svg.classList.toggle("wide-open", open.size > this.cells.size * .6);
    for (const [number, cell] of this.cells) {
      const here = contents.get(number);
      const said = JSON.stringify(here ?? null);
      if (said !== cell.said) {
        cell.said = said;
        this.draw(cell, here);
      }
      const isOpen = open.has(number);
      cell.group.classList.toggle("open", isOpen);
      cell.group.classList.toggle("moved", moved.has(number));
      cell.group.classList.toggle("chosen", chosen.has(number));
      cell.group.setAttribute("aria-disabled", String(!isOpen));
      const what = this.words(number, here).join(", ") || "empty";
      cell.group.setAttribute("aria-label", `${cell.name}: ${what}${chosen.has(number) ? ", chosen" : ""}`);
      if (isOpen && first === null) first = number;
    }
    if (this.focused === null || !this.cells.has(this.focused)) this.focused = first ?? this.cells.keys().next().value;
    this.makeReachable();
  }

  draw(cell, here) {
    const full = (here?.contents ?? []).filter((text) => !this.signs[text]?.empty);
    const size = full.length > 1 ? .62 : 1;
    const places = full.length === 1 ? [[0, 0]] : [[-.2, -.2], [.2, .2], [.2, -.2], [-.2, .2]];
    replace(cell.content,
      full.slice(0, 4).map((text, index) => draw(this.signs[text], text, cell.x + places[index][0], cell.y + places[index][1], cell.hex ? size * .85 : size)));
    replace(cell.walls, (here?.walls ?? []).map((side) => wall(cell, side)));
    replaceTitle(cell.group, this.words(Number(cell.group.dataset.cell), here).join(", "));
  }

  /** What is in a cell, in words, with what never changes there. */
  words(number, here) {
    const full = [...(here?.contents ?? []).filter((text) => !this.signs[text]?.empty), ...this.fixed.get(number) ?? []];
    return full.map((text) => this.signs[text]?.label ?? text);
  }

  /** An arrow at the beginning of a column or row that can be clicked. */
  hint(line) {
    const cells = line.map((number) => this.cells.get(number)).filter(Boolean);
    if (cells.length === 0) return null;
    const first = cells.reduce((a, b) => (b.y < a.y || (b.y === a.y && b.x < a.x) ? b : a));
    const isColumn = cells.every((cell) => cell.column === first.column);
    return s("path", { class: "hint", d: isColumn
      ? `M${first.x - .12} ${first.y - .42}h.24l-.12 .16z`
      : `M${first.x - .42} ${first.y - .12}v.24l.16-.12z` });
  }

  /** Exactly one cell can be reached by the Tab key. */
  makeReachable() {
    for (const [number, { group }] of this.cells) group.setAttribute("tabindex", number === this.focused ? "0" : "-1");
  }

  key(event) {
    const here = Number(event.target.closest("[data-cell]")?.dataset.cell);
    const cell = this.cells.get(here);
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.choose(this.number, here);
      return;
    }
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
    if (!dx && !dy) return;
    event.preventDefault();
    event.stopPropagation();
    // The nearest cell in that direction, by its position on the screen.
    let best = null;
    for (const [number, other] of this.cells) {
      const along = (other.x - cell.x) * dx + (other.y - cell.y) * dy;
      const aside = Math.abs((other.x - cell.x) * dy) + Math.abs((other.y - cell.y) * dx);
      if (along > .3 && (best === null || along + 2.5 * aside < best.far)) best = { number, far: along + 2.5 * aside };
    }
    if (best) {
      this.focused = best.number;
      this.makeReachable();
      this.cells.get(best.number).group.focus();
    }
  }

  /** Marks cells that a move in the list means. */
  near(cells) {
    for (const [number, { group }] of this.cells) group.classList.toggle("near", cells.has(number));
  }
}

/** The name of a column or row, made as small as it has to be. */
function coordinate(name, x, y, width) {
  return letters(name, x, y, Math.min(.2, width / (Math.max(1, [...name].length) * .62)), { class: "coordinate" });
}

/**
 * The cells of the last joint move, board by board: those that the moves name. Where they name none, or only a column or row,
 * they are the cells where something appeared.
 */
export function movedCells(before, state, layout) {
  const boards = (layout?.boards ?? []).map(() => new Set());
  if (!before || !state.moves || !before.view.moves) return boards;
  const clicks = state.moves.flatMap((text, role) => before.view.moves[role]?.find((move) => move.text === text)?.clicks ?? []);
  const lines = clicks.filter((click) => click.cells.length > 1);
  for (const click of clicks.filter((click) => click.cells.length === 1)) boards[click.board]?.add(click.cells[0]);
  const isNamed = clicks.length > lines.length;
  boards.forEach((moved, number) => {
    const within = lines.filter((click) => click.board === number).flatMap((click) => click.cells);
    if (within.length === 0 && (isNamed || lines.length > 0)) return;
    const appeared = appearedCells(before.view.boards[number], state.view.boards[number], layout.signs)
      .filter((cell) => within.length === 0 || within.includes(cell));
    const { columns, rows, layers } = layout.boards[number];
    // If half of a board changes in every step, marks carry no information.
    if (appeared.length * 2 <= columns.length * rows.length * layers.length) appeared.forEach((cell) => moved.add(cell));
  });
  return boards;
}

/** The cells in which something is that was not there before. */
function appearedCells(before, after, signs) {
  const old = new Map((before ?? []).map((cell) => [cell.cell, new Set([...cell.contents, ...cell.walls])]));
  return (after ?? [])
    .filter((cell) => [...cell.contents.filter((text) => !signs[text]?.empty), ...cell.walls].some((text) => !old.get(cell.cell)?.has(text)))
    .map((cell) => cell.cell);
}

function wall(cell, side) {
  const [x1, y1, x2, y2] = {
    north: [-.5, -.5, .5, -.5], south: [-.5, .5, .5, .5], west: [-.5, -.5, -.5, .5], east: [.5, -.5, .5, .5],
  }[side];
  return s("line", { class: "wall", x1: cell.x + x1, y1: cell.y + y1, x2: cell.x + x2, y2: cell.y + y2 });
}

function replaceTitle(group, text) {
  group.querySelector("title")?.remove();
  if (text) group.append(s("title", {}, text));
}

/** The facts that lie on no board: turns and counters as labels, the rest as a table. */
export function factsPanel(facts) {
  const label = (fact) => fact.args.length === 2 ? `${fact.name} ${fact.args[0]}` : fact.name;
  const value = (fact) => fact.args[fact.args.length - 1];
  const short = facts.filter((fact) => fact.kind !== "other");
  const rest = new Map();
  for (const fact of facts.filter((fact) => fact.kind === "other")) {
    if (!rest.has(fact.name)) rest.set(fact.name, []);
    rest.get(fact.name).push(fact.args.join(" "));
  }
  return h("div", {},
    h("div", { class: "counters" }, short.map((fact) => h("span", { class: "counter" }, `${label(fact).replaceAll("_", " ")} `, h("b", {}, value(fact))))),
    rest.size > 0 && h("div", { class: "scroll" }, h("table", { class: "fact-table" }, h("tbody", {},
      [...rest].map(([name, values]) => h("tr", {}, h("td", {}, name.replaceAll("_", " ")), h("td", {}, values.filter(Boolean).join(" · ") || "holds")))))));
}
