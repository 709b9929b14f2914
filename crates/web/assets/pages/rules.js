// The rules editor: paste, upload or edit rules, checked on every change.

import { h, replace, failure, field, waiting } from "../dom.js";
import { get, post } from "../api.js";
import { Editor } from "../editor.js";
import { go } from "../main.js";

const DRAFT = "ludens.draft";
const EXAMPLE = `; A very small game: take one or two of five stones; the player who takes the last stone wins.
(role first) (role second)
(init (stones 5))
(init (control first))

(<= (legal ?player (take ?n)) (true (control ?player)) (true (stones ?m)) (less ?n ?m ?rest))
(<= (legal ?player noop) (role ?player) (not (true (control ?player))))

(<= (next (stones ?rest)) (does ?player (take ?n)) (true (stones ?m)) (less ?n ?m ?rest))
(<= (next (control second)) (true (control first)))
(<= (next (control first)) (true (control second)))

(less 1 5 4) (less 1 4 3) (less 1 3 2) (less 1 2 1) (less 1 1 0)
(less 2 5 3) (less 2 4 2) (less 2 3 1) (less 2 2 0)

(<= terminal (true (stones 0)))
(<= (goal ?player 0) (true (stones 0)) (true (control ?player)))
(<= (goal ?player 100) (role ?player) (true (stones 0)) (not (true (control ?player))))
`;

export async function rulesPage(element) {
  document.title = "Rules – Ludens";
  const wanted = new URLSearchParams(location.search).get("game");
  // The draft of an edited copy is kept apart from the draft of new rules.
  const draft = wanted ? `${DRAFT}.${wanted}` : DRAFT;
  const status = h("div", { class: "check-status", role: "status" });
  const list = h("ul", { class: "findings" });
  const trouble = h("div", { "aria-live": "assertive" });
  const name = h("input", { type: "text", maxlength: 80, placeholder: "My game" });
  const button = h("button", { disabled: true }, "Add game");
  let timer = null;
  let asked = null;

  const check = async () => {
    asked?.abort();
    asked = new AbortController();
    const text = editor.text;
    if (text.trim() === "") {
      button.disabled = true;
      replace(status, "Nothing to check yet.");
      replace(list);
      return;
    }
    const slow = setTimeout(() => replace(status, waiting("Checking the rules …")), 400);
    try {
      show(text, await post("/api/check", { text }, { signal: asked.signal, quiet: true }));
    } catch (error) {
      if (error.name === "AbortError") return;
      button.disabled = true;
      replace(status);
      replace(list, h("li", {}, failure(error, check)));
    } finally {
      clearTimeout(slow);
    }
  };
  const show = (text, answer) => {
    const findings = [...answer.errors.map((finding) => ({ ...finding, kind: "error" })), ...answer.warnings.map((finding) => ({ ...finding, kind: "warning" }))];
    editor.mark(findings);
    const unreadable = answer.errors.some((finding) => finding.code.startsWith("E1"));
    button.disabled = unreadable;
    const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    replace(status, answer.valid
      ? [h("span", { class: "tag good" }, "valid"), `${answer.notation}, roles: ${answer.roles.join(", ")}${answer.warnings.length ? `; ${count(answer.warnings.length, "warning")}` : ""}`]
      : [h("span", { class: "tag live" }, "not valid"), `${count(answer.errors.length, "error")}${answer.warnings.length ? `, ${count(answer.warnings.length, "warning")}` : ""}`]);
    replace(list, findings.map((finding) => h("li", {}, card(finding))),
      answer.left_out > 0 && h("li", {}, `${answer.left_out} more diagnostics are not shown.`));
  };
  const card = (finding) => h("button", { type: "button", class: `finding ${finding.kind}`, onclick: () => editor.goTo(finding) },
    h("span", { class: "place" }, `Line ${finding.line}, column ${finding.column} · ${finding.code}`),
    h("strong", {}, finding.message),
    finding.label && finding.label !== finding.message && h("span", {}, finding.label),
    finding.help && h("span", { class: "help" }, `Help: ${finding.help}`),
    finding.notes?.map((note) => h("span", { class: "help" }, note)));

  const editor = new Editor((isTyped) => {
    if (isTyped) localStorage.setItem(draft, editor.text);
    clearTimeout(timer);
    timer = setTimeout(check, 250);
  });
  let given = "";
  /** Replaces the text; asks first if the user typed it. */
  const place = (text, what) => {
    const isOwn = !["", EXAMPLE.trim(), given.trim()].includes(editor.text.trim());
    if (isOwn && !window.confirm(`Replace your rules with ${what}? Undo (Ctrl+Z) restores them.`)) return false;
    editor.place(text);
    check();
    return true;
  };
  const upload = h("input", { type: "file", accept: ".kif,.gdl,.hrf,.txt,text/plain", onchange: async () => {
    const file = upload.files[0];
    if (!file) return;
    if (file.size > 4_000_000) {
      replace(trouble, failure(new Error("This file is larger than 4 MB and was not read.")));
      return;
    }
    replace(trouble);
    if (place(await file.text(), "this file")) name.value ||= file.name.replace(/\.[^.]*$/, "");
    upload.value = "";
  } });
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    replace(trouble);
    try {
      const game = await post("/api/games", { name: name.value.trim() || "My game", text: editor.text });
      go(`/game/${encodeURIComponent(game.id)}`);
    } catch (error) {
      replace(trouble, failure(error));
      button.disabled = false;
    }
  };
  replace(element,
    h("h1", {}, "Add your own rules"),
    h("p", { class: "lead" }, "Paste rules in the Game Description Language. They are checked as you type: errors are underlined and explained in the list."),
    h("form", { class: "columns", onsubmit: submit },
      h("div", { class: "stack" }, editor.element),
      h("div", { class: "stack" },
        h("section", { class: "card stack" }, field("Name", name), field("Upload a file", upload),
          h("div", { class: "row" }, button,
            h("button", { type: "button", class: "plain", onclick: () => place(EXAMPLE, "the example") }, "Show an example")), trouble),
        h("section", { class: "card" }, h("h2", {}, "Diagnostics"), status, list))));

  if (wanted) {
    const game = await get(`/api/games/${encodeURIComponent(wanted)}`);
    given = game.text;
    name.value = `${game.title || game.id}, edited`;
  }
  editor.text = localStorage.getItem(draft) ?? given;
  await check();
  return () => { clearTimeout(timer); asked?.abort(); };
}
