// Asks for the token of the server and stores it in this browser.

import { h, field } from "./dom.js";

const NAME = "ludens.token";
let asked = null;

export function token() {
  return localStorage.getItem(NAME);
}

/** Asks for the token, once for all requests that need it. Resolves to whether a new one was entered. */
export function askForToken(wasRefused) {
  asked ??= ask(wasRefused).finally(() => { asked = null; });
  return asked;
}

function ask(wasRefused) {
  return new Promise((resolve) => {
    const input = h("input", { type: "password", autocomplete: "current-password", required: true });
    let given = false;
    const submit = (event) => {
      event.preventDefault();
      localStorage.setItem(NAME, input.value.trim());
      given = true;
      dialog.close();
    };
    const dialog = h("dialog", { class: "card", "aria-labelledby": "token-title" },
      h("form", { class: "stack", onsubmit: submit },
        h("h2", { id: "token-title" }, "This server needs a token"),
        h("p", {}, wasRefused ? "The server did not accept the token of this browser." : "Without it you can watch, but not start matches or add games."),
        field("Token", input, "Ask the operator of the server. The token is stored in this browser."),
        h("div", { class: "row" }, h("button", {}, "Continue"),
          h("button", { type: "button", class: "plain", onclick: () => dialog.close() }, "Cancel"))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(given);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
