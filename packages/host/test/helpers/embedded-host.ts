/** Creates an embedded host with a temporary home, so that a test reads and writes only its own files. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@plugboard/host";
import type { CreateHostOptions, EmbeddedHost } from "@plugboard/host";
import type { HostEvent } from "@plugboard/contracts";
import { onTestFinished } from "vitest";

export interface TestHome {
  /** The temporary folder that contains all others. */
  readonly root: string;
  /** The folder of the project. */
  readonly cwd: string;
  readonly configFile: string;
  readonly stateFolder: string;
  readonly env: { readonly [name: string]: string };
  writeConfig(mcp: object): Promise<void>;
  host(options?: CreateHostOptions): Promise<EmbeddedHost>;
}

export async function makeTestHome(): Promise<TestHome> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "plugboard-home-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const cwd = join(root, "project");
  const configFile = join(root, "config", "plugboard", "config.json");
  await Promise.all([mkdir(cwd), mkdir(join(root, "config", "plugboard"), { recursive: true })]);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: root,
    XDG_STATE_HOME: join(root, "state"),
    XDG_CONFIG_HOME: join(root, "config"),
  };
  return {
    root,
    cwd,
    configFile,
    env,
    stateFolder: join(root, "state", "plugboard"),
    writeConfig: (mcp) => writeFile(configFile, JSON.stringify({ mcp })),
    async host(options = {}) {
      const managedConfigPath = join(root, "does-not-exist.json");
      const config = ["managed", "user", "project", "local"] as const;
      const host = await createHost({ cwd, env, config, managedConfigPath, permissions: { allow: ["*"] }, ...options });
      onTestFinished(() => host.close());
      return host;
    },
  };
}

export async function embeddedHost(options?: CreateHostOptions): Promise<EmbeddedHost> {
  return (await makeTestHome()).host(options);
}

type EventOf<Type extends HostEvent["type"]> = Extract<HostEvent, { type: Type }>;

/** Waits for the first matching event with a sequence number above `after`. */
export async function waitForEvent<Type extends HostEvent["type"]>(
  host: Pick<EmbeddedHost, "events">,
  type: Type,
  matches: (event: EventOf<Type>) => boolean = () => true,
  after = 0,
): Promise<EventOf<Type>> {
  for await (const event of host.events(after))
    if (event.type === type && matches(event as EventOf<Type>)) return event as EventOf<Type>;
  throw new Error(`the events ended without ${type}`);
}

/** Returns the events of a type that were emitted so far. */
export async function eventsOf<Type extends HostEvent["type"]>(
  host: Pick<EmbeddedHost, "events">,
  type: Type,
): Promise<EventOf<Type>[]> {
  const seen: EventOf<Type>[] = [];
  const stop = new AbortController();
  // Earlier events arrive within this turn of the event loop. When it ends, there are no more.
  const endOfTurn = new Promise<undefined>((resolve) => void setImmediate(() => resolve(undefined)));
  const events = host.events(0, stop.signal)[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([events.next(), endOfTurn]);
    if (!next || next.done) break;
    if (next.value.type === type) seen.push(next.value as EventOf<Type>);
  }
  stop.abort();
  return seen;
}

export function pidOf(host: EmbeddedHost, id: string): number | undefined {
  return host.status().find((server) => server.id === id)?.pid;
}

export function toolNamesOf(host: EmbeddedHost, id: string): string[] {
  return host.tools.list().flatMap(({ server, tool }) => (server === id ? [tool] : []));
}
