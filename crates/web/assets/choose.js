// Moves by clicking cells: every click narrows the legal moves down, until one is left.

export class Chooser {
  /** `play(move)` is called when one move is left, `changed()` after every other click. */
  constructor(play, changed) {
    this.play = play;
    this.changed = changed;
    this.start([]);
  }

  /** Restarts with these legal moves. */
  start(moves) {
    this.moves = moves;
    this.clicks = [];
  }

  /** Legal moves that match the clicks so far. */
  fitting(clicks = this.clicks) {
    return this.moves.filter((move) => clicks.every((click, index) => hits(move.clicks[index], click)));
  }

  /** Moves all of whose cells were clicked. */
  complete() {
    return this.clicks.length === 0 ? [] : this.fitting().filter((move) => move.clicks.length === this.clicks.length);
  }

  /** Cells of a board that can be clicked next. */
  open(board) {
    const next = this.fitting().map((move) => move.clicks[this.clicks.length]).filter((click) => click?.board === board);
    return new Set(next.flatMap((click) => click.cells));
  }

  /** Columns and rows of a board that can be clicked next as a whole, each as a list of cells. */
  lines(board) {
    const next = this.fitting().map((move) => move.clicks[this.clicks.length]);
    return next.filter((click) => click?.board === board && click.cells.length > 1).map((click) => click.cells);
  }

  /** Cells of a board that were clicked. */
  chosen(board) {
    return new Set(this.clicks.filter((click) => click.board === board).map((click) => click.cell));
  }

  click(board, cell) {
    const clicks = [...this.clicks, { board, cell }];
    if (this.fitting(clicks).some((move) => move.clicks.length >= clicks.length)) this.clicks = clicks;
    else if (this.fitting([{ board, cell }]).some((move) => move.clicks.length > 0) && !this.chosen(board).has(cell)) this.clicks = [{ board, cell }];
    else this.clicks = [];
    const complete = this.complete();
    const longer = this.fitting().filter((move) => move.clicks.length > this.clicks.length);
    if (complete.length === 1 && longer.length === 0) this.play(complete[0]);
    else this.changed();
  }
}

function hits(click, { board, cell }) {
  return click !== undefined && click.board === board && click.cells.includes(cell);
}
