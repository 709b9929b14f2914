// A text area with line numbers and underlined diagnostics. A copy of the text below it carries the marks.

import { h, replace } from "./dom.js";

export class Editor {
  /** `changed(isTyped)` is called after every change; `isTyped` is false for changes by the page. */
  constructor(changed) {
    this.numbers = h("pre", { class: "numbers", "aria-hidden": "true" });
    this.copy = h("pre", { class: "copy code", "aria-hidden": "true" });
    this.area = h("textarea", {
      class: "code", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "Rules",
      placeholder: "Paste the rules of a game here, in KIF or infix notation.",
    });
    this.element = h("div", { class: "editor" }, this.numbers, h("div", { class: "paper" }, this.copy, this.area));
    this.findings = [];
    this.isPlacing = false;
    this.area.addEventListener("input", () => {
      this.findings = [];
      this.draw();
      changed(!this.isPlacing);
    });
    this.area.addEventListener("scroll", () => this.follow());
    this.draw();
  }

  get text() {
    return this.area.value;
  }

  set text(value) {
    this.area.value = value;
    this.findings = [];
    this.draw();
  }

  /** Replaces the text; undo restores the old one. */
  place(text) {
    const value = text.replace(/\r\n?/g, "\n");
    this.isPlacing = true;
    this.area.focus();
    this.area.select();
    // The only way to change a text field that supports undo.
    document.execCommand("insertText", false, value);
    if (this.area.value !== value) this.text = value;
    this.isPlacing = false;
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
    this.follow();
  }

  /** Underlines the diagnostics. Of overlapping ones, the first is drawn. */
  mark(findings) {
    this.findings = findings;
    this.draw();
  }

  draw() {
    const text = this.area.value;
    const parts = [];
    let at = 0;
    for (const finding of [...this.findings].sort((a, b) => a.start - b.start)) {
      // An empty range, such as the end of the text, underlines the character before it.
      const start = Math.min(finding.start, finding.end > finding.start ? finding.start : Math.max(0, text.length - 1));
      const end = Math.max(finding.end, start + 1);
      if (start < at || start >= text.length) continue;
      parts.push(text.slice(at, start), h("mark", { class: finding.kind }, text.slice(start, end)));
      at = end;
    }
    replace(this.copy, ...parts, `${text.slice(at)}\n`);
    const lines = text.split("\n").length;
    const kinds = new Map(this.findings.map((finding) => [finding.line, finding.kind === "error" ? "bad" : "warn"]));
    replace(this.numbers, Array.from({ length: lines }, (_, index) => {
      const kind = kinds.get(index + 1);
      return kind ? [h("span", { class: kind }, index + 1), "\n"] : `${index + 1}\n`;
    }));
    this.follow();
  }

  follow() {
    this.copy.scrollTop = this.area.scrollTop;
    this.copy.scrollLeft = this.area.scrollLeft;
    this.numbers.scrollTop = this.area.scrollTop;
  }

  /** Selects the range of a diagnostic. */
  goTo({ start, end, line }) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
    const height = this.area.scrollHeight / Math.max(1, this.area.value.split("\n").length);
    this.area.scrollTop = Math.max(0, (line - 6) * height);
    this.follow();
  }
}
