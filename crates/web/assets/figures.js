// Pieces on boards, drawn in a square from -0.5 to 0.5.

import { s } from "./dom.js";

/** A text of this height. Browsers render fonts below one pixel badly, so the text is set large and scaled down. */
export function letters(text, x, y, height, properties = {}) {
  return s("text", { "font-size": "20px", ...properties, transform: `translate(${x} ${y}) scale(${height / 20})` }, text);
}

/** Words in a cell, one per line and as large as they fit, never truncated. */
function words(text, x, y, size) {
  const lines = text.split(" ");
  const longest = Math.max(...lines.map((line) => [...line].length), 1);
  const height = Math.min(.5, .92 / (longest * .62), .86 / (lines.length * 1.1)) * size;
  return s("g", {}, lines.map((line, index) =>
    letters(line, x, y + (index - (lines.length - 1) / 2) * height * 1.1, height, { class: "label" })));
}

const BASE = "M-.3 .34h.6v-.09q-.12-.03-.14-.12h-.32q-.02 .09-.14 .12z";

const OUTLINES = {
  pawn: `${BASE}M-.12 .14q.08-.14 .05-.22h.14q-.03 .08 .05 .22zM0-.08a.14 .14 0 1 1 .001 0z`,
  rook: `${BASE}M-.16 .14l.03-.26h-.07v-.2h.1v.07h.05v-.07h.1v.07h.05v-.07h.1v.2h-.07l.03 .26z`,
  knight: `${BASE}M-.16 .14q-.02-.14 .1-.22q-.1 .02-.18 .06l-.06-.07q.1-.2 .24-.26l.03-.07l.06 .06q.2 .08 .17 .5z`,
  bishop: `${BASE}M-.14 .14q.06-.06 .05-.12q-.13-.14 .09-.34q.22 .2 .09 .34q-.01 .06 .05 .12zM0-.32a.05 .05 0 1 1 .001 0z`,
  queen: `${BASE}M-.17 .14q.02-.1-.13-.34l.13 .1l.04-.2l.13 .18l.13-.18l.04 .2l.13-.1q-.15 .24-.13 .34z`,
  king: `${BASE}M-.17 .14q-.24-.18-.08-.28q.12-.06 .21 .04v-.08h-.09v-.08h.09v-.09h.08v.09h.09v.08h-.09v.08q.09-.1 .21-.04q.16 .1-.08 .28z`,
  arrow: "M-.28 .3l.34-.34l-.18-.04l.42-.22l-.2 .44l-.05-.17l-.33 .33z",
  block: "M-.36-.36h.72v.72h-.72z",
  star: "M0-.36l.1 .24l.26 .02l-.2 .17l.07 .26l-.23-.14l-.23 .14l.07-.26l-.2-.17l.26-.02z",
};

/** Draws a sign of the layout, in a cell with its centre at `x`, `y`. */
export function draw(sign, text, x, y, size = 1) {
  const tone = `tone-${sign?.tone ?? "none"}`;
  const at = `translate(${x} ${y}) scale(${size})`;
  switch (sign?.figure) {
    case "disc":
      return s("g", { class: `figure ${tone}`, transform: at }, s("circle", { r: .34 }), s("circle", { r: .22, class: "open", opacity: .35 }));
    case "cross":
      return s("path", { class: `figure line ${tone}`, transform: at, d: "M-.24-.24l.48 .48m0-.48l-.48 .48" });
    case "ring":
      return s("circle", { class: `figure line ${tone}`, transform: at, r: .26 });
    case undefined:
    case null: {
      const node = words(sign?.label ?? text, x, y, size);
      if (!sign?.tone) return node;
      return s("g", {}, s("circle", { class: `figure ${tone}`, transform: at, r: .4, opacity: .3 }), node);
    }
    default:
      return s("path", { class: `figure ${tone}`, transform: at, d: OUTLINES[sign.figure] ?? OUTLINES.star });
  }
}
