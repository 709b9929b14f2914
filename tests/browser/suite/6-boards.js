// What boards show: whole words, walls and exits, the last move, and the columns that can be clicked.

import assert from "node:assert/strict";
import { newMatch, turn } from "../helpers.js";

async function open(page, address, game, players, pace = { iterations: 20 }) {
  const match = await newMatch(page, address, { game, players, pace, seed: 4 });
  await page.goto(`${address}/match/${match.id}`);
  await page.locator(".board .cell").first().waitFor();
}

async function wholeWords({ page, picture, address }) {
  for (const game of ["lights-out", "switches", "amazons-4x4", "pursuit", "quarto-small"]) {
    await page.goto(`${address}/game/${game}`);
    await page.locator(".board .cell").first().waitFor();
    // A label in a cell is a word of the title that says in full what is there.
    const cut = await page.evaluate(() => [...document.querySelectorAll(".board .cell")].flatMap((cell) => {
      const words = (cell.querySelector("title")?.textContent ?? "").split(/[ ,]+/);
      return [...cell.querySelectorAll(".label")].map((label) => label.textContent).filter((label) => !words.includes(label));
    }));
    assert.deepEqual(cut, [], game);
    // And it lies within its cell.
    const wide = await page.evaluate(() => [...document.querySelectorAll(".board .cell")].flatMap((cell) => {
      const ground = cell.querySelector(".ground").getBoundingClientRect();
      return [...cell.querySelectorAll(".label")].filter((label) => label.getBoundingClientRect().width > ground.width + 1).map((label) => label.textContent);
    }));
    assert.deepEqual(wide, [], game);
    await picture(`board-${game}`);
  }
}

async function mazes({ page, picture, address }) {
  await page.goto(`${address}/game/racing-maze`);
  await page.locator(".board .cell").first().waitFor();
  assert.equal(await page.locator(".board .cell.solid").count(), 8);
  assert.equal(await page.locator(".board .place .figure").count(), 1);
  assert.equal(await page.locator('.cell[aria-label="4 5: exit"]').count(), 1);
  await picture("board-racing-maze");
  await page.goto(`${address}/game/ghost-maze`);
  await page.locator(".board .cell").first().waitFor();
  assert.equal(await page.locator(".board .cell.solid").count(), 8);
  await picture("board-ghost-maze");
}

async function lastMoves({ page, picture, address }) {
  await open(page, address, "connect-four", ["human", "random"], { iterations: 1 });
  await turn(page);
  assert.equal(await page.locator(".board .hint").count(), 7, "an arrow for each column");
  await page.locator('.cell[data-cell="3"]').click();
  await page.getByText(/^Step 2 of 2/).waitFor();
  // The stone of the opponent, and no other cell.
  const moved = page.locator(".board .cell.moved");
  assert.equal(await moved.count(), 1);
  assert.equal(await moved.locator(".figure").count(), 1);
  await picture("board-connect-four");
  await page.getByRole("button", { name: "Previous step" }).click();
  await page.getByText(/^Step 1 of 2/).waitFor();
  assert.equal(await page.locator('.cell.moved').getAttribute("data-cell"), "38");
  assert.equal(await page.locator(".board .hint").count(), 0, "there is nothing to click in the past");
}

async function directions({ page, picture, address }) {
  // Moves are directions: the cell that is marked is where the runner went.
  await open(page, address, "racing-maze", ["human", "random"], { iterations: 1 });
  await turn(page);
  await page.getByRole("button", { name: "go north" }).or(page.getByRole("button", { name: "go east" })).first().click();
  await page.getByText(/^Step 1 of 1/).waitFor();
  const marked = await page.locator(".board .cell.moved .figure").count();
  assert.ok(marked >= 1 && marked <= 2, `${marked} marked`);
  await picture("board-directions");
}

export default [
  ["boards show whole words", wholeWords],
  ["boards show walls and exits", mazes],
  ["the last move is marked where moves name no cell", lastMoves],
  ["the last move is marked where moves are directions", directions],
];
