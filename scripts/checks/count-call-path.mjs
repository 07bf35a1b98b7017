// @ts-check
/**
 * Counts the functions, files and folders that run for one call, for each way to make a call.
 * `node scripts/checks/count-call-path.mjs` prints a table, and with `--files` also the files. With `--json` it prints
 * only how many functions of each file run.
 *
 * A file is on the way if one of its functions runs between the call and its result. Loading a module does not count.
 * The measurement uses the modules before bundling, so that V8 reports coverage by source file.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { register } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { isProgram, root } from "../run.mjs";

/**
 * @typedef {{ readonly [file: string]: number }} Passed how many functions of each file run; a file is a path such as
 *   `host/src/calls/run-call.ts`
 * @typedef {{ call: () => Promise<unknown>, close: () => Promise<unknown> }} PreparedCall
 * @typedef {{ [name: string]: string | undefined }} Env
 * @typedef {{ readonly env: Env, readonly cwd: string }} Home
 */

/** @type {{ readonly [way: string]: (home: Home) => Promise<PreparedCall> }} */
const WAYS = {
  "cold `plugboard call`": coldCall,
  "`plugboard call` through a running host": callOfRunningHost,
  "call of a program with a host": libraryCall,
  "gateway call": gatewayCall,
  "chat turn with one call": chatTurn,
};

const TOOL = "read_graph";

/** The modules that watch files are not counted, because it is chance whether a file changes during a call. */
const WATCHER = /\/host\/dist\/store\/(?:watch-files|folder-watcher)\.js$/;

/** Records messages if `npm run check:wire` runs the test of this script. Not counted. */
const RECORDER = /\/testkit\/dist\//;

/** Longer than the time for which a host delays a write in order to join it with later writes. */
const QUIET_MS = 600;
/** The waiting has a limit, because a busy machine may never be quiet. */
const MAX_WAITS = 8;

/** @returns {Promise<{ readonly [way: string]: Passed }>} */
export async function countCallPaths() {
  register(new URL("unbundled-packages.mjs", import.meta.url), { data: { packages: join(root, "packages") } });
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  /** @type {{ [way: string]: Passed }} */
  const counted = {};
  for (const [way, prepare] of Object.entries(WAYS))
    counted[way] = await inNewHome((home) => measure(session, prepare(home)));
  session.disconnect();
  return counted;
}

/**
 * @param {(home: Home) => Promise<Passed>} run
 * @returns {Promise<Passed>}
 */
async function inNewHome(run) {
  const cwd = mkdtempSync(join(tmpdir(), "call-path-"));
  const config = join(cwd, "config.json");
  const memory = {
    command: process.execPath,
    args: [join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js")],
    env: { MEMORY_FILE_PATH: join(cwd, "memory.json") },
    start: "lazy",
  };
  writeFileSync(config, JSON.stringify({ mcp: { servers: { memory }, permissions: { allow: ["memory:*"] } } }));
  const env = {
    PATH: process.env["PATH"],
    HOME: cwd,
    XDG_STATE_HOME: join(cwd, "state"),
    PLUGBOARD_CONFIG_PATH: config,
  };
  try {
    return await run({ env, cwd });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/**
 * @param {Session} session
 * @param {Promise<PreparedCall>} prepared
 * @returns {Promise<Passed>}
 */
async function measure(session, prepared) {
  const { call, close } = await prepared;
  // Work of the preparation in the background, such as storing a catalog, is not a part of the call.
  for (let waits = 0; waits < MAX_WAITS && Object.keys(await passedSince(session)).length > 0; waits++)
    await delay(QUIET_MS);
  await call();
  const passed = await passedSince(session);
  await close();
  return passed;
}

/**
 * Returns how many functions of each file have run since the last call of `passedSince`.
 * @param {Session} session
 * @returns {Promise<Passed>}
 */
async function passedSince(session) {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files = result.flatMap(({ url, functions }) => {
    const path = /\/packages\/(.+)\/dist\/(.+)\.js$/.exec(url);
    if (!path || WATCHER.test(url) || RECORDER.test(url)) return [];
    // The function that starts at 0 is the module itself.
    const ran = functions.filter(({ ranges: [whole] }) => whole && whole.count > 0 && whole.startOffset > 0).length;
    return ran > 0 ? [/** @type {const} */ ([`${path[1]}/src/${path[2]}.ts`, ran])] : [];
  });
  return Object.fromEntries(files.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * The command in a process without a running host. The tools of the server are known from an earlier call.
 * @param {Home} home
 * @returns {Promise<PreparedCall>}
 */
async function coldCall(home) {
  const call = await command(home);
  await call();
  return { call, close: async () => {} };
}

/**
 * @param {Home} home
 * @returns {Promise<PreparedCall>}
 */
async function callOfRunningHost(home) {
  const { startDaemon } = await import("@plugboard/daemon");
  const daemon = await startDaemon({ env: home.env });
  const call = await command(home);
  await call();
  return { call, close: () => daemon.stop() };
}

/**
 * @param {Home} home
 * @returns {Promise<() => Promise<void>>}
 */
async function command({ env, cwd }) {
  const { run } = await import(pathToFileURL(join(root, "packages/cli/dist/run.js")).href);
  return async () => {
    const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const openUrl = () => Promise.resolve({ opened: true });
    const status = await run(["call", `memory:${TOOL}`], { cwd, env, stdin, stdout, stderr, openUrl, exit: () => {} });
    if (status !== 0) throw new Error(`plugboard call: exit status ${status}: ${stderr.read()}`);
  };
}

/**
 * @param {Home} home
 * @returns {Promise<PreparedCall>}
 */
async function libraryCall({ env }) {
  const { createHost } = await import("@plugboard/host");
  const host = await createHost({ env, config: ["user"] });
  await host.ready();
  const call = async () => expectResult(await host.tools.call(`memory:${TOOL}`));
  await call();
  return { call, close: () => host.close() };
}

/**
 * @param {Home} home
 * @returns {Promise<PreparedCall>}
 */
async function gatewayCall({ env, cwd }) {
  const { startDaemon } = await import("@plugboard/daemon");
  const { ownerToken } = await import("@plugboard/host/tokens");
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const daemon = await startDaemon({ port: 0, env, spec: { cwd } });
  await daemon.workspace.start();
  const requestInit = { headers: { authorization: `Bearer ${await ownerToken(env)}` } };
  const client = new Client({ name: "call-path", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.endpoint}/mcp`), { requestInit }));
  const { tools } = await client.listTools();
  const name = tools.find((tool) => tool.name.endsWith(TOOL))?.name ?? "";
  const call = async () => expectResult(await client.callTool({ name, arguments: {} }));
  await call();
  const close = async () => {
    await client.close();
    await daemon.stop();
  };
  return { call, close };
}

/**
 * A message, the model's request for the tool, its call, and the model's answer.
 * @param {Home} home
 * @returns {Promise<PreparedCall>}
 */
async function chatTurn({ env, cwd }) {
  const { startDaemon } = await import("@plugboard/daemon");
  const { startModelServer } = await import("@plugboard/testkit/model-server");
  const asks = { parts: [{ call: `mcp__memory__${TOOL}`, args: {} }] };
  const ends = { parts: [{ text: "Done." }] };
  const model = await startModelServer(asks, ends, asks, ends);
  const daemon = await startDaemon({ env });
  const api = daemon.connect("cli", { attended: true });
  const variables = { ...env, ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: model.url };
  const { chat, seq } = await api.chats.create({
    cwd,
    env: variables,
    model: "anthropic/scripted",
    nativeTools: false,
  });
  const events = api.events(seq)[Symbol.asyncIterator]();
  const call = async () => {
    const before = model.requests.length;
    await api.chats.send(chat.id, { text: "Read the graph." });
    for (;;) {
      const { value } = await events.next();
      if (value.type !== "chat.event") continue;
      if (value.event.type !== "turn.finished") continue;
      if (model.requests.length === before + 2) return;
      throw new Error(`the turn has ended: ${JSON.stringify(value.event)}`);
    }
  };
  await call();
  const close = async () => {
    await daemon.stop();
    await model.close();
  };
  return { call, close };
}

/** @param {object} result */
function expectResult(result) {
  if ("isError" in result && result.isError === true) throw new Error(`the tool failed: ${JSON.stringify(result)}`);
}

/** @param {Passed} passed */
export function totalsOf(passed) {
  const files = Object.keys(passed);
  return {
    functions: Object.values(passed).reduce((sum, count) => sum + count, 0),
    files: files.length,
    folders: new Set(files.map((file) => file.slice(0, file.lastIndexOf("/")))).size,
  };
}

if (isProgram(import.meta.url)) {
  const counted = await countCallPaths();
  if (process.argv.includes("--json")) console.log(JSON.stringify(counted));
  else {
    console.table(Object.fromEntries(Object.entries(counted).map(([way, passed]) => [way, totalsOf(passed)])));
    if (process.argv.includes("--files")) console.log(counted);
  }
  process.exit();
}
