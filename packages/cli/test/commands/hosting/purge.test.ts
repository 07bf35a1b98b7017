/** Tests `plugboard purge` with a home folder, files of clients, a running host and a service. */
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAlive } from "@plugboard/testkit/process-alive";
import { describe, expect, it } from "vitest";
import { hostInfo, stopAfterTest } from "../../helpers/hosting.ts";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runInTerminal, runPiped, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";

const CURSOR = '{"mcpServers": {\n\t"own": { "command":"own",  "env": {"KEY": "canary"} }\n}}\n';

/** Makes a home folder with the config at its usual place, a project, and the file of Cursor, and connects Cursor. */
async function setUpHome() {
  const { cwd: home, env } = await setUp();
  const { PLUGBOARD_CONFIG_PATH: _, ...rest } = env;
  const cwd = join(home, "project");
  const [bin, cursor, config] = ["bin", ".cursor/mcp.json", ".config/plugboard/config.json"].map((path) =>
    join(home, path),
  ) as [string, string, string];
  for (const folder of [cwd, bin, dirname(cursor), dirname(config)]) await mkdir(folder, { recursive: true });
  await writeFile(cursor, CURSOR);
  await writeFile(config, "{}");
  // A fake `systemctl` that records its arguments.
  await writeFile(join(bin, "systemctl"), '#!/bin/sh\necho "$*" >>"$(dirname "$0")/systemctl.log"\n', { mode: 0o755 });
  const setup = { cwd, env: { ...rest, XDG_CACHE_HOME: join(home, ".cache"), PATH: `${bin}:${rest["PATH"]}` } };
  expect(await runPiped(setup, "connect", "cursor", "--yes")).toMatchObject({ status: 0 });
  const state = join(home, "state/plugboard");
  const unit = join(home, ".config/systemd/user/plugboard.service");
  return { setup, home, bin, cursor, config, state, unit };
}

async function startHost(setup: Awaited<ReturnType<typeof setUpHome>>["setup"]): Promise<number> {
  stopAfterTest(setup);
  expect(await runPipedProcess(setup, "serve", "--detach", "--port", "0")).toMatchObject({ status: 0 });
  return (await hostInfo(setup)).pid;
}

describe.runIf(process.platform === "linux")("plugboard purge", () => {
  it("shows every step with --dry-run, and changes nothing", async () => {
    const { setup, cursor, config, state, unit } = await setUpHome();
    await mkdir(dirname(unit), { recursive: true });
    await writeFile(unit, "");
    const pid = await startHost(setup);
    const connected = await readFile(cursor, "utf8");
    const { status, stdout } = await runPiped(setup, "purge", "--dry-run");
    expect(status).toBe(0);
    const steps = [
      `disconnect Cursor: restore ${cursor}`,
      `remove the service ${unit}`,
      `stop the host (process ${pid}) and its servers`,
      `remove ${state} (`,
    ];
    const positions = steps.map((step) => stdout.indexOf(`  ${step}`));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(stdout).toContain(`Your config stays: ${config}. Add --config to remove it, too.`);
    expect(stdout).toMatch(/^- +"plugboard": \{$/m);
    expect(stdout).not.toContain("canary");
    expect(await readFile(cursor, "utf8")).toBe(connected);
    expect(isAlive(pid)).toBe(true);
    expect([state, unit].every((path) => existsSync(path))).toBe(true);
  });

  it("restores the files of clients, stops the host, and removes the service, the state and the cache", async () => {
    const { setup, home, bin, cursor, config, state, unit } = await setUpHome();
    const elsewhere = { ...setup, cwd: join(home, "elsewhere") };
    await mkdir(elsewhere.cwd);
    await runPiped(elsewhere, "connect", "claude-code", "--scope", "project", "--yes");
    await mkdir(dirname(unit), { recursive: true });
    await writeFile(unit, "");
    const pid = await startHost(setup);
    const { status, stdout, stderr } = await runPipedProcess(setup, "purge", "--yes");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("npm uninstall --global plugboard");
    expect(await readFile(cursor, "utf8")).toBe(CURSOR);
    expect(isAlive(pid)).toBe(false);
    expect(await readFile(join(bin, "systemctl.log"), "utf8")).toContain("disable --now plugboard.service");
    const removed = [state, unit, join(home, ".cache/plugboard"), join(elsewhere.cwd, ".mcp.json")];
    expect(removed.filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(config)).toBe(true);
    const again = await runPiped(setup, "purge", "--yes");
    expect(again).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("There is nothing to remove.") as string,
    });
  });

  it("removes the config, too, with --config", async () => {
    const { setup, config } = await setUpHome();
    const { status, stdout } = await runPiped(setup, "purge", "--config", "--yes", "--json");
    expect(status).toBe(0);
    const { steps, kept } = (await parseOutput("purge", stdout)) as { steps: { done: boolean }[]; kept: string[] };
    expect(steps.every(({ done }) => done)).toBe(true);
    expect(kept).toEqual([]);
    expect(existsSync(dirname(config))).toBe(false);
  });

  it("does all other steps if a client's file can't be written, keeps its backup, and continues later", async () => {
    const { setup, cursor, state } = await setUpHome();
    const pid = await startHost(setup);
    await chmod(cursor, 0o400);
    const failed = await runPiped(setup, "purge", "--yes");
    expect(failed.status).toBe(3);
    expect(failed.stderr).toContain(`disconnect Cursor: restore ${cursor}\n    STORE_UNWRITABLE: `);
    expect(failed.stderr).toMatch(/^\d of \d steps are done\. These have failed:\n/);
    expect(isAlive(pid)).toBe(false);
    expect(await readdir(state)).toEqual(["connect"]);
    await chmod(cursor, 0o600);
    expect(await runPiped(setup, "purge", "--yes")).toMatchObject({ status: 0, stderr: "" });
    expect(await readFile(cursor, "utf8")).toBe(CURSOR);
    expect(existsSync(state)).toBe(false);
  });

  it("asks first, and removes nothing unless the user agrees", async () => {
    const { setup, state } = await setUpHome();
    const terminal = runInTerminal(setup, "purge");
    await terminal.waitFor("Remove all this? y / n: ");
    terminal.type("n\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 5 });
    expect(existsSync(state)).toBe(true);
    const piped = await runPiped(setup, "purge");
    expect(piped).toMatchObject({ status: 2, stderr: expect.stringContaining("Add --yes to remove this") as string });
    expect(existsSync(state)).toBe(true);
  });
});
