/** A small legacy server that writes every message to a journal file, which survives its crashes. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface JournalingServer {
  readonly command: string;
  readonly args: readonly string[];
  /** The starts and messages of all its processes in order, as lines: `start <pid>`, a method or `tools/call <name>`. */
  journal(): string[];
  /** Makes the server exit immediately after its start. */
  break(): void;
  repair(): void;
}

interface Options {
  readonly capabilities?: object;
  /** The body of a function (id, method, params) that returns true if it has sent a response. */
  readonly handle?: string;
}

const script = ({ capabilities = { tools: {} }, handle = "" }: Options) => `
  const { appendFileSync, existsSync } = require("node:fs");
  const [journal, broken] = process.argv.slice(1);
  const record = (text) => appendFileSync(journal, text + "\\n");
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  record("start " + process.pid);
  if (existsSync(broken)) { process.stderr.write("broken"); process.exit(4); }
  const tools = ["echo", "crash"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const handshake = { protocolVersion: "2025-06-18", capabilities: ${JSON.stringify(capabilities)}, serverInfo: { name: "small", version: "1" } };
  const handle = (id, method, params = {}) => {${handle}};
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    record(method + (params?.name ? " " + params.name : ""));
    if (method === "tools/call" && params.name === "crash") process.exit(3);
    if (handle(id, method, params)) return;
    if (method === "server/discover") return say({ id, error: { code: -32601, message: "no" } });
    if (method === "initialize") return say({ id, result: handshake });
    if (method === "tools/list") return say({ id, result: { tools } });
    if (method === "tools/call") return say({ id, result: { content: [{ type: "text", text: String(process.pid) }] } });
    if (id !== undefined) say({ id, result: {} });
  }).on("close", () => process.exit());`;

export function journalingServer(options: Options = {}): JournalingServer {
  const folder = mkdtempSync(join(tmpdir(), "plugboard-small-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [journal, broken] = [join(folder, "journal"), join(folder, "broken")];
  appendFileSync(journal, "");
  return {
    command: process.execPath,
    args: ["-e", script(options), journal, broken],
    journal: () => readFileSync(journal, "utf8").split("\n").filter(Boolean),
    break: () => writeFileSync(broken, ""),
    repair: () => existsSync(broken) && rmSync(broken),
  };
}
