/** Three ways to call the operations: in the process of a command, over the socket, and over HTTP like the page. */
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { placeVariables } from "@plugboard/config";
import { PAGE_KEY_HEADER, PAGE_SESSION_PATH, systemClock } from "@plugboard/contracts";
import type { Operations } from "@plugboard/contracts";
import { startDaemon } from "@plugboard/daemon";
import { VERSION } from "@plugboard/host";
import { createBareHost } from "@plugboard/host/core";
import type { Host } from "@plugboard/host/core";
import { LocalOperations } from "@plugboard/host/operations";
import { connectRemote } from "@plugboard/remote";
import type { FetchLike } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { socketPath, stateFolder } from "@plugboard/store";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { onTestFinished } from "vitest";
import { testEnv } from "../../../daemon/test/helpers/running-host.ts";

/** A home with a config, a project, and a client that has a server of its own. */
export interface Home {
  readonly env: { readonly [name: string]: string };
  readonly project: string;
}

export type OpenOperations = (home: Home) => Promise<Operations>;

/** The script that connected clients start, according to their entries. */
const SCRIPT = "/opt/plugboard/bin/plugboard.js";

export async function makeHome(variables: { readonly [name: string]: string } = {}): Promise<Home> {
  const { env: folders, remove } = await testEnv();
  onTestFinished(remove);
  const env = { ...folders, ...variables };
  const project = join(env.HOME, "project");
  await mkdir(join(project, ".git"), { recursive: true });
  await mkdir(join(env.HOME, ".cursor"));
  const state = stateFolder(env);
  await mkdir(state, { recursive: true, mode: 0o700 });
  const config = { mcp: { servers: { s: scriptedLegacy() }, profiles: { small: { servers: ["s"] } } } };
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify(config));
  const cursor = { mcpServers: { theirs: { command: "their-server", env: { API_KEY: "sk-1234567890abcdef" } } } };
  await writeFile(join(env.HOME, ".cursor", "mcp.json"), JSON.stringify(cursor));
  await writeFile(join(project, ".mcp.json"), JSON.stringify({ mcpServers: { shared: { command: "shared-server" } } }));
  await writeFile(join(state, "decisions.json"), JSON.stringify({ version: 1, entries: [DECISION] }));
  return { env, project };
}

/** The user has allowed a tool of `s` for every client. */
const DECISION = {
  ...{ id: "d1", at: 0, grantee: "everyone", server: "s", definition: "hash", tool: "echo", pin: "pin" },
  approved: { name: "echo", inputSchema: { type: "object" } },
};

const inProcess: OpenOperations = async ({ env, project }) => {
  let host: Promise<Host> | undefined;
  const openHost = () => (host ??= createBareHost({ env }));
  onTestFinished(async () => (await host)?.close());
  const operations = new LocalOperations({ openHost, clock: systemClock, newId: randomUUID, script: SCRIPT });
  return operations.for({}, { cwd: project, env, configFiles: [] });
};

const overSocket: OpenOperations = async ({ env, project }) => {
  const daemon = await startDaemon({ env, script: SCRIPT });
  onTestFinished(() => daemon.stop());
  const fetch = nodeHttpFetch({ socketPath: socketPath(env) });
  const operationsIn = { cwd: project, env: placeVariables(env) };
  const host = await connectRemote({ fetch, version: VERSION, kind: "cli", operationsIn });
  onTestFinished(() => host.close());
  return host.operations;
};

const overHttp: OpenOperations = async ({ env, project }) => {
  const daemon = await startDaemon({ port: 0, env, script: SCRIPT, spec: { cwd: project } });
  onTestFinished(() => daemon.stop());
  const fetch = await signedInFetch(daemon.endpoint!, daemon.openPage().url.split("#code=")[1]!);
  const host = await connectRemote({ fetch, version: VERSION, kind: "page" });
  onTestFinished(() => host.close());
  return host.operations;
};

/** Signs in as a browser does, and sends the cookie and the key of the page with each request. */
async function signedInFetch(origin: string, code: string): Promise<FetchLike> {
  const signedIn = await fetch(`${origin}${PAGE_SESSION_PATH}`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const [cookie = ""] = String(signedIn.headers.get("set-cookie")).split(";");
  const { key } = (await signedIn.json()) as { key: string };
  return async (path, { method, headers, body, signal }) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { ...headers, cookie, [PAGE_KEY_HEADER]: key },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    return { status: response.status, body: response.body as unknown as AsyncIterable<Uint8Array> };
  };
}

export const WAYS: readonly [string, OpenOperations][] = [
  ["in the process of a command", inProcess],
  ["over the socket", overSocket],
  ["over HTTP", overHttp],
];
