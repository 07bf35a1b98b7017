/** Tests config files that change while a host runs. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { editConfig } from "@plugboard/host";
import { createBareHost } from "@plugboard/host/core";
import type { EmbeddedHost } from "@plugboard/host";
import type { Question } from "@plugboard/contracts";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { startFixture } from "@plugboard/testkit/fixture-process";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { waitForEvent, eventsOf, makeTestHome, pidOf, toolNamesOf } from "../helpers/embedded-host.ts";
import type { TestHome } from "../helpers/embedded-host.ts";

/** Four servers with different definitions. */
const [a, b, c, d] = [
  scriptedLegacy("--pages=1"),
  scriptedLegacy("--pages=2"),
  scriptedLegacy("--pages=3"),
  scriptedLegacy(),
];

async function startHost(servers: object, options: object = {}): Promise<[EmbeddedHost, TestHome]> {
  const home = await makeTestHome();
  await home.writeConfig({ servers });
  const host = await home.host(options);
  await host.ready();
  return [host, home];
}

const waitUntilConnected = (host: EmbeddedHost, id: string) =>
  vi.waitFor(() => expect(host.status().find((server) => server.id === id)).toMatchObject({ state: "ready" }), {
    timeout: 10_000,
  });

describe("a change of the user's config file", { meta: { covers: ["R2.11", "R3.96"] } }, () => {
  it("restarts only the servers whose definition has changed", async () => {
    const [host, { writeConfig }] = await startHost({ stays: a, changes: b, goes: c });
    const [stays, changes, goes] = ["stays", "changes", "goes"].map((id) => pidOf(host, id)!);
    await writeConfig({ servers: { stays: a, changes: { ...b, env: { X: "1" } }, comes: d } });
    expect(await waitForEvent(host, "config.changed")).toMatchObject({
      added: ["comes"],
      removed: ["goes"],
      changed: ["changes"],
    });
    await Promise.all([waitUntilConnected(host, "comes"), waitUntilConnected(host, "changes")]);
    expect(pidOf(host, "stays")).toBe(stays);
    expect(pidOf(host, "changes")).not.toBe(changes);
    expect(isAlive(changes!)).toBe(false);
    await waitUntilDead(goes!, 10_000);
    expect(toolNamesOf(host, "goes")).toEqual([]);
    expect(host.status().map(({ id }) => id)).toEqual(["stays", "changes", "comes"]);
  });

  it("lets a running call end before it restarts the server, and the next call waits for the new process", async () => {
    const [host, { root, writeConfig }] = await startHost({ s: a });
    const [pid, letGo] = [pidOf(host, "s")!, join(root, "let-go")];
    const held = host.tools.call("s:hold", { when_exists: letGo });
    await host.tools.call("s:echo", { text: "the held call has arrived" });
    await writeConfig({ servers: { s: { ...a, env: { NEW: "1" } } } });
    await waitForEvent(host, "config.changed");
    const next = host.tools.call("s:env", {});
    await vi.waitFor(() => expect(host.status()).toMatchObject([{ state: "connecting" }]));
    expect(isAlive(pid)).toBe(true);
    await writeFile(letGo, "");
    expect(await held).toMatchObject({ content: [{ text: "let go" }] });
    expect(await next).toMatchObject({ content: [{ text: expect.stringContaining('"NEW"') as string }] });
    expect(isAlive(pid)).toBe(false);
  });

  it("ends a call that runs on for seconds when it restarts the server", async () => {
    const [host, { writeConfig }] = await startHost({ s: a });
    const pid = pidOf(host, "s")!;
    const held = expect(host.tools.call("s:hold", {})).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await host.tools.call("s:echo", { text: "the held call has arrived" });
    await writeConfig({ servers: { s: { ...a, env: { NEW: "1" } } } });
    await held;
    await waitUntilDead(pid, 10_000);
    await waitUntilConnected(host, "s");
  });

  it.each([
    ["a running call if the server is removed", {}],
    ["a running call if the server is disabled", { s: { ...a, enabled: false } }],
  ])("ends %s", async (_, servers) => {
    const [host, { writeConfig }] = await startHost({ s: a });
    const startedAt = performance.now();
    const held = expect(host.tools.call("s:hold", {})).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await host.tools.call("s:echo", { text: "the held call has arrived" });
    await writeConfig({ servers });
    await held;
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  it("does not delay the end of the host while a restart waits for a running call", async () => {
    const [host, { writeConfig }] = await startHost({ s: a });
    const held = expect(host.tools.call("s:hold", {})).rejects.toMatchObject({ code: expect.any(String) as string });
    await host.tools.call("s:echo", { text: "the held call has arrived" });
    await writeConfig({ servers: { s: { ...a, env: { NEW: "1" } } } });
    await waitForEvent(host, "config.changed");
    const startedAt = performance.now();
    await host.close();
    expect(performance.now() - startedAt).toBeLessThan(4000);
    await held;
  });

  it("starts a new server while a removed server is still stopping", async () => {
    const slow = `process.on("exit", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500));
      import(${JSON.stringify(a.args[0])});`;
    const [host, { writeConfig }] = await startHost({ goes: { command: process.execPath, args: ["-e", slow] } });
    const goes = pidOf(host, "goes")!;
    await writeConfig({ servers: { comes: b } });
    await waitForEvent(host, "server.changed", ({ server }) => server === "comes");
    expect(isAlive(goes)).toBe(true);
    await waitUntilConnected(host, "comes");
  });

  it("is noticed when the file is created", async () => {
    const home = await makeTestHome();
    const host = await home.host();
    await home.writeConfig({ servers: { s: a } });
    await waitForEvent(host, "config.changed");
    await waitUntilConnected(host, "s");
  });

  it("removes the servers when the file is deleted", async () => {
    const [host, { configFile }] = await startHost({ s: a });
    const pid = pidOf(host, "s")!;
    await rm(configFile);
    expect(await waitForEvent(host, "config.changed")).toMatchObject({ removed: ["s"] });
    await waitUntilDead(pid, 10_000);
    expect(host.status()).toEqual([]);
  });

  it("is noticed when an editor replaces the file", async () => {
    const [host, { configFile }] = await startHost({ s: a });
    await writeFile(`${configFile}.new`, JSON.stringify({ mcp: { servers: { s: a, t: b } } }));
    await rename(`${configFile}.new`, configFile);
    expect(await waitForEvent(host, "config.changed")).toMatchObject({ added: ["t"] });
  });

  it("can disable and enable a server", async () => {
    const [host, { writeConfig }] = await startHost({ s: a });
    await writeConfig({ servers: { s: { ...a, enabled: false } } });
    const { seq } = await waitForEvent(host, "config.changed");
    expect(host.status()).toMatchObject([{ state: "disabled", enabled: false }]);
    await writeConfig({ servers: { s: a } });
    await waitForEvent(host, "config.changed", undefined, seq);
    await waitUntilConnected(host, "s");
  });

  it("applies new names, rules and tool filters without restarting a server", async () => {
    const [host, { writeConfig }] = await startHost({ s: a }, { permissions: {} });
    const pid = pidOf(host, "s");
    await writeConfig({
      servers: { s: { ...a, tools: { include: ["echo", "env"] } } },
      naming: "{server}__{tool}",
      permissions: { deny: ["s:env"] },
    });
    await waitForEvent(host, "config.changed");
    expect(host.tools.list().flatMap(({ name, server }) => (server === "s" ? [name] : []))).toEqual(["s__echo"]);
    expect(pidOf(host, "s")).toBe(pid);
  });

  it("takes effect when the program calls reload, and unchanged servers keep running", async () => {
    const [host, { writeConfig }] = await startHost({ s: a });
    const pid = pidOf(host, "s");
    await writeConfig({ servers: { s: a, t: b } });
    await host.config.reload();
    expect(host.status().map(({ id }) => id)).toEqual(["s", "t"]);
    await host.config.reload();
    expect(pidOf(host, "s")).toBe(pid);
    expect(await eventsOf(host, "config.changed")).toHaveLength(1);
  });

  it("is noticed if it happens between reading the file and watching it", async () => {
    const home = await makeTestHome();
    await home.writeConfig({ servers: { s: { ...a, enabled: false } } });
    // The host gets the roots after it has read the config and before it watches the file.
    const roots = async () => {
      await home.writeConfig({ servers: { s: { ...a, enabled: false }, t: { ...b, enabled: false } } });
      return [];
    };
    const host = await home.host({ ports: { roots } });
    expect(host.status().map(({ id }) => id)).toEqual(["s"]);
    await waitForEvent(host, "config.changed", ({ added }) => added.includes("t"));
  });

  it("causes no tools-changed notification if only the formatting differs", async () => {
    const home = await makeTestHome();
    await home.writeConfig({ servers: { s: a } });
    const host = await createBareHost({ env: home.env });
    onTestFinished(() => host.close());
    const workspace = await host.open({ cwd: home.cwd });
    await workspace.start();
    let notifications = 0;
    workspace.tools.onChanged(() => notifications++);
    await writeFile(home.configFile, JSON.stringify({ mcp: { servers: { s: a } } }, null, 4));
    await workspace.reload();
    expect(notifications).toBe(0);
  });
});

describe("a syntax error in a project's config file", { meta: { covers: ["A1", "F38"] } }, () => {
  const hostWithBrokenFile = async (servers: object, mcpServers: object): Promise<[EmbeddedHost, TestHome]> => {
    const home = await makeTestHome();
    const file = join(home.cwd, ".mcp.json");
    await home.writeConfig({ servers });
    await writeFile(file, JSON.stringify({ mcpServers, permissions: { deny: ["s:env"] } }));
    const host = await home.host();
    await host.ready();
    for (const { id, hash } of host.config.pending()) await host.config.trust(id, hash);
    await writeFile(file, "{ broken");
    expect(await waitForEvent(host, "config.failed")).toMatchObject({
      error: { details: { file, line: 1, column: 3 } },
    });
    return [host, home];
  };

  it("leaves the file's last deny rules and trusted servers in effect, and is emitted once", async () => {
    const [host] = await hostWithBrokenFile({ s: a }, { theirs: b });
    await waitUntilConnected(host, "theirs");
    await expect(host.tools.call("s:env", {})).rejects.toMatchObject({ code: "TOOL_DENIED" });
    await host.config.reload();
    expect(await eventsOf(host, "config.failed")).toHaveLength(1);
    expect(host.config.problems()).toMatchObject([{ severity: "error", line: 1, column: 3 }]);
  });

  it("does not prevent new restrictions of the user from taking effect", async () => {
    const [host, { writeConfig }] = await hostWithBrokenFile({ s: a, t: b }, {});
    await writeConfig({ servers: { s: a, t: { ...b, enabled: false } }, permissions: { deny: ["s:echo"] } });
    await waitForEvent(host, "config.changed");
    await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "TOOL_DENIED" });
    expect(host.status()).toMatchObject([{ id: "s" }, { id: "t", state: "disabled" }]);
  });

  it("does not prevent the user from revoking trust", async () => {
    const [host] = await hostWithBrokenFile({}, { theirs: b });
    await waitUntilConnected(host, "theirs");
    const pid = pidOf(host, "theirs")!;
    await host.config.distrust("theirs");
    await waitUntilDead(pid, 10_000);
    await expect(host.tools.call("theirs:echo", { text: "hi" })).rejects.toMatchObject({ code: "SERVER_UNTRUSTED" });
  });

  it("is reported as a config problem at startup, and the user's servers run", async () => {
    const home = await makeTestHome();
    await home.writeConfig({ servers: { s: a } });
    await writeFile(join(home.cwd, ".mcp.json"), "{");
    const host = await home.host();
    expect(await host.ready()).toEqual({ ready: ["s"], errors: {} });
    expect(host.config.problems()).toMatchObject([{ severity: "error", file: join(home.cwd, ".mcp.json"), line: 1 }]);
  });
});

describe("an error in the user's config file", { meta: { covers: ["F38"] } }, () => {
  it.each([
    ["a truncated file", '{"mcp": {"servers": {"s": {"command"'],
    ["an empty file", ""],
    ["an invalid character", '{"mcp": "\ud800"'],
  ])("leaves the last valid config in effect until the file is fixed: %s", async (_, text) => {
    const [host, { configFile, writeConfig }] = await startHost({ s: a });
    const pid = pidOf(host, "s")!;
    // Renamed into place, so that the host never reads the file while it is being written.
    await writeFile(`${configFile}.new`, text);
    await rename(`${configFile}.new`, configFile);
    const { error } = await waitForEvent(host, "config.failed");
    expect(error).toMatchObject({ code: "CONFIG_INVALID", details: { file: configFile } });
    expect(host.config.problems()).toMatchObject([
      { severity: "error", file: configFile, message: expect.stringContaining("stays in effect") as string },
    ]);
    expect(pidOf(host, "s")).toBe(pid);
    expect(await host.tools.call("s:echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
    await host.config.reload();
    expect(await eventsOf(host, "config.failed")).toHaveLength(1);

    await writeConfig({ servers: { s: a, t: b } });
    expect(await waitForEvent(host, "config.changed")).toMatchObject({ added: ["t"], changed: [], removed: [] });
    expect(host.config.problems()).toEqual([]);
    expect(pidOf(host, "s")).toBe(pid);
    await waitUntilConnected(host, "t");
  });

  it("disables only the server whose entry is invalid", async () => {
    const [host, { writeConfig }] = await startHost({ s: a, t: b });
    const pid = pidOf(host, "s");
    await writeConfig({ servers: { s: a, t: { ...b, args: 7 } } });
    expect(await waitForEvent(host, "config.changed")).toMatchObject({ changed: ["t"] });
    expect(host.status()).toMatchObject([
      { id: "s", state: "ready", pid },
      { id: "t", state: "error", enabled: false },
    ]);
    expect(host.config.problems()).toMatchObject([{ severity: "error", server: "t" }]);
  });

  it("makes createHost reject if it exists at startup", async () => {
    const home = await makeTestHome();
    await writeFile(home.configFile, "{");
    await expect(home.host({ servers: { s: a } })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

it(
  "a host starts servers that another process adds to the user's config file, and stops removed servers",
  { meta: { covers: ["R3.96"] } },
  async () => {
    const [host, { configFile }] = await startHost({ s: a });
    const script = `import(${JSON.stringify(import.meta.resolve("@plugboard/host"))}).then(async ({ editConfig }) => {
    await editConfig(process.argv[1], { type: "set_server", id: "new", entry: JSON.parse(process.argv[2]) });
    console.log("written");
  });`;
    const other = startFixture({ command: process.execPath, args: ["-e", script, configFile, JSON.stringify(b)] });
    onTestFinished(() => other.close());
    await other.stdout.waitFor("written", 15_000);
    const { seq } = await waitForEvent(host, "config.changed", ({ added }) => added.includes("new"));
    await waitUntilConnected(host, "new");
    await editConfig(configFile, { type: "remove_server", id: "new" });
    await waitForEvent(host, "config.changed", ({ removed }) => removed.includes("new"), seq);
    expect(host.status().map(({ id }) => id)).toEqual(["s"]);
  },
);

describe("a host in a project with .mcp.json", () => {
  /** `answer` decides whether a server is trusted. */
  async function project(answer: (question: Question) => boolean) {
    const home = await makeTestHome();
    const file = join(home.cwd, ".mcp.json");
    const write = (servers: object) => writeFile(file, JSON.stringify({ mcpServers: servers }));
    const asked: Question[] = [];
    const ports = {
      answer: async (question: Question) => {
        asked.push(question);
        return { type: "trust", decision: answer(question) ? "yes" : "no" } as const;
      },
    };
    return { home, write, asked, ports };
  }

  it("asks for trust again after a change, and stops the trusted server", { meta: { covers: ["A1"] } }, async () => {
    const { home, write, asked, ports } = await project(() => asked.length < 2);
    await write({ p: a });
    const host = await home.host({ ports, servers: { mine: c } });
    await Promise.all([waitUntilConnected(host, "p"), waitUntilConnected(host, "mine")]);
    const pid = pidOf(host, "p")!;
    const pidOfMine = pidOf(host, "mine");
    expect(asked).toMatchObject([{ type: "trust" }]);

    await write({ p: b });
    await waitForEvent(host, "config.changed", ({ removed }) => removed.includes("p"));
    await waitUntilDead(pid, 10_000);
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect(host.status().find(({ id }) => id === "p")).toMatchObject({
      state: "disabled",
      lastError: { code: "SERVER_UNTRUSTED" },
    });
    expect(toolNamesOf(host, "p")).toEqual([]);
    expect(host.servers.detail("p")).toMatchObject({ lastError: { code: "SERVER_UNTRUSTED" }, offered: [] });
    await expect(host.servers.reconnect("p")).rejects.toMatchObject({ code: "SERVER_UNTRUSTED" });
    expect(pidOf(host, "mine")).toBe(pidOfMine);

    const [pending] = host.config.pending();
    expect(pending).toMatchObject({ id: "p", changes: [expect.anything()] });
    await host.config.trust("p", pending!.hash);
    await waitUntilConnected(host, "p");
    expect(pidOf(host, "p")).not.toBe(pid);
  });

  it("stores trust that is granted while it closes", async () => {
    const { home, write, ports } = await project(() => true);
    await write({ p: a });
    const host = await home.host({ ports });
    await waitForEvent(host, "question.settled");
    await host.close();
    expect(await readFile(join(home.stateFolder, "trust.json"), "utf8")).toContain('"p"');
    expect((await home.host()).status()).toMatchObject([{ id: "p", state: "connecting" }]);
  });

  it("asks for trust when the file is created", async () => {
    const { home, write, asked, ports } = await project(() => true);
    const host = await home.host({ ports });
    await host.ready();
    await write({ p: a });
    await waitUntilConnected(host, "p");
    expect(asked).toHaveLength(1);
  });

  it("does not ask again about a server that the user has refused when another file changes", async () => {
    const { home, write, asked, ports } = await project(() => false);
    await write({ p: a });
    const host = await home.host({ ports });
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    await home.writeConfig({ servers: { s: b } });
    await waitForEvent(host, "config.changed", ({ added }) => added.includes("s"));
    await waitUntilConnected(host, "s");
    expect(asked).toHaveLength(1);
  });

  it("uses a nearer .mcp.json instead of that of a parent folder as soon as it is created", async () => {
    const { home, write, ports } = await project(() => true);
    await write({ p: a });
    const folder = join(home.cwd, "deep");
    await mkdir(folder);
    const host = await home.host({ ports, cwd: folder });
    await waitUntilConnected(host, "p");
    await writeFile(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { q: b } }));
    await waitUntilConnected(host, "q");
    expect(host.status().map(({ id }) => id)).toEqual(["q"]);
  });
});
