/**
 * Connects real clients to a running host, and reads the entry with their own commands. The clients come from npm and
 * run in a network namespace with only loopback, in a home folder of their own.
 */
import { once } from "node:events";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import type { ClientName } from "@plugboard/contracts";
import { clientPrograms } from "@plugboard/testkit/programs/client-programs";
import { openLoopbackNamespace } from "@plugboard/testkit/programs/loopback-namespace";
import type { LoopbackNamespace } from "@plugboard/testkit/programs/loopback-namespace";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { command, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";

/** Longer than any command of a client takes on a busy machine. */
const TIMEOUT_MS = 120_000;

let namespace: LoopbackNamespace;
beforeAll(async () => void (namespace = await openLoopbackNamespace()));
afterAll(() => namespace?.close());

const installed = Object.keys(clientPrograms).filter((name) => clientPrograms[name] !== undefined);
const hasAll = process.platform === "linux" && process.arch === "x64";

it("the clients that have a package for this platform are installed", () => {
  expect(installed).toEqual(hasAll ? ["codex", "gemini", "claude-code", "opencode"] : expect.any(Array));
});

/** Starts a host with one server, and makes a home folder in which `plugboard` is on the PATH. */
async function setUpHost() {
  const { cwd: home, env } = await setUp({ mcp: { servers: { files: filesystemStdio(".") } } });
  const [cwd, bin] = [join(home, "project"), join(home, "bin")];
  for (const folder of [cwd, bin]) await mkdir(folder);
  await symlink(command, join(bin, "plugboard"));
  const path = [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const setup = { cwd, env: { ...env, PATH: path, TERM: "dumb" } };
  const host = namespace.start([process.execPath, command, "serve", "--port", "0", "--quiet"], {
    ...setup,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(host, "close");
  onTestFinished(async () => {
    host.kill();
    await exited;
  });
  // The first line is the address. Later output is not read.
  await once(host.stdout!, "data");
  host.stdout!.resume();
  return { ...setup, home };
}

type HostSetup = Awaited<ReturnType<typeof setUpHost>>;

async function runClient(client: string, args: readonly string[], { cwd, env }: HostSetup): Promise<string> {
  const child = namespace.start([...clientPrograms[client]!, ...args], {
    cwd,
    env: { ...env, ...CLIENT_ENV },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  return stripVTControlCharacters(`${stdout}\n${stderr}`);
}

/** Keeps the clients from looking for updates and sending reports, which would only take time here. */
const CLIENT_ENV = {
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
};

/** A client, with the command that shows its entry for Plugboard. */
interface RealClient {
  readonly list: readonly string[];
  /** What the command prints for an entry that it can connect to. Codex only reads the entry. */
  readonly connected: RegExp;
  readonly connectedByUrl: RegExp;
  /** Makes the settings without which the client uses no server. */
  readonly prepare?: (setup: HostSetup) => Promise<void>;
}

const CLIENTS: { readonly [client: string]: RealClient } = {
  codex: {
    list: ["mcp", "list", "--json"],
    connected: /"name": "plugboard",\s+"enabled": true,[^]*"command": "plugboard",\s+"args": \[\s+"stdio"\s+\]/,
    connectedByUrl:
      /"name": "plugboard",\s+"enabled": true,[^]*"type": "streamable_http",\s+"url": "http:\/\/127\.0\.0\.1:\d+\/mcp"/,
  },
  gemini: {
    list: ["mcp", "list"],
    connected: /✓ plugboard: plugboard stdio \(stdio\) - Connected/,
    connectedByUrl: /✓ plugboard: http:\/\/127\.0\.0\.1:\d+\/mcp \(http\) - Connected/,
    // Gemini CLI uses servers only in folders that the user trusts.
    prepare: async ({ home, cwd }) => {
      await mkdir(join(home, ".gemini"), { recursive: true });
      await writeFile(join(home, ".gemini/trustedFolders.json"), JSON.stringify({ [cwd]: "TRUST_FOLDER" }));
    },
  },
  "claude-code": {
    list: ["mcp", "get", "plugboard"],
    connected: /Scope: User config[^]*Status: ✔ Connected\s+Type: stdio\s+Command: plugboard\s+Args: stdio/,
    connectedByUrl: /Scope: User config[^]*Status: ✔ Connected\s+Type: http\s+URL: http:\/\/127\.0\.0\.1:\d+\/mcp/,
  },
  opencode: {
    list: ["mcp", "list"],
    connected: /✓ plugboard\s+connected\s+│?\s+plugboard stdio/,
    connectedByUrl: /✓ plugboard\s+connected\s+│?\s+http:\/\/127\.0\.0\.1:\d+\/mcp/,
  },
};

describe.each(installed)("%s from npm", (client) => {
  const { list, connected, connectedByUrl, prepare } = CLIENTS[client]!;

  it(
    "reads the entries that connect writes, reaches the running host, and forgets it after disconnect",
    async () => {
      const setup = await setUpHost();
      await prepare?.(setup);
      const connect = async (...args: string[]) => {
        const { status, stdout, stderr } = await runPipedProcess(setup, "connect", client, "--yes", "--json", ...args);
        // The programs of the clients are not on the PATH of this user.
        expect(stderr).toMatch(/^(?:note: .* was not found on this machine\..*\n)?$/);
        expect(status).toBe(0);
        return JSON.parse(stdout) as { readonly file: string; readonly client: ClientName };
      };
      const { file } = await connect();
      expect(await runClient(client, list, setup)).toMatch(connected);
      await connect("--http");
      expect(await runClient(client, list, setup)).toMatch(connectedByUrl);
      const { status } = await runPipedProcess(setup, "disconnect", client, "--yes");
      expect(status).toBe(0);
      const rest = await readFile(file, "utf8").catch(() => "");
      expect(rest).not.toContain("plugboard_");
      const printed = await runClient(client, list, setup);
      expect(printed).not.toMatch(connected);
      expect(printed).not.toMatch(connectedByUrl);
    },
    6 * TIMEOUT_MS,
  );
});
