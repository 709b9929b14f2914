// A match: to play, to watch live or to replay. Its address can be shared.

import { h, s, replace, waiting, failure, link, announce } from "../dom.js";
import { get, post, listen, once } from "../api.js";
import { BoardView, factsPanel, movedCells } from "../board.js";
import { Chooser } from "../choose.js";
import { Analysis } from "../analysis.js";
import { Why } from "../why.js";
import { WhyLevel, isAdaptive } from "../adaptive.js";
import { Plot } from "../plot.js";
import { hiddenNotice } from "./game.js";
import { keyOf } from "../keys.js";

const TONES = ["first", "second", "third", "fourth", "fifth", "sixth"];
const COLOURS = ["white", "black", "red", "blue", "green", "yellow", "teal", "magenta", "orange"];
const FINAL = ["finished", "stopped", "aborted", "interrupted", "failed"];
const AT_ONCE = 200;

export async function matchPage(place, id) {
  document.title = "Match – Ludens";
  replace(place, waiting("Loading the match …"));
  const match = await get(`/api/matches/${encodeURIComponent(id)}`);
  const page = new MatchPage(place, match);
  await page.start();
  return () => page.leave();
}

class MatchPage {
  constructor(place, match) {
    this.place = place;
    this.match = match;
    this.path = `/api/matches/${encodeURIComponent(match.id)}`;
    this.key = keyOf(match.id);
    this.layout = match.layout;
    this.states = [];
    this.thoughts = [];
    this.evaluations = match.evaluations ?? [];
    this.cursor = 0;
    this.follows = true;
    this.boards = null;
    this.sending = false;
    this.close = () => {};
    this.chooser = new Chooser((move) => this.send(move), () => this.show());
    this.analysis = new Analysis();
    this.why = new Why(this.path);
    this.whyLevel = match.players.some(isAdaptive) && this.key ? new WhyLevel(match.game) : null;
    this.plot = new Plot((step) => this.goTo(step));
    this.build();
  }

  build() {
    const step = (label, sign, to) => h("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: () => this.goTo(to()) },
      s("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, s("path", { d: sign, fill: "currentColor" })));
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => this.goTo(Number(this.slider.value)) });
    this.boardPlace = h("div", { class: "boards", id: "board" }, waiting("Setting up the game …"));
    this.status = h("p", { class: "says", role: "status", id: "status" });
    this.trouble = h("div", { "aria-live": "assertive" });
    this.seats = h("div", { id: "seats" });
    this.moveList = h("div", { class: "moves", role: "group", "aria-label": "Legal moves" });
    this.moveHead = h("h2", {}, "Moves");
    this.facts = h("div");
    this.hidden = h("div");
    this.stepName = h("span", { class: "tag" }, "start");
    this.badge = h("span", { class: "tag" }, "…");
    this.shareButton = h("button", { type: "button", class: "plain", onclick: () => this.share() }, "Copy link");
    this.abortButton = h("button", { type: "button", class: "plain", onclick: () => this.abort() }, "Abort");
    const { match } = this;
    document.title = `${match.title}, ${match.players.join(" – ")} – Ludens`;
    replace(this.place,
      h("p", { class: "crumbs" }, link("/matches", {}, "Matches"), " / ", link(`/game/${encodeURIComponent(match.game)}`, {}, match.title),
        match.tournament && [" / ", link(`/tournament/${encodeURIComponent(match.tournament)}`, {}, "tournament")]),
      h("div", { class: "spread" }, h("h1", {}, match.title), h("div", { class: "row" }, this.badge, this.shareButton, this.abortButton)),
      this.hidden,
      h("div", { class: "columns mixed" },
        h("div", { class: "stack" },
          h("section", { class: "card stack", "aria-label": "Board" }, this.status, this.trouble, this.boardPlace,
            h("div", { class: "steps" },
              step("First step", "M2 2h2v12H2zM14 2v12L5 8z", () => 0), step("Previous step", "M12 2v12L3 8z", () => this.cursor - 1), this.slider,
              step("Next step", "M4 2v12l9-6z", () => this.cursor + 1), step("Latest step", "M12 2h2v12h-2zM2 2v12l9-6z", () => this.states.length - 1)),
            h("div", { class: "spread" }, this.stepName, h("span", { class: "hint keys" }, "Use the arrow keys to step through the match."))),
          h("section", { class: "card late" }, h("h2", {}, "State"), this.facts),
          h("section", { class: "card late" }, h("h2", {}, "Expected goals"), this.plot.element)),
        h("div", { class: "stack" },
          h("section", { class: "card" }, this.seats),
          h("section", { class: "card" }, this.moveHead, this.moveList),
          this.analysis.element,
          this.whyLevel?.element, this.why.element)));
  }

  async start() {
    this.onkey = (event) => this.keyPressed(event);
    document.addEventListener("keydown", this.onkey);
    this.showMatch();
    // If the game cannot be loaded, only the notice is missing.
    once(`/api/games/${encodeURIComponent(this.match.game)}`).then((game) => replace(this.hidden, hiddenNotice(game)), () => {});
    try {
      await this.fetchStates();
    } catch (error) {
      replace(this.trouble, failure(error));
    }
    const wanted = Number(new URLSearchParams(location.search).get("step") ?? NaN);
    if (Number.isInteger(wanted) && wanted >= 0 && wanted < this.states.length) {
      this.cursor = wanted;
      this.follows = wanted === this.states.length - 1 && !this.isOver();
    }
    this.showMatch();
    this.show();
    // Analysis of past steps is not stored, and agents that do not search have none.
    this.analysis.element.hidden = this.isOver() || !this.match.players.some((player) => !/^(human|random|legal)\b/.test(player));
    if (!this.isOver()) this.listen();
    else this.whyLevel?.over();
  }

  leave() {
    this.close();
    document.removeEventListener("keydown", this.onkey);
  }

  listen() {
    this.close = listen(`${this.path}/events`, {
      match: (match) => this.takeMatch(match),
      state: ({ layout, state }) => this.takeState(layout, state),
      thinking: (thought) => this.takeThought(thought),
      end: (match) => {
        this.takeMatch(match, true);
        this.whyLevel?.over();
      },
    }, (lost) => replace(this.trouble, lost && h("p", { class: "notice warn" }, "Connection to the server lost. Reconnecting …")));
  }

  /** Colour of a role: from its pieces or its name, otherwise by its index. */
  tone(index) {
    const role = this.match.roles[index];
    return this.layout?.signs?.[role]?.tone ?? COLOURS.find((colour) => role.startsWith(colour)) ?? TONES[index % TONES.length];
  }

  isOver() {
    return FINAL.includes(this.match.status);
  }

  async fetchStates() {
    for (;;) {
      const { layout, total, states } = await get(`${this.path}/states?from=${this.states.length}&count=${AT_ONCE}`, { quiet: true });
      this.layout = layout ?? this.layout;
      for (const state of states) this.states[state.step] = state;
      if (states.length === 0 || this.states.length >= total) break;
    }
    if (this.follows) this.cursor = Math.max(0, this.states.length - 1);
  }

  async takeMatch(match, isEnd = false) {
    Object.assign(this.match, match);
    if (isEnd) {
      const whole = await get(this.path, { quiet: true });
      Object.assign(this.match, whole);
      this.evaluations = whole.evaluations ?? this.evaluations;
      await this.fetchStates();
    }
    this.showMatch();
    this.show();
  }

  async takeState(layout, state) {
    this.layout = layout ?? this.layout;
    this.states[state.step] = state;
    // Fetches states that were missed while the connection was lost.
    if (this.states.length > 1 && Array.from(this.states).includes(undefined)) {
      const first = Array.from(this.states).indexOf(undefined);
      const { states } = await get(`${this.path}/states?from=${first}&count=${AT_ONCE}`, { quiet: true });
      for (const missed of states) this.states[missed.step] = missed;
    }
    if (this.follows) {
      this.cursor = this.states.length - 1;
      this.beginChoice();
    }
    if (state.moves) announce(state.moves.map((move, role) => `${this.match.roles[role]}: ${move}`).join(", "));
    this.show();
  }

  takeThought(thought) {
    this.thoughts[thought.step] ??= [];
    this.thoughts[thought.step][thought.role] = thought;
    if (thought.value !== null) {
      this.evaluations[thought.step] ??= [];
      this.evaluations[thought.step][thought.role] = { value: thought.value };
    }
    this.showAnalysis();
  }

  /** Role of the person to move now, if this browser may move for it. */
  mover() {
    if (this.isOver() || !this.key || this.cursor !== this.states.length - 1) return null;
    if (this.match.step !== this.cursor) return null;
    return (this.match.waiting ?? []).find((role) => this.sent !== `${this.cursor} ${role}`) ?? null;
  }

  /** Offers the legal moves of the person, once per state. */
  beginChoice() {
    const role = this.mover();
    const state = this.states[this.cursor];
    const offer = role === null || this.sending ? null : `${this.cursor} ${role}`;
    if (offer === this.offer) return;
    this.offer = offer;
    const moves = offer === null ? [] : state.view.moves?.[role] ?? state.legal[role].map((text) => ({ text, label: text, clicks: [] }));
    this.chooser.start(moves);
  }

  goTo(step) {
    this.cursor = Math.min(Math.max(0, step), Math.max(0, this.states.length - 1));
    this.follows = this.cursor === this.states.length - 1;
    const address = this.follows && !this.isOver() ? location.pathname : `${location.pathname}?step=${this.cursor}`;
    history.replaceState(null, "", address);
    this.show();
  }

  keyPressed(event) {
    const inField = event.target.closest?.("input:not([type=range]), select, textarea, [contenteditable]");
    if (inField || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      this.chooser.clicks = [];
      this.show();
      return;
    }
    const to = { ArrowLeft: this.cursor - 1, ArrowRight: this.cursor + 1, Home: 0, End: this.states.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.goTo(to);
  }

  showMatch() {
    const { match } = this;
    const live = match.status === "running" || match.status === "preparing";
    this.badge.className = live ? "tag live" : "tag good";
    this.badge.textContent = live ? "live" : match.status;
    this.abortButton.hidden = !live || !this.key;
    replace(this.seats, match.roles.map((role, index) => h("div", { class: "seat", "aria-current": String((match.waiting ?? []).includes(index)) },
      h("span", { class: `dot tone-${this.tone(index)}` }),
      h("strong", {}, role),
      h("span", { class: "goal" }, match.goals ? match.goals[index] ?? "–" : ""),
      h("span", { class: "who", title: match.players[index] }, match.players[index] === "human" ? "person" : match.players[index]))));
  }

  /** Status of the match as a sentence. */
  sentence() {
    const { match } = this;
    const mover = this.mover();
    if (match.status === "failed" || match.status === "stopped") return `The match ended early: ${match.error?.message ?? match.error ?? "unknown reason"}.`.replace("..", ".");
    if (match.status === "aborted") return [match.error?.message ?? "The match was aborted.", this.unplayed()];
    if (match.status === "interrupted") return ["The server was stopped during this match.", this.unplayed()];
    if (match.status === "finished") return ["The match is over. ", h("strong", {}, result(match))];
    if (match.status === "preparing") return "Setting up the game and the agents …";
    if (this.sending) return "Sending your move …";
    if (mover !== null) {
      const chosen = this.chooser.clicks.length > 0;
      return [h("strong", {}, `Your move as ${match.roles[mover]}. `), chosen ? "Choose the next cell, or press Escape." : "Click on the board or choose from the list."];
    }
    if ((match.waiting ?? []).length > 0 && this.cursor !== this.states.length - 1) return "This is an earlier step. Go to the latest step to move.";
    if ((match.waiting ?? []).length > 0) return `${match.waiting.map((role) => match.roles[role]).join(" and ")} to move, in the browser that started the match.`;
    return "The agents are thinking.";
  }

  /** Moves that people chose for the joint move that was pending at the end. */
  unplayed() {
    const { roles, unplayed } = this.match;
    if (!unplayed?.length) return "";
    return ` ${unplayed.map((choice) => `${roles[choice.role]} had chosen ${spoken([choice.move])}`).join(" and ")}; the step was never completed.`;
  }

  show() {
    const state = this.states[this.cursor];
    this.beginChoice();
    replace(this.status, this.sentence());
    this.slider.max = String(Math.max(0, this.states.length - 1));
    this.slider.value = String(this.cursor);
    if (!state) {
      if (this.isOver()) replace(this.boardPlace, h("p", { class: "empty" }, "No state to show."));
      return;
    }
    this.stepName.textContent = state.moves
      ? `Step ${this.cursor} of ${this.states.length - 1}: ${spoken(state.moves)}`
      : this.states.length > 1 ? `Start, of ${this.states.length - 1} steps` : "Start";
    this.showBoards(state);
    replace(this.facts, state.cut
      ? h("p", { class: "notice warn" }, "This state is too large to show completely. Some fluents and moves are missing.")
      : factsPanel(state.view.facts));
    this.showMoves();
    this.showAnalysis();
    this.why.show(this.cursor);
  }

  showBoards(state) {
    if (!this.boards) {
      const { boards, signs } = this.layout ?? { boards: [], signs: {} };
      this.boards = boards.map((board, number) => new BoardView(board, signs, number, (at, cell) => this.clicked(at, cell), boards.length > 1));
      replace(this.boardPlace, this.boards.length > 0
        ? this.boards.map((board) => board.element)
        : h("p", { class: "empty" }, "No board was found in these rules. The fluents of the state are shown below."));
    }
    const moved = movedCells(this.states[this.cursor - 1], state, this.layout);
    this.boards.forEach((board, number) => board.show(state.view.boards[number], {
      moved: moved[number],
      open: this.offer ? this.chooser.open(number) : undefined,
      chosen: this.offer ? this.chooser.chosen(number) : undefined,
      lines: this.offer ? this.chooser.lines(number) : undefined,
    }));
  }

  showMoves() {
    const role = this.mover();
    const complete = this.chooser.complete();
    const moves = this.offer ? (complete.length > 1 ? complete : this.chooser.fitting()) : [];
    const said = `${this.cursor} ${this.states.length} ${this.offer} ${moves.map((move) => move.text).join(" ")}`;
    if (said === this.saidMoves) return;
    this.saidMoves = said;
    const name = role === null ? "" : ` of ${this.match.roles[role]}`;
    this.moveHead.textContent = this.offer ? `${moves.length} legal move${moves.length === 1 ? "" : "s"}${name}` : "Moves";
    const near = (move) => this.boards?.forEach((board, number) =>
      board.near(new Set((move?.clicks ?? []).filter((click) => click.board === number).flatMap((click) => click.cells))));
    near(null);
    replace(this.moveList, this.offer
      ? moves.map((move) => h("button", {
        type: "button", "data-move": move.text, title: move.text,
        onclick: () => this.send(move), onmouseenter: () => near(move), onmouseleave: () => near(null), onfocus: () => near(move), onblur: () => near(null),
      }, move.label))
      : this.states.length > 1 ? this.history() : h("p", { class: "hint" }, "No moves yet."));
    if (this.offer && this.refocus) {
      this.refocus = false;
      this.moveList.querySelector("button")?.focus();
    }
    if (complete.length > 1) announce("Several moves match. Choose one from the list.");
  }

  /** The moves so far, as links to their steps. */
  history() {
    return this.states.slice(1).map((state, index) => h("button", {
      type: "button", "aria-current": String(index + 1 === this.cursor), onclick: () => this.goTo(index + 1),
    }, `${index + 1}. ${spoken(state.moves)}`));
  }

  showAnalysis() {
    const { roles } = this.match;
    // The analysis of the current step; at the end, the last one.
    const known = this.thoughts[this.cursor] ?? (this.cursor === this.states.length - 1 ? this.thoughts[this.cursor - 1] : undefined) ?? [];
    this.analysis.show(roles, roles.map((_, role) => known[role]), this.isSecret());
    const steps = Math.max(this.states.length, this.evaluations.length);
    const goals = this.match.goals;
    this.plot.show(roles.map((role, index) => ({
      name: role, tone: this.tone(index),
      values: Array.from({ length: steps }, (_, step) => {
        if (goals && step === this.states.length - 1 && this.match.status === "finished") return goals[index];
        return this.evaluations[step]?.[index]?.value ?? null;
      }),
    })), this.cursor);
  }

  /** Whether agents and people both have a choice in the current step. */
  isSecret() {
    const legal = this.states[this.cursor]?.legal;
    if (!legal || this.isOver() || this.cursor !== this.states.length - 1) return false;
    const choosing = this.match.players.filter((_, role) => legal[role]?.length > 1);
    return choosing.includes("human") && choosing.some((player) => player !== "human" && player !== "random");
  }

  clicked(board, cell) {
    if (this.offer) this.chooser.click(board, cell);
  }

  async send(move) {
    const role = this.mover();
    const step = this.cursor;
    if (role === null || this.sending) return;
    this.sending = true;
    // Keeps the keyboard focus in the list.
    this.refocus = this.moveList.contains(document.activeElement);
    this.show();
    try {
      // Events report the result; the answer may be older than they are.
      await post(`${this.path}/moves`, { key: this.key, step, role, move: move.text });
      this.sent = `${step} ${role}`;
      replace(this.trouble);
    } catch (error) {
      replace(this.trouble, failure(error));
    }
    this.sending = false;
    this.offer = null;
    this.showMatch();
    this.show();
  }

  async abort() {
    if (!window.confirm("Abort this match? The moves so far are kept.")) return;
    try {
      await this.takeMatch(await post(`${this.path}/abort`, { key: this.key }));
    } catch (error) {
      replace(this.trouble, failure(error));
    }
  }

  async share() {
    const address = location.href;
    try {
      await navigator.clipboard.writeText(address);
      this.shareButton.textContent = "Copied";
      announce("Link copied.");
      setTimeout(() => { this.shareButton.textContent = "Copy link"; }, 2000);
    } catch {
      window.prompt("Link to this match:", address);
    }
  }
}

/** A joint move as text, without the roles that only wait. */
function spoken(moves) {
  const busy = moves.filter((move) => !/^\(?(noop|pass|wait)\)?$/.test(move));
  return (busy.length > 0 ? busy : moves).map((move) => move.replace(/[()]/g, "").trim()).join(" + ");
}

function result({ roles, goals }) {
  if (!goals) return "";
  if (roles.length === 1) return `${roles[0]} reached ${goals[0]} of 100.`;
  const best = Math.max(...goals);
  const winners = roles.filter((_, role) => goals[role] === best);
  if (winners.length === roles.length) return `Draw: all get ${best}.`;
  return `${winners.join(" and ")} won with ${best}.`;
}
