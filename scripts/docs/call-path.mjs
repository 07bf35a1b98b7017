// @ts-check
/**
 * Measures which source files a cold tool call passes, for the library, the command and the gateway. `node scripts/docs/call-path.mjs`
 * prints them, with `--json` as JSON; with `--write` it updates the table in docs/architecture.md, which a test compares with the
 * measurement.
 *
 * A file is on the way if one of its functions runs between the call and its result, while the host starts the server for it.
 * The measurement uses the modules before bundling, so that V8 reports coverage by source file.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { register } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isProgram, root } from "../run.mjs";

const server = {
  command: process.execPath,
  args: [join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js")],
};

/** Watch files with timers of their own. Whether they run during a call is chance. */
const WATCHER =
  /\/host\/dist\/store\/(?:watch-files|folder-watcher)\.js$|\/daemon\/dist\/auth\/(?:token-table|named-tokens)\.js$/;

/** Records the messages for `npm run check:wire`, which also runs the test of this script. */
const RECORDER = /\/testkit\/dist\/record-frames\.js$/;

/** @returns {Promise<CallPaths>} */
export async function measureCallPaths() {
  register(new URL("unbundled-packages.mjs", import.meta.url), { data: { packages: join(root, "packages") } });
  const folder = mkdtempSync(join(tmpdir(), "call-path-"));
  const config = join(folder, "config.json");
  const definition = { ...server, env: { MEMORY_FILE_PATH: join(folder, "memory.json") }, start: "lazy" };
  writeFileSync(
    config,
    JSON.stringify({ mcp: { servers: { memory: definition }, permissions: { allow: ["memory:*"] } } }),
  );
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    PLUGBOARD_CONFIG_PATH: config,
  };
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  try {
    await storeCatalog(env);
    return {
      library: await measure(session, await libraryCall(env)),
      command: await measure(session, await commandCall(env, folder)),
      gateway: await measure(session, await gatewayCall(env, folder)),
    };
  } finally {
    session.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @typedef {{ call: () => Promise<unknown>, close: () => Promise<unknown> }} ColdCall
 * @typedef {{ [name: string]: string | undefined }} Env
 */

/**
 * @param {Session} session
 * @param {ColdCall} coldCall
 * @returns {Promise<string[]>} paths such as `host/src/calls/run-call.ts`
 */
async function measure(session, { call, close }) {
  await session.post("Profiler.takePreciseCoverage");
  await call();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await close();
  const files = result.flatMap(({ url, functions }) => {
    const path = /\/packages\/(.+)\/dist\/(.+)\.js$/.exec(url);
    // The function that starts at 0 is the module itself. Loading a module does not put it on the way.
    const ran = functions.some(({ ranges: [whole] }) => whole && whole.count > 0 && whole.startOffset > 0);
    return path && ran && !WATCHER.test(url) && !RECORDER.test(url) ? [`${path[1]}/src/${path[2]}.ts`] : [];
  });
  return files.toSorted();
}

/**
 * Starts the server once. From then on hosts list its tools from the stored catalog and start it with the first call.
 * @param {Env} env
 */
async function storeCatalog(env) {
  const { createHost } = await import("@plugboard/host");
  const host = await createHost({ env, config: ["user"] });
  await host.ready();
  await host.close();
}

/**
 * @param {Env} env
 * @returns {Promise<ColdCall>}
 */
async function libraryCall(env) {
  const { createHost } = await import("@plugboard/host");
  const host = await createHost({ env, config: ["user"] });
  await host.ready();
  // Waits for the reading that starting has begun.
  await host.config.reload();
  return { call: async () => expectResult(await host.tools.call("memory:read_graph")), close: () => host.close() };
}

/**
 * @param {Env} env
 * @param {string} cwd
 * @returns {Promise<ColdCall>}
 */
async function commandCall(env, cwd) {
  const { run } = await import(pathToFileURL(join(root, "packages/cli/dist/run.js")).href);
  const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const context = { cwd, env, stdin, stdout, stderr, openUrl: () => Promise.resolve({ opened: true }), exit: () => {} };
  const call = async () => {
    const status = await run(["call", "memory:read_graph"], context);
    if (status !== 0) throw new Error(`plugboard call: exit status ${status}: ${stderr.read()}`);
  };
  return { call, close: () => Promise.resolve() };
}

/**
 * @param {Env} env
 * @param {string} cwd
 * @returns {Promise<ColdCall>}
 */
async function gatewayCall(env, cwd) {
  const { ownerToken, startDaemon } = await import("@plugboard/daemon");
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  // Stores the catalog of this workspace with its resources. Otherwise the server starts before the call, to list them.
  const earlier = await startDaemon({ port: 0, env, spec: { cwd } });
  await earlier.workspace.start();
  await earlier.workspace.resources.list();
  await earlier.stop();
  const daemon = await startDaemon({ port: 0, env, spec: { cwd } });
  await daemon.workspace.start();
  await daemon.workspace.config.reload();
  const headers = { authorization: `Bearer ${await ownerToken(env)}` };
  const client = new Client({ name: "call-path", version: "1.0.0" });
  const watched = watchStream();
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${daemon.endpoint}/mcp`), {
      requestInit: { headers },
      fetch: watched.fetch,
    }),
  );
  await watched.opened;
  const { tools } = await client.listTools();
  const name = tools.find((tool) => tool.name.endsWith("read_graph"))?.name ?? "";
  return {
    call: async () => expectResult(await client.callTool({ name, arguments: {} })),
    close: async () => {
      await client.close();
      await daemon.stop();
    },
  };
}

/** The client opens its stream for notifications after it has connected. This is not a part of the call. */
function watchStream() {
  /** @type {() => void} */
  let onOpened = () => {};
  /** @type {Promise<void>} */
  const opened = new Promise((resolve) => (onOpened = resolve));
  /** @type {typeof fetch} */
  const watchedFetch = async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method === "GET") onOpened();
    return response;
  };
  return { fetch: watchedFetch, opened };
}

/** @param {object} result */
function expectResult(result) {
  if ("isError" in result && result.isError === true) throw new Error(`the tool failed: ${JSON.stringify(result)}`);
}

/** @typedef {{ library: string[], command: string[], gateway: string[] }} CallPaths */

const TABLE = /(?<=<!-- call path: begin -->\n).*(?=<!-- call path: end -->)/s;

/**
 * Renders one row per folder: the files of every call, then those that only the command or only the gateway passes.
 * @param {CallPaths} paths
 */
function renderTable({ library, command, gateway }) {
  const folders = [...new Set([...command, ...gateway, ...library].map(folderOf))].toSorted();
  const extra = { command: without(command, library), gateway: without(gateway, library) };
  const rows = folders.map((folder) => {
    const cells = [library, extra.command, extra.gateway].map((files) => renderFiles(files, folder));
    return `| \`${folder}\` | ${cells.join(" | ")} |`;
  });
  const counts = `| | ${library.length} files | ${extra.command.length} more | ${extra.gateway.length} more |`;
  return [
    "| folder | every call | also the command | also the gateway |",
    "|---|---|---|---|",
    counts,
    ...rows,
    "",
  ].join("\n");
}

/**
 * @param {string[]} files
 * @param {string} folder
 */
function renderFiles(files, folder) {
  const names = files.filter((file) => folderOf(file) === folder).map((file) => file.slice(folder.length + 1));
  return names.map((name) => `\`${name}\``).join(", ");
}

/** @param {string} file */
function folderOf(file) {
  return file.slice(0, file.lastIndexOf("/"));
}

/**
 * @param {string[]} files
 * @param {string[]} others
 */
function without(files, others) {
  return files.filter((file) => !others.includes(file));
}

/**
 * Measures once more in a process of its own. Work in the background, such as storing a catalog, falls into some runs only.
 * @returns {CallPaths}
 */
function remeasure() {
  const script = fileURLToPath(import.meta.url);
  return JSON.parse(execFileSync(process.execPath, [script, "--json"], { encoding: "utf8" }));
}

/**
 * @param {CallPaths[]} runs
 * @returns {CallPaths}
 */
function union(runs) {
  /** @param {"library" | "command" | "gateway"} way */
  const all = (way) => [...new Set(runs.flatMap((paths) => paths[way]))].toSorted();
  return { library: all("library"), command: all("command"), gateway: all("gateway") };
}

if (isProgram(import.meta.url)) {
  const paths = await measureCallPaths();
  if (process.argv.includes("--write")) {
    const page = join(root, "docs/architecture.md");
    const table = renderTable(union([paths, remeasure(), remeasure()]));
    writeFileSync(page, readFileSync(page, "utf8").replace(TABLE, table));
  } else if (process.argv.includes("--json")) {
    console.log(JSON.stringify(paths));
  } else {
    for (const [way, files] of Object.entries(paths)) console.log(`${way}: ${files.length} files`, files);
  }
}
