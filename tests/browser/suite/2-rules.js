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
  await page.getByRole("button", { name: "Keep and play" }).click();
  await page.waitForURL(/\/game\//);
  await page.getByRole("heading", { name: "Five stones" }).waitFor();
  await page.getByText("per second").first().waitFor();
  await page.getByRole("button", { name: "Start the match" }).click();
  await page.waitForURL(/\/match\//);
  // No board here: moves are chosen from the list.
  await page.locator(".moves button", { hasText: "take 2" }).click();
  await page.getByText(/^Step \d+ of [2-9]/).waitFor();
}

export default [
  ["broken rules and the message at its place", broken],
  ["nothing that strangers write is run", nothingIsRun],
  ["own rules are kept and played", ownRules],
];
