// @ts-check
/**
 * The client that the conformance suite tests: an embedded host whose user agrees to everything, fills in forms with
 * the defaults, and logs in with a scripted browser.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@plugboard/host";
import { BEHAVIOURS } from "./behaviours.mjs";
import { LOGINS } from "./logins.mjs";

/** @import { Answer, Question } from "@plugboard/contracts" */
/** @import { EmbeddedHost, ServerEntry } from "@plugboard/host" */

/**
 * The actions of the client in a scenario. The suite passes `context`. The id of the server is "it".
 * @typedef {object} Scenario
 * @property {(context: any) => Partial<ServerEntry>} [entry] the config of the server, except its URL
 * @property {(context: any) => { [file: string]: string }} [files] the files that the entry refers to
 * @property {(host: EmbeddedHost) => Promise<unknown>} [beforeAnswer] called before a server's question is answered
 * @property {(host: EmbeddedHost, context: any) => Promise<unknown> | void} run
 * called when every server is ready or has failed
 */

/** Shorter than the timeout of the suite, so that a client that hangs is reported here. */
const DEADLINE_MS = 25_000;

/** @type {{ readonly [scenario: string]: Scenario | undefined }} */
const SCENARIOS = { ...BEHAVIOURS, ...LOGINS };

/** @type {import("./suite.mjs").Client} */
export async function runClient({ url, scenario: name, revision, context, log }) {
  const scenario = SCENARIOS[name];
  if (!scenario) throw new Error(`there is no behaviour for the scenario "${name}"`);
  const folder = await mkdtemp(join(tmpdir(), "plugboard-conformance-"));
  for (const [file, text] of Object.entries(scenario.files?.(context) ?? {})) await writeFile(join(folder, file), text);
  const onFrame = (/** @type {any} */ frame) => log(`${frame.direction} ${JSON.stringify(frame.message)}`);
  subscribe("plugboard.wire", onFrame);
  const host = await createHost({
    cwd: folder,
    env: { ...process.env, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder },
    servers: { it: { url, sampling: true, ...scenario.entry?.(context) } },
    permissions: { allow: ["it:*"] },
    ports: {
      answer: async (question) => {
        if (question.type === "elicitation") await scenario.beforeAnswer?.(host);
        return answerFor(question);
      },
      model: async () => ({ role: "assistant", model: "none", content: { type: "text", text: "4" } }),
      roots: () => [{ uri: "file:///tmp" }],
      openUrl: (page) => browse(page, log),
    },
  });
  void logEvents(host, log);
  try {
    await withinDeadline(
      (async () => {
        await host.ready();
        await scenario.run(host, context);
        expectEra(host, revision);
      })(),
    );
  } finally {
    await host.close();
    unsubscribe("plugboard.wire", onFrame);
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {Question} question
 * @returns {Answer | undefined}
 */
function answerFor(question) {
  if (question.type === "login") return question.step ? undefined : { type: "login", action: "begin" };
  if (question.type === "sampling") return { type: "sampling", decision: "yes" };
  if (question.type !== "elicitation") return undefined;
  const { elicitation } = question;
  if (elicitation.mode === "url") return { type: "elicitation", action: "accept" };
  const filled = elicitation.fields.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  return { type: "elicitation", action: "accept", content: Object.fromEntries(filled) };
}

/**
 * Checks that the host has detected the era of the server: legacy up to 2025-11-25, modern from 2026-07-28 on.
 * @param {EmbeddedHost} host
 * @param {string} revision
 */
function expectEra(host, revision) {
  const [status] = host.status();
  if (status?.state !== "ready") return;
  const expected = revision >= "2026-07-28" ? "modern" : "legacy";
  if (status.era !== expected)
    throw new Error(`the host detected the ${status.era} era, but the suite runs revision ${revision}`);
}

/**
 * Follows redirects until the callback page of the host.
 * @param {string} page
 * @param {(line: string) => void} log
 */
async function browse(page, log) {
  const response = await fetch(page, { redirect: "manual" });
  const location = response.headers.get("location");
  log(`${response.status} ${page} -> ${location}`);
  await response.arrayBuffer();
  if (location !== null) await browse(new URL(location, page).href, log);
}

/**
 * @param {EmbeddedHost} host
 * @param {(line: string) => void} log
 */
async function logEvents(host, log) {
  for await (const event of host.events()) log(JSON.stringify(event));
}

/**
 * Rejects if the work takes longer than the deadline.
 * @param {Promise<void>} work
 */
async function withinDeadline(work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the client did not finish within ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
