// A match: played, watched or looked at again. The same page for all three, found again by its address.

import { h, s, replace, waiting, failure, link, announce } from "../dom.js";
import { get, post, listen, once } from "../api.js";
import { BoardView, factsPanel, movedCells } from "../board.js";
import { Chooser } from "../choose.js";
import { Mind } from "../mind.js";
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
  replace(place, waiting("The match is being fetched …"));
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
    this.mind = new Mind();
    this.why = new Why(this.path);
    this.whyLevel = match.players.some(isAdaptive) && this.key ? new WhyLevel(match.game) : null;
    this.plot = new Plot((step) => this.goTo(step));
    this.build();
  }

  build() {
    const step = (label, sign, to) => h("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: () => this.goTo(to()) },
      s("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, s("path", { d: sign, fill: "currentColor" })));
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => this.goTo(Number(this.slider.value)) });
    this.boardPlace = h("div", { class: "boards", id: "board" }, waiting("The game is being set up …"));
    this.status = h("p", { class: "says", role: "status", id: "status" });
    this.trouble = h("div", { "aria-live": "assertive" });
    this.seats = h("div", { id: "seats" });
    this.moveList = h("div", { class: "moves", role: "group", "aria-label": "Legal moves" });
    this.moveHead = h("h2", {}, "Moves");
    this.facts = h("div");
    this.hidden = h("div");
    this.stepName = h("span", { class: "tag" }, "start");
    this.badge = h("span", { class: "tag" }, "…");
    this.shareButton = h("button", { type: "button", class: "plain", onclick: () => this.share() }, "Copy the address");
    this.abortButton = h("button", { type: "button", class: "plain", onclick: () => this.abort() }, "Abort");
    const { match } = this;
    document.title = `${match.title}, ${match.players.join(" – ")} – Ludens`;
    replace(this.place,
      h("p", { class: "crumbs" }, link("/matches", {}, "Matches"), " / ", link(`/game/${encodeURIComponent(match.game)}`, {}, match.title),
        match.tournament && [" / ", link(`/tournament/${encodeURIComponent(match.tournament)}`, {}, "its tournament")]),
      h("div", { class: "spread" }, h("h1", {}, match.title), h("div", { class: "row" }, this.badge, this.shareButton, this.abortButton)),
      this.hidden,
      h("div", { class: "columns mixed" },
        h("div", { class: "stack" },
          h("section", { class: "card stack", "aria-label": "The board" }, this.status, this.trouble, this.boardPlace,
            h("div", { class: "steps" },
              step("To the start", "M2 2h2v12H2zM14 2v12L5 8z", () => 0), step("One step back", "M12 2v12L3 8z", () => this.cursor - 1), this.slider,
              step("One step on", "M4 2v12l9-6z", () => this.cursor + 1), step("To the latest step", "M12 2h2v12h-2zM2 2v12l9-6z", () => this.states.length - 1)),
            h("div", { class: "spread" }, this.stepName, h("span", { class: "hint keys" }, "Arrow keys step through the match."))),
          h("section", { class: "card late" }, h("h2", {}, "State"), this.facts),
          h("section", { class: "card late" }, h("h2", {}, "Expected goals"), this.plot.element)),
        h("div", { class: "stack" },
          h("section", { class: "card" }, this.seats),
          h("section", { class: "card" }, this.moveHead, this.moveList),
          this.mind.element,
          this.whyLevel?.element, this.why.element)));
  }

  async start() {
    this.onkey = (event) => this.keyPressed(event);
    document.addEventListener("keydown", this.onkey);
    this.showMatch();
    // Without the game, there is only no notice.
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
    // Thoughts of the past are not kept, and agents that do not search have none.
    this.mind.element.hidden = this.isOver() || !this.match.players.some((player) => !/^(human|random|legal)\b/.test(player));
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
    }, (lost) => replace(this.trouble, lost && h("p", { class: "notice warn" }, "The connection to the server was lost; it is being tried again.")));
  }

  /** The colour of a role: the one its name says or its pieces have, else one by its number. */
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
    // States that were missed while the line was broken.
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
    this.showMind();
  }

  /** The role of the person who is to move now, if it can be done here. */
  mover() {
    if (this.isOver() || !this.key || this.cursor !== this.states.length - 1) return null;
    if (this.match.step !== this.cursor) return null;
    return (this.match.waiting ?? []).find((role) => this.sent !== `${this.cursor} ${role}`) ?? null;
  }

  /** Offers the legal moves of the person, once for each state. */
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
      h("span", { class: "who", title: match.players[index] }, match.players[index] === "human" ? "a person" : match.players[index]))));
  }

  /** What is going on, as a sentence. */
  sentence() {
    const { match } = this;
    const mover = this.mover();
    if (match.status === "failed" || match.status === "stopped") return `The match ended early: ${match.error?.message ?? match.error ?? "no reason is known"}.`.replace("..", ".");
    if (match.status === "aborted") return [match.error?.message ?? "The match was aborted.", this.unplayed()];
    if (match.status === "interrupted") return ["The server ended while this match was played.", this.unplayed()];
    if (match.status === "finished") return ["The match is over. ", h("strong", {}, result(match))];
    if (match.status === "preparing") return "The game is being set up, and agents prepare.";
    if (this.sending) return "Your move is on its way …";
    if (mover !== null) {
      const chosen = this.chooser.clicks.length > 0;
      return [h("strong", {}, `Your move as ${match.roles[mover]}. `), chosen ? "Choose where to, or press Escape." : "Click on the board, or choose from the list."];
    }
    if ((match.waiting ?? []).length > 0 && this.cursor !== this.states.length - 1) return "This is an earlier step. Go to the latest step to move.";
    if ((match.waiting ?? []).length > 0) return `${match.waiting.map((role) => match.roles[role]).join(" and ")} can move, in the browser where the match was started.`;
    return "The agents think.";
  }

  /** What people had chosen for a joint move that was never made. */
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
      if (this.isOver()) replace(this.boardPlace, h("p", { class: "empty" }, "There is no state to show."));
      return;
    }
    this.stepName.textContent = state.moves
      ? `Step ${this.cursor} of ${this.states.length - 1}: ${spoken(state.moves)}`
      : this.states.length > 1 ? `Start, of ${this.states.length - 1} steps` : "Start";
    this.showBoards(state);
    replace(this.facts, state.cut
      ? h("p", { class: "notice warn" }, "This state is too large to be shown as a whole; not all of its facts and moves are here.")
      : factsPanel(state.view.facts));
    this.showMoves();
    this.showMind();
    this.why.show(this.cursor);
  }

  showBoards(state) {
    if (!this.boards) {
      const { boards, signs } = this.layout ?? { boards: [], signs: {} };
      this.boards = boards.map((board, number) => new BoardView(board, signs, number, (at, cell) => this.clicked(at, cell), boards.length > 1));
      replace(this.boardPlace, this.boards.length > 0
        ? this.boards.map((board) => board.element)
        : h("p", { class: "empty" }, "These rules have no board that could be drawn. The facts of the state are below."));
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
      : this.states.length > 1 ? this.history() : h("p", { class: "hint" }, "No move was made yet."));
    if (this.offer && this.refocus) {
      this.refocus = false;
      this.moveList.querySelector("button")?.focus();
    }
    if (complete.length > 1) announce("Several moves fit; choose one from the list.");
  }

  /** The moves so far, to go to any of them. */
  history() {
    return this.states.slice(1).map((state, index) => h("button", {
      type: "button", "aria-current": String(index + 1 === this.cursor), onclick: () => this.goTo(index + 1),
    }, `${index + 1}. ${spoken(state.moves)}`));
  }

  showMind() {
    const { roles } = this.match;
    // While a state is shown, what agents think in it; at the end, what they thought last.
    const known = this.thoughts[this.cursor] ?? (this.cursor === this.states.length - 1 ? this.thoughts[this.cursor - 1] : undefined) ?? [];
    this.mind.show(roles, roles.map((_, role) => known[role]), this.isSecret());
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

  /** Whether agents and people both have a choice in the step that is shown, which is under way. */
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
    // Who chooses from the list with the keyboard stays in it.
    this.refocus = this.moveList.contains(document.activeElement);
    this.show();
    try {
      // What comes of it is told by the events; the answer may be older than they are.
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
    if (!window.confirm("Abort this match? What was played is kept.")) return;
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
      announce("The address was copied.");
      setTimeout(() => { this.shareButton.textContent = "Copy the address"; }, 2000);
    } catch {
      window.prompt("The address of this match:", address);
    }
  }
}

/** A joint move in words; those who only wait are left out. */
function spoken(moves) {
  const busy = moves.filter((move) => !/^\(?(noop|pass|wait)\)?$/.test(move));
  return (busy.length > 0 ? busy : moves).map((move) => move.replace(/[()]/g, "").trim()).join(" + ");
}

function result({ roles, goals }) {
  if (!goals) return "";
  if (roles.length === 1) return `${roles[0]} reached ${goals[0]} of 100.`;
  const best = Math.max(...goals);
  const winners = roles.filter((_, role) => goals[role] === best);
  if (winners.length === roles.length) return `All get ${best}.`;
  return `${winners.join(" and ")} won with ${best}.`;
}
