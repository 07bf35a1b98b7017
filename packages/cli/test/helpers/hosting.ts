/** Starts and stops hosts through the command, as processes of their own. */
import { stopRunningHost } from "#workspace/stop-running-host.js";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { onTestFinished } from "vitest";
import { runPiped, startCommand } from "./run-plugboard.ts";
import type { Setup } from "./run-plugboard.ts";

/** A config with one server, `tested`. */
export const oneServer = () => ({ mcp: { servers: { tested: scriptedLegacy() } } });

/** Runs `plugboard serve` until the test finishes. Resolves when the server `tested` is ready. */
export async function serve(setup: Setup, ...args: string[]) {
  const server = startCommand(setup, "serve", "--port", "0", ...args);
  await server.stdout.waitFor(": ready", 20_000);
  return { ...server, endpoint: endpointIn(server.stdout.text) };
}

/** Returns the address that `serve` has printed. */
export function endpointIn(text: string): string {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(text)![0];
}

/** Starts a background host through `plugboard stdio`, whose client stays connected until the test finishes. */
export async function startStdioClient(setup: Setup) {
  stopAfterTest(setup);
  const client = startCommand(setup, "stdio");
  client.child.stdin.write(initialize);
  await client.stdout.waitFor('"serverInfo"', 20_000);
  return client;
}

/**
 * Stops a background host when the test finishes. Does not use `runPiped`, which would change HOME for the next test.
 */
export function stopAfterTest({ env }: Setup): void {
  onTestFinished(async () => void (await stopRunningHost(env, { force: true })));
}

/** Returns what `plugboard status --host --json` prints. */
export async function hostInfo(setup: Setup): Promise<{ running: boolean; pid: number; endpoint?: string }> {
  const { stdout } = await runPiped(setup, "status", "--host", "--json");
  return JSON.parse(stdout) as { running: boolean; pid: number };
}

/** Returns the process id of the first server. */
export async function serverPid(setup: Setup): Promise<number | undefined> {
  const { stdout } = await runPiped(setup, "status", "--json");
  return (JSON.parse(stdout) as { pid?: number }[])[0]?.pid;
}

export function message(id: number, method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}

const INITIALIZE_PARAMS = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "x", version: "1" },
};

/** The first message of a legacy client. */
export const initialize = message(1, "initialize", INITIALIZE_PARAMS);

/** Opens a legacy HTTP session and returns the answer. */
export async function initializeOverHttp(setup: Setup, endpoint: string): Promise<unknown> {
  const token = (await runPiped(setup, "token")).stdout.trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${endpoint}/mcp`, { method: "POST", headers, body: initialize });
  return response.json();
}

export function isReachable(endpoint: string): Promise<boolean> {
  return fetch(`${endpoint}/healthz`).then(
    () => true,
    () => false,
  );
}
