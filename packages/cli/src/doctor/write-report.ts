/**
 * Writes the report of `plugboard doctor --bundle`, which the user can share: findings, versions, definitions, logs and
 * activity, without secrets.
 */
import { lstat } from "node:fs/promises";
import { arch, homedir, platform, release } from "node:os";
import { HostError } from "@plugboard/contracts";
import { loadServerLog } from "@plugboard/host/offline";
import { unwritableError, writeNewFile } from "@plugboard/store";
import type { ServerLogLine } from "@plugboard/contracts";
import type { Env, Json } from "@plugboard/contracts";
import { renderJson } from "../terminal/render-json.ts";
import type { Finding } from "./checks/finding.ts";
import type { Facts, ServerFacts } from "./facts/facts.ts";

export interface ReportOptions {
  readonly facts: Facts;
  readonly findings: readonly Finding[];
  /** Masks known secrets in all texts of the value. */
  readonly redact: (value: Json) => Promise<Json>;
  readonly env: Env;
}

/** How many of each thing the report contains. */
export interface ReportContents {
  readonly file: string;
  readonly servers: number;
  readonly findings: number;
  readonly logLines: number;
  readonly entries: number;
}

const MAX_LOG_LINES = 30;
const MAX_ENTRIES = 100;

/** Only the owner can read the file. Throws USAGE if it exists, and STORE_UNWRITABLE if it can't be written. */
export async function writeReport(file: string, options: ReportOptions): Promise<ReportContents> {
  const { facts, findings, redact, env } = options;
  const { now, version, node, stateFolder, host, port, files, problems, servers, untrusted } = facts;
  const logs = await readLogs(servers, env);
  const activity = facts.journal.slice(0, MAX_ENTRIES);
  const report = {
    createdAt: new Date(now).toISOString(),
    versions: { plugboard: version, node, platform: platform(), release: release(), arch: arch() },
    findings,
    host,
    port,
    stateFolder,
    config: { files, problems, untrusted },
    servers: servers.map(describe),
    logs,
    activity,
  };
  // `redact` takes JSON, which has no undefined values. The report becomes JSON anyway.
  const redacted = await redact(JSON.parse(JSON.stringify(report)) as Json);
  await writeNew(file, renderJson(withoutHome(redacted)));
  const logLines = Object.values(logs).reduce((sum, lines) => sum + lines.length, 0);
  return { file, servers: servers.length, findings: findings.length, logLines, entries: activity.length };
}

/** Throws USAGE if the file exists. Called before the checks run, because they take a while. */
export async function requireNewFile(file: string): Promise<void> {
  const stats = await lstat(file).catch(() => undefined);
  if (stats) throw existsError(file);
}

/** Leaves out the resolved program, because `target` and `config` show it as the file has it. */
function describe({ program: _program, digest: _digest, ...server }: ServerFacts): object {
  return server;
}

async function readLogs(
  servers: readonly ServerFacts[],
  env: Env,
): Promise<{ readonly [id: string]: readonly ServerLogLine[] }> {
  const { readServerLog } = await loadServerLog();
  const logs = servers.map(async ({ id }) => [id, (await readServerLog(env, id, MAX_LOG_LINES)) ?? []] as const);
  return Object.fromEntries(await Promise.all(logs));
}

/** Replaces the path of the home folder, which may contain the user's name. */
function withoutHome(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(homedir(), "~");
  if (Array.isArray(value)) return value.map(withoutHome);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutHome(item)]));
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeNewFile(file, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw existsError(file);
    throw unwritableError(file, error);
  }
}

function existsError(file: string): HostError {
  return new HostError("USAGE", { message: `${file} exists already. Choose another file`, omitHelp: true });
}
