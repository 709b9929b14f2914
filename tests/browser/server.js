// Starting and ending the program under test. Port 0 lets the system choose a free one.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts `ludens serve` and waits for the line with its address. */
export async function startServer(program, data) {
  const child = spawn(program, ["serve", "--port", "0", "--data", data, "--log", "warn", "--rate", "1000"], { stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  child.stderr.on("data", (text) => said.push(String(text)));
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
  const address = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = line.match(/http:\/\/\S+?(?=\/?$)/);
      if (found) resolve(found[0].replace(/\/$/, ""));
    });
    ended.then((code) => reject(new Error(`the server ended with ${code}: ${said.join("")}`)));
    setTimeout(() => reject(new Error(`the server did not start: ${said.join("")}`)), 20_000).unref();
  });
  return {
    address,
    /** Asks it to end, and insists after a while. */
    async stop() {
      child.kill("SIGINT");
      const insist = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(insist);
    },
    kill: () => child.kill("SIGKILL"),
  };
}
