/** Tests that commands which run operations print the same with a running host as without one. */
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../helpers/hosting.ts";
import { setUpProject } from "../helpers/project.ts";
import type { Project } from "../helpers/project.ts";
import { runPiped, runPipedWithInput } from "../helpers/run-plugboard.ts";

const USER = {
  mcp: {
    servers: { tested: scriptedLegacy(), needy: { command: "x", env: { KEY: { $secret: "github" } }, enabled: false } },
    permissions: { deny: ["tested:old"] },
  },
};
const SHARED = { mcpServers: { p: { command: "x", args: ["y"] }, q: { command: "z" } } };

type Step = readonly [words: readonly string[], input?: string];

/** The steps of a group run one after another, in one project. */
const SEQUENCES: { readonly [group: string]: readonly Step[] } = {
  "permissions allow, ask, deny, list and reset": [
    [["permissions", "allow", "tested:echo", "--json"]],
    [["permissions", "ask", "tested:echo", "tesetd:x"]],
    [["permissions", "deny", "tested:ehco", "--scope", "project"]],
    [["permissions", "deny", "nothing"]],
    [["permissions", "list", "--json"]],
    [["permissions", "reset", "tested:old", "--json"]],
    [["permissions", "reset", "--all"]],
    [["permissions", "list"]],
  ],
  "secret set, list and remove": [
    [["secret", "list", "--json"]],
    [["secret", "set", "github"], "canary-0d9a7cc1\n"],
    [["secret", "list"]],
    [["secret", "remove", "github", "--json"]],
    [["secret", "remove", "github"]],
  ],
  "search and add --from-registry": [
    [["search", "example"]],
    [["search", "weather", "--json", "--limit", "1"]],
    [["search", "nothing-like-this"]],
    [["add", "w", "--from-registry", "io.github.example/weather-mcp", "--input", "WEATHER_UNITS=fahrenheit"]],
    [["add", "x", "--from-registry", "io.github.example/wether-mcp"]],
  ],
  "trust and trust --revoke": [
    [["trust"]],
    [["trust", "p", "--yes", "--json"]],
    [["trust", "p", "tested"]],
    [["trust", "other"]],
    [["trust", "p", "q", "--revoke"]],
  ],
};

/** Returns what each step prints, without the path of the setup and the times. */
async function runAll(project: Project, steps: readonly Step[]) {
  const printed = [];
  for (const [words, input] of steps) {
    const run = input === undefined ? runPiped(project, ...words) : runPipedWithInput(project, input, ...words);
    const { status, stdout, stderr } = await run;
    const text = (printedText: string) =>
      printedText
        .replaceAll(project.home, "~")
        .replace(/"setAt": \d+/g, '"setAt": 0')
        .replace(/"hash": "\w+"/g, '"hash": ""')
        // Only a process that has tried to use the keyring knows that there is none.
        .replace(" There is no keyring on this machine.", "");
    printed.push({ words, status, stdout: text(stdout), stderr: text(stderr) });
  }
  return printed;
}

describe("a command prints and exits with a running host as it does without one", () => {
  it.each(Object.entries(SEQUENCES))("%s", async (_, steps) => {
    const registry = await startRegistryServer();
    onTestFinished(() => registry.close());
    const setUpOne = async () => {
      const project = await setUpProject({ user: USER, shared: SHARED });
      return { ...project, env: { ...project.env, PLUGBOARD_REGISTRY_URL: registry.url } };
    };
    const alone = await setUpOne();
    // Stores the catalog of the server, as the running host does for the other project.
    await runPiped(alone, "tools");
    const hosted = await setUpOne();
    await serve(hosted);
    const [without, withHost] = [await runAll(alone, steps), await runAll(hosted, steps)];
    expect(withHost).toEqual(without);
    expect(JSON.stringify(withHost)).not.toContain("canary");
  });
});
