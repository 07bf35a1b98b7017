// @ts-check
/**
 * The client that the conformance suite judges in the scenarios about logging in: `node client.mjs <url>`, with the
 * scenario's name in the environment. A whole host, as a program would have it, whose user logs in wherever a server
 * wants that, in a browser that needs no hands.
 *
 * Its last line on stdout is its exit status, which the suite itself does not always look at.
 */
import { writeSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@plugboard/host";
import { SCENARIOS } from "./scenarios.mjs";

/** Less than the suite allows: a client that hangs ends by itself and says so. */
const DEADLINE_MS = 25_000;

process.on("exit", (code) => writeSync(1, `exit ${code}\n`));
setTimeout(() => {
  writeSync(2, `not done after ${DEADLINE_MS} ms\n`);
  process.exit(1);
}, DEADLINE_MS).unref();

const [, , url] = process.argv;
const { MCP_CONFORMANCE_SCENARIO: name = "", MCP_CONFORMANCE_CONTEXT = "{}" } = process.env;
const scenario = SCENARIOS[name];
if (url === undefined) throw new Error("usage: client.mjs <url>");
if (!scenario) throw new Error(`it is not known what to do in the scenario "${name}"`);

const folder = await mkdtemp(join(tmpdir(), "plugboard-conformance-"));
const context = JSON.parse(MCP_CONFORMANCE_CONTEXT);
const env = { ...process.env, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder };
for (const [file, text] of Object.entries(scenario.files?.(context) ?? {})) await writeFile(join(folder, file), text);

const host = await createHost({
  cwd: folder,
  env,
  servers: { it: { url, ...scenario.entry?.(context) } },
  permissions: { allow: ["it:*"] },
  ports: {
    answer: async (question) =>
      question.type === "login" && !question.step ? { type: "login", action: "begin" } : undefined,
    openUrl: browse,
  },
});
void (async () => {
  for await (const event of host.events()) writeSync(2, `${JSON.stringify(event)}\n`);
})();
try {
  await host.ready();
  await scenario.run(host);
} finally {
  await host.close();
  await rm(folder, { recursive: true, force: true });
}

/**
 * Goes where it is sent, as far as the page that belongs to the host.
 * @param {string} page
 */
async function browse(page) {
  const response = await fetch(page, { redirect: "manual" });
  const location = response.headers.get("location");
  writeSync(2, `${response.status} ${page} -> ${location}\n`);
  await response.arrayBuffer();
  if (location !== null) await browse(new URL(location, page).href);
}
