// Runs all browser tests: one server with an empty data folder, one browser, each test in a context of its own.
//
// LUDENS_PROGRAM is the program, LUDENS_CHROMIUM the browser, LUDENS_SCREENSHOTS where pictures go. Names on the command
// line choose tests. The last line says how many passed. With LUDENS_ASSETS, files of the page are taken from that folder
// instead of the program, to try changes without compiling.

import { chromium } from "playwright-core";
import { mkdtemp, mkdir, rm, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "./server.js";

const EACH = 40_000;
const ALL = 170_000;
const program = process.env.LUDENS_PROGRAM ?? "../../target/release/ludens";
const screenshots = process.env.LUDENS_SCREENSHOTS ?? "../../target/screenshots";
const executablePath = process.env.LUDENS_CHROMIUM ?? "/usr/bin/chromium";
const wanted = process.argv.slice(2);

const data = await mkdtemp(join(tmpdir(), "ludens-browser-"));
await mkdir(screenshots, { recursive: true });
let server = null;
let browser = null;
const watchdog = setTimeout(() => {
  console.error(`error: the tests took longer than ${ALL / 1000} s`);
  server?.kill();
  process.exit(1);
}, ALL);

async function cleanUp() {
  clearTimeout(watchdog);
  await browser?.close().catch(() => {});
  await server?.stop().catch(() => {});
  await rm(data, { recursive: true, force: true });
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, async () => { await cleanUp(); process.exit(130); });

let passed = 0;
let failed = 0;
try {
  server = await startServer(program, data);
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const world = {
    get address() { return server.address; },
    /** A new server on the same data. */
    async restart() {
      await server.stop();
      server = await startServer(program, data);
    },
  };
  const files = (await readdir(new URL("suite", import.meta.url))).filter((name) => name.endsWith(".js")).sort();
  for (const file of files) {
    const { default: tests } = await import(`./suite/${file}`);
    for (const [name, test, options] of tests) {
      if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
      await one(name, test, options, world);
    }
  }
} catch (error) {
  failed += 1;
  console.error(`FAILED to run: ${error.stack}`);
} finally {
  await cleanUp();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

async function one(name, test, options, world) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, colorScheme: "light", locale: "en-GB", ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  if (process.env.LUDENS_ASSETS) await page.route("**/assets/**", (route) => route.fulfill({ path: join(process.env.LUDENS_ASSETS, new URL(route.request().url()).pathname.slice("/assets/".length)) }));
  const troubles = [];
  // Whatever a page complains about is a defect: scripts that fail, and what the security policy had to stop.
  page.on("pageerror", (error) => troubles.push(`script: ${error.message}`));
  page.on("console", (message) => { if (/Content Security Policy|Refused to/.test(message.text())) troubles.push(message.text()); });
  const picture = (label) => page.screenshot({ path: join(screenshots, `${label}.png`), fullPage: true, animations: "disabled" });
  const start = Date.now();
  let timer;
  try {
    const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`not done after ${EACH / 1000} s`)), EACH); });
    await Promise.race([test({ page, context, world, picture, address: world.address }), late]);
    if (troubles.length > 0) throw new Error(troubles.join("\n"));
    passed += 1;
    console.log(`ok      ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    await picture(`failed-${name.replace(/\W+/g, "-")}`).catch(() => {});
    console.log(`FAILED  ${name}\n${[error.stack, ...troubles].join("\n").replace(/^/gm, "        ")}`);
  } finally {
    clearTimeout(timer);
    await context.close().catch(() => {});
  }
}
