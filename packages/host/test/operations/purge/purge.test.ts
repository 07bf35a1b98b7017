/** Tests the plan of a purge, and how its steps are run. */
import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { userConfigPath } from "@plugboard/config";
import { HostError } from "@plugboard/contracts";
import { stateFolder } from "@plugboard/store";
import { planPurge } from "#operations/purge/plan-purge.js";
import type { PurgeKind, PurgeStep } from "#operations/purge/purge-step.js";
import { runSteps } from "#operations/purge/run-steps.js";
import { describe, expect, it } from "vitest";
import { operationsInHome } from "../../helpers/operations-in-home.ts";

/** A keyring that records the names of deleted secrets. */
function recordingKeyring() {
  const deleted: string[] = [];
  const keyring = {
    get: async () => undefined,
    set: async () => {},
    delete: async (name: string) => void deleted.push(name),
  };
  return { keyring, deleted };
}

describe("planPurge", () => {
  it("plans nothing and creates no folder if nothing is stored, and says which config stays", async () => {
    const { env, home } = await operationsInHome();
    const { keyring } = recordingKeyring();
    const plan = await planPurge({ cwd: home, env, configFiles: [] }, { config: false, keyring, now: () => 0 });
    expect(plan).toEqual({ clients: [], files: [], kept: [env.PLUGBOARD_CONFIG_PATH], notes: [] });
    expect(existsSync(env.XDG_STATE_HOME)).toBe(false);
  });

  it("deletes the keys of encrypted logins and secrets from the keyring, and revokes the tokens of clients", async () => {
    const { env, home, operations, write } = await operationsInHome();
    await operations.changeClient((await operations.planConnect("cursor", { http: true })).plan);
    await write("state/plugboard/secrets.json", { version: 1, backend: "keyring", key_id: "k1", sealed: "" });
    await write("state/plugboard/mcp-auth.json", { version: 1, servers: {} });
    const { keyring, deleted } = recordingKeyring();
    const plan = await planPurge({ cwd: home, env, configFiles: [] }, { config: true, keyring, now: () => 0 });
    const results = await runSteps([...plan.clients, ...plan.files]);
    expect(results.map(({ step, error }) => [step.kind, error])).toEqual(
      ["disconnect", "forget", "remove", "remove"].map((kind) => [kind, undefined]),
    );
    expect(deleted).toEqual(["mcp-auth:k1"]);
    expect(existsSync(env.PLUGBOARD_CONFIG_PATH)).toBe(false);
    // The user has named this config file. So only the file is removed, not its folder.
    expect(existsSync(home)).toBe(true);
  });

  it("does not remove a folder, even if the variable for the config file names it", async () => {
    const { env, home, write } = await operationsInHome();
    const file = await write("documents/thesis.txt", "mine");
    const { keyring } = recordingKeyring();
    const named = { ...env, PLUGBOARD_CONFIG_PATH: join(home, "documents") };
    const plan = await planPurge({ cwd: home, env: named, configFiles: [] }, { config: true, keyring, now: () => 0 });
    const results = await runSteps([...plan.clients, ...plan.files]);
    expect(results.map(({ error }) => error?.code)).toEqual(["STORE_UNWRITABLE"]);
    expect(existsSync(file)).toBe(true);
  });

  it("removes nothing behind a link, and names the link", async () => {
    const { env, home, write } = await operationsInHome();
    const { PLUGBOARD_CONFIG_PATH: _, ...rest } = env;
    const linkedEnv = {
      ...rest,
      XDG_STATE_HOME: join(home, "state"),
      XDG_CACHE_HOME: join(home, "cache"),
      XDG_CONFIG_HOME: join(home, "config"),
    };
    const links = [
      dirname(stateFolder(linkedEnv)),
      linkedEnv.XDG_CACHE_HOME,
      dirname(dirname(userConfigPath(linkedEnv).path)),
    ];
    const mine = await Promise.all(
      ["code/mine.txt", "state/mine.txt", "config.json"].map((path) => write(join("mine", path), "mine")),
    );
    for (const folder of links) {
      await mkdir(folder, { recursive: true });
      await symlink(join(home, "mine"), join(folder, "plugboard"));
    }
    const { keyring } = recordingKeyring();
    const place = { cwd: home, env: linkedEnv, configFiles: [] };
    const plan = await planPurge(place, { config: true, keyring, now: () => 0 });
    expect(plan.files).toEqual([]);
    expect(plan.notes).toEqual(
      links.map((folder) => expect.stringContaining(`${join(folder, "plugboard")} is a link`) as string),
    );
    await runSteps([...plan.clients, ...plan.files]);
    for (const file of mine) expect(existsSync(file)).toBe(true);
  });

  it("removes the folders of Plugboard in a folder that is a link", async () => {
    const { env, home, write } = await operationsInHome();
    const file = await write("disk/plugboard/code/a.js", "");
    await symlink(join(home, "disk"), join(home, "cache"));
    const { keyring } = recordingKeyring();
    const place = { cwd: home, env: { ...env, XDG_CACHE_HOME: join(home, "cache") }, configFiles: [] };
    const plan = await planPurge(place, { config: false, keyring, now: () => 0 });
    await runSteps(plan.files);
    expect([plan.notes, existsSync(file)]).toEqual([[], false]);
  });

  it("names entries that lead to Plugboard under another name, and files that can't be read", async () => {
    const { env, home, write } = await operationsInHome();
    const cursor = await write(".cursor/mcp.json", { mcpServers: { mine: { command: "plugboard", args: ["stdio"] } } });
    const gemini = await write(".gemini/settings.json", "{ broken");
    const { keyring } = recordingKeyring();
    const plan = await planPurge({ cwd: home, env, configFiles: [] }, { config: false, keyring, now: () => 0 });
    expect(plan.clients).toEqual([]);
    expect(plan.notes).toMatchObject([
      expect.stringContaining(`"mine" in ${cursor} leads to Plugboard`),
      expect.stringContaining(`This file may still lead to Plugboard: ${gemini}`),
    ]);
  });
});

describe("runSteps", () => {
  const failure = new HostError("HOST_NOT_STOPPED", { pid: 1, afterMs: 2 });

  it("continues after a failed step, but skips the steps that depend on it", async () => {
    const ran: string[] = [];
    const step = (text: string, kind: PurgeKind, rest: Partial<PurgeStep> = {}): PurgeStep => ({
      kind,
      text,
      run: async () => void ran.push(text),
      ...rest,
    });
    const results = await runSteps([
      step("a", "disconnect"),
      step("b", "stop", { run: () => Promise.reject(failure) }),
      step("c", "remove", { after: "stop" }),
      step("d", "remove"),
    ]);
    expect(ran).toEqual(["a", "d"]);
    expect(results.map(({ error }) => error)).toEqual([undefined, failure, failure, undefined]);
  });
});
