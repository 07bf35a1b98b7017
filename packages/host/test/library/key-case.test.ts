/** Tests the case of JSON keys: camelCase in the library, snake_case in state files. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { makeTestProject } from "../helpers/test-project.ts";

/** Keys whose values the user, a server or a standard defines, such as definitions, schemas and arguments. */
const FOREIGN = [
  "config",
  "definition",
  "inputSchema",
  "outputSchema",
  "arguments",
  "content",
  "_meta",
  "annotations",
  "attributes",
];

/** Keys of maps. The keys inside these maps are server ids or error codes. */
const MAPS = ["errors"];

/** The same for state files, which also contain tools and capabilities as servers have sent them. */
const FOREIGN_IN_FILES = [...FOREIGN, "approved", "tools", "capabilities"];

/** Returns the paths of all keys that do not match the pattern. Skips foreign values. */
function keysNotMatching(pattern: RegExp, value: unknown, foreign: readonly string[], path = ""): string[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => keysNotMatching(pattern, item, foreign, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = `${path}.${key}`;
    const found = pattern.test(key) ? [] : [here];
    if (foreign.includes(key)) return found;
    if (MAPS.includes(key))
      return [
        ...found,
        ...Object.values(inner as object).flatMap((item) => keysNotMatching(pattern, item, foreign, here)),
      ];
    return [...found, ...keysNotMatching(pattern, inner, foreign, here)];
  });
}

const CAMEL_CASE = /^[a-z][a-zA-Z0-9]*$/;
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

async function useHost() {
  const project = await makeTestProject();
  await project.write("project/.mcp.json", { mcpServers: { waiting: { command: "x", startup_timeout_ms: 1 } } });
  const host = await project.open({
    servers: {
      s: { ...scriptedLegacy(), startup_timeout_ms: 20_000 },
      m: modernStdio(),
      broken: { command: "no-such-command" },
    },
    permissions: { allow: ["s:progress"] },
    ports: { answer: async ({ type }) => (type === "permission" ? { type, decision: "always" } : undefined) },
  });
  const report = await host.ready();
  const result = await host.tools.call("s:echo", { text: "hi" });
  await host.tools.call("s:progress", { steps: 1 });
  await host.tools.call("s:crash", {}).catch(() => {});
  await host.tools.call("s:nope", {}).catch(() => {});
  return { place: project, host, report, result };
}

describe("JSON keys", { timeout: 60_000 }, () => {
  it("of the library and of events are in camelCase", async () => {
    const { host, report, result } = await useHost();
    const events: unknown[] = [];
    const stop = new AbortController();
    const { seq } = await host.snapshot();
    for await (const event of host.events(0, stop.signal)) {
      events.push(event);
      if (event.seq >= seq) break;
    }
    const values = {
      report,
      forModel: await host.tools.forModel("s:echo", result),
      status: host.status(),
      snapshot: await host.snapshot(),
      serverDetails: host.status().map(({ id }) => host.servers.detail(id)),
      tools: host.tools.list(),
      hits: await host.tools.search("echo"),
      resources: await host.resources.list({ server: "m" }),
      skills: await host.skills.list(),
      templates: await host.resources.templates({ server: "m" }),
      prompts: await host.prompts.list({ server: "m" }),
      problems: host.config.problems(),
      pending: host.config.pending(),
      decisions: await host.permissions.decisions(),
      logins: await host.logins.list(),
      recent: await host.activity.recent(),
      metrics: host.activity.metrics(),
      events,
    };
    expect(values.decisions.length).toBeGreaterThan(0);
    expect(values.recent.length).toBeGreaterThan(0);
    expect(values.pending).toHaveLength(1);
    expect(events.length).toBeGreaterThan(5);
    expect(keysNotMatching(CAMEL_CASE, values, FOREIGN)).toEqual([]);
  });

  it("of state files are in snake_case", async () => {
    const { place, host } = await useHost();
    const [pending] = host.config.pending();
    await host.config.trust(pending!.id, pending!.hash).catch(() => {});
    await host.close();
    const folder = join(place.root, "state");
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const wrongKeys: string[] = [];
    for (const file of files.filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))) {
      const text = await readFile(join(file.parentPath, file.name), "utf8");
      const values = file.name.endsWith("l")
        ? text
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        : JSON.parse(text);
      wrongKeys.push(...keysNotMatching(SNAKE_CASE, values, FOREIGN_IN_FILES, file.name));
    }
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["trust.json", "decisions.json", "activity"]));
    expect(wrongKeys).toEqual([]);
  });
});
