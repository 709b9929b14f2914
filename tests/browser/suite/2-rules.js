// Rules of one's own: what is wrong is shown at its place, and what is right can be played.

import assert from "node:assert/strict";

const BROKEN = `(role white)
(init (cell 1 empty))
(<= (legal white (mark ?x))
    (true (cell ?y empty)))
(<= terminal (true (cell 1 white)))
(<= (goal white 100) terminal)
`;

async function broken({ page, picture, address }) {
  await page.goto(`${address}/rules`);
  const area = page.getByLabel("Rules", { exact: true });
  await area.fill(BROKEN);
  await page.locator(".finding.error").first().waitFor();
  const place = await page.locator(".finding.error").first().textContent();
  assert.match(place, /Line 3, column \d+/);
  assert.match(place, /\?x/);
  const marked = await page.locator(".editor mark.error").allTextContents();
  assert.ok(marked.some((text) => text.includes("?x")), `underlined: ${marked}`);
  await picture("findings");
  // A click on the finding goes to the place.
  await page.locator(".finding.error").first().click();
  const selected = await area.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
  assert.ok(selected.includes("?x"), `selected: ${selected}`);
  // Mended, it is valid.
  await area.fill(BROKEN.replace("?x", "?y").replace("?x", "?y"));
  await page.locator(".editor mark.error").waitFor({ state: "detached" });
}

async function nothingIsRun({ page, address }) {
  await page.goto(`${address}/rules`);
  await page.getByLabel("Rules", { exact: true }).fill('(role <img/src=x/onerror="window.hacked=1">)\n(<= (legal ?r <b>)');
  await page.locator(".finding").first().waitFor();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("main img, main b").count(), 0);
}

async function ownRules({ page, address }) {
  await page.goto(`${address}/rules`);
  await page.getByRole("button", { name: "Show an example" }).click();
  await page.getByText("valid", { exact: true }).waitFor();
  await page.getByLabel("Name").fill("Five stones");
  await page.getByRole("button", { name: "Add game" }).click();
  await page.waitForURL(/\/game\//);
  await page.getByRole("heading", { name: "Five stones" }).waitFor();
  await page.getByText("per second").first().waitFor();
  await page.getByRole("button", { name: "Start match" }).click();
  await page.waitForURL(/\/match\//);
  // No board here: moves are chosen from the list.
  await page.locator(".moves button", { hasText: "take 2" }).click();
  await page.getByText(/^Step \d+ of [2-9]/).waitFor();
}

async function exampleKeepsWork({ page, address }) {
  const own = "(role me) ; my work of an hour";
  const area = page.getByLabel("Rules", { exact: true });
  const example = page.getByRole("button", { name: "Show an example" });
  const kept = () => page.evaluate(() => localStorage.getItem("ludens.draft"));
  const asked = [];
  let answer = false;
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    return answer ? dialog.accept() : dialog.dismiss();
  });
  await page.goto(`${address}/rules`);
  await area.pressSequentially(own);
  await example.click();
  assert.equal(asked.length, 1, "typed rules are not replaced without a question");
  assert.equal(await area.inputValue(), own);
  answer = true;
  await example.click();
  assert.match(await area.inputValue(), /A very small game/);
  await page.getByText("valid", { exact: true }).waitFor();
  assert.equal(await kept(), own, "the copy in the browser is still there");
  await area.focus();
  await page.keyboard.press("Control+z");
  assert.equal(await area.inputValue(), own, "undo brings the rules back");
  await example.click();
  await page.reload();
  assert.equal(await area.inputValue(), own);
  // A file, and a copy of a game, take no typed rules away either.
  answer = false;
  await page.getByLabel("Upload a file").setInputFiles({ name: "other.kif", mimeType: "text/plain", buffer: Buffer.from("(role other)") });
  await page.waitForFunction(() => document.querySelector("input[type=file]").value === "");
  assert.equal(await area.inputValue(), own);
  await page.goto(`${address}/rules?game=tic-tac-toe`);
  await page.getByText("valid", { exact: true }).waitFor();
  await area.press("End");
  await area.pressSequentially("; changed");
  assert.equal(await kept(), own);
  await page.reload();
  await page.getByText("valid", { exact: true }).waitFor();
  assert.match(await area.inputValue(), /; changed/);
}

export default [
  ["an example never destroys typed rules", exampleKeepsWork],
  ["broken rules and the message at its place", broken],
  ["nothing that strangers write is run", nothingIsRun],
  ["own rules are kept and played", ownRules],
];
