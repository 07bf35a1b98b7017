/** An embedded host for a test, with a home of its own: nothing is read or written but what the test put there. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@plugboard/host";
import type { CreateHostOptions, EmbeddedHost } from "@plugboard/host";
import type { HostEvent } from "@plugboard/contracts";
import { onTestFinished } from "vitest";

export interface TestHome {
  /** The project's folder. */
  readonly cwd: string;
  readonly configFile: string;
  readonly stateFolder: string;
  readonly env: { readonly [name: string]: string };
  writeConfig(mcp: object): Promise<void>;
  host(options?: CreateHostOptions): Promise<EmbeddedHost>;
}

export async function makeTestHome(): Promise<TestHome> {
  const root = await mkdtemp(join(tmpdir(), "plugboard-life-"));
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
    cwd,
    configFile,
    env,
    stateFolder: join(root, "state", "plugboard"),
    writeConfig: (mcp) => writeFile(configFile, JSON.stringify({ mcp })),
    async host(options = {}) {
      const managedConfigPath = join(root, "none.json");
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

/** The first fact of that kind that fits, after the given one. */
export async function waitForEvent<Type extends HostEvent["type"]>(
  host: Pick<EmbeddedHost, "events">,
  type: Type,
  matches: (one: EventOf<Type>) => boolean = () => true,
  after = 0,
): Promise<EventOf<Type>> {
  for await (const one of host.events(after))
    if (one.type === type && matches(one as EventOf<Type>)) return one as EventOf<Type>;
  throw new Error(`the events ended without ${type}`);
}

/** The facts of a kind, so far. */
export async function eventsOf<Type extends HostEvent["type"]>(
  host: Pick<EmbeddedHost, "events">,
  type: Type,
): Promise<EventOf<Type>[]> {
  const seen: EventOf<Type>[] = [];
  const stop = new AbortController();
  // What is remembered is told at once; then there is nothing for a whole turn.
  const late = new Promise<false>((resolve) => void setImmediate(() => resolve(false)));
  const events = host.events(0, stop.signal)[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([events.next(), late]);
    if (next === false || next.done) break;
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
