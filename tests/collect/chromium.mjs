// Chromium by the pipe of its DevTools protocol. Libraries for tests make every page believe that it is seen; these tests
// need pages that are hidden as they are for people.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Chromium {
  #home = mkdtempSync(join(tmpdir(), "proflens-chromium-"));
  #sent = 0;
  #waiting = new Map();
  #pages = new Map();

  constructor() {
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-quic"];
    this.process = spawn("/usr/bin/chromium", [...flags, "--remote-debugging-pipe", `--user-data-dir=${this.#home}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    let rest = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      for (const it of messages) this.#heard(JSON.parse(it));
    });
  }

  /** Opens an address in a tab: of a session of its own, or beside another one. */
  async open(url, beside) {
    const context = beside?.context ?? (await this.send("Target.createBrowserContext")).browserContextId;
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId: context });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, context);
    this.#pages.set(sessionId, page);
    await page.send("Runtime.enable");
    await page.send("Page.enable");
    await page.send("Page.navigate", { url });
    await page.loaded;
    return page;
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#sent;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, method }));
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    await this.send("Browser.close");
    await ended;
    rmSync(this.#home, { recursive: true, maxRetries: 10, retryDelay: 100 });
  }

  #heard({ id, result, error, method, params, sessionId }) {
    if (id === undefined) return this.#pages.get(sessionId)?.heard(method, params);
    const { resolve, reject, method: asked } = this.#waiting.get(id);
    this.#waiting.delete(id);
    error ? reject(new Error(`${asked}: ${error.message}`)) : resolve(result);
  }
}

/** A tab. */
class Page {
  /** What was written to the console, and what was thrown and not caught. */
  complaints = [];
  #isLoaded;
  loaded = new Promise((resolve) => (this.#isLoaded = resolve));

  constructor(browser, session, context) {
    Object.assign(this, { browser, session, context });
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value;
  }

  show() {
    return this.send("Page.bringToFront");
  }

  heard(method, params) {
    if (method === "Page.loadEventFired") this.#isLoaded();
    if (method === "Runtime.consoleAPICalled") this.complaints.push(params.args.map((it) => it.value).join(" "));
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.text);
  }
}
