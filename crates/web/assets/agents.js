// Forms for players and time controls, built from the table of agents of the server.

import { h, field, replace } from "./dom.js";
import { once } from "./api.js";

/** Default agents, in order of preference. */
const PREFERRED = ["uct", "halving", "flat"];

/** Form for one player. `spec()` returns the agent spec. */
export async function playerForm(label, { people = true, adaptive = false, chosen } = {}) {
  const { agents } = await once("/api/agents");
  const usual = PREFERRED.find((name) => agents.some((agent) => agent.name === name)) ?? agents[0].name;
  const names = [...(people ? ["human"] : []), ...(adaptive ? ["adaptive"] : []), ...agents.map((agent) => agent.name)];
  const select = h("select", { name: "player" }, names.map((name) =>
    h("option", { value: name }, { human: "You (a person)", adaptive: "adaptive (as strong as you)" }[name] ?? name)));
  select.value = names.includes(chosen) ? chosen : usual;
  const settings = h("div", { class: "fields" });
  const details = h("details", {}, h("summary", {}, "Settings"), settings);
  const summary = h("span", { class: "hint" });
  let inputs = new Map();
  const change = () => {
    const agent = agents.find((agent) => agent.name === select.value);
    summary.textContent = agent ? agent.summary : select.value === "adaptive"
      ? "Its strength follows your results in this game, and you can see why."
      : "You move on this page, by clicking on the board or choosing from a list.";
    inputs = new Map((agent?.settings ?? []).map((setting) => [setting, input(setting)]));
    replace(settings, [...inputs].map(([setting, control]) => field(setting.name, control, setting.help)));
    details.hidden = inputs.size === 0;
  };
  select.addEventListener("change", change);
  change();
  const choice = field(label, select);
  choice.append(summary);
  const element = h("div", { class: "stack" }, choice, details);
  const spec = () => {
    const changed = [...inputs]
      .map(([setting, control]) => [setting.name, read(control), String(setting.default)])
      .filter(([, value, usual]) => value !== "" && value !== usual && !same(value, usual))
      .map(([name, value]) => `${name}=${value}`);
    return changed.length > 0 ? `${select.value}(${changed.join(",")})` : select.value;
  };
  /** Replaces a person by an agent. */
  const leaveToAgent = () => {
    if (select.value !== "human" && select.value !== "adaptive") return;
    select.value = usual;
    change();
  };
  return { element, spec, leaveToAgent };
}

function same(a, b) {
  return a.trim() !== "" && b.trim() !== "" && Number(a) === Number(b);
}

function input(setting) {
  switch (setting.kind) {
    case "flag":
      return h("input", { type: "checkbox", checked: setting.default });
    case "choice":
      return h("select", { value: undefined }, setting.options.map((option) =>
        h("option", { value: option.name, selected: option.name === setting.default, title: option.help }, option.name)));
    case "integer":
    case "real":
      return h("input", { type: "number", value: setting.default, min: setting.min, max: setting.max, step: setting.kind === "integer" ? 1 : "any" });
    default:
      return h("input", { type: "text", value: setting.default ?? "" });
  }
}

function read(control) {
  return control.type === "checkbox" ? String(control.checked) : control.value;
}

/** Form for the time control. */
export function paceForm({ clock = 2, iterations = 1000, counted = false } = {}) {
  const kind = h("select", {}, h("option", { value: "clock" }, "seconds per move"), h("option", { value: "iterations" }, "iterations per move (repeatable)"));
  kind.value = counted ? "iterations" : "clock";
  const amount = h("input", { type: "number", min: .1, step: "any", required: true });
  const change = () => {
    const isClock = kind.value === "clock";
    amount.value = isClock ? clock : iterations;
    amount.step = isClock ? "any" : 1;
    amount.min = isClock ? .1 : 1;
  };
  kind.addEventListener("change", change);
  change();
  const element = h("div", { class: "fields" }, field("Time control", kind), field("Amount", amount));
  const pace = () => kind.value === "clock"
    ? { start_clock: Math.min(10, Math.max(1, Number(amount.value))), play_clock: Number(amount.value) }
    : { iterations: Math.round(Number(amount.value)) };
  return { element, pace };
}
