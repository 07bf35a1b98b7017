/** Tests `plugboard service` with a home folder of its own and a `systemctl` that records how it is called. */
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostInfo, oneServer, startStdioClient, stopAfterTest } from "../../helpers/hosting.ts";
import { parseOutput } from "../../helpers/json-schema.ts";
import { command, runPipedProcess, setUp, startCommand } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

interface ServiceSetup extends Setup {
  readonly unit: string;
  /** The lines of arguments that `systemctl` was called with. */
  calls(): Promise<string[]>;
}

/** `script` is what `systemctl` does after it has recorded its arguments. */
async function setUpService(script = ""): Promise<ServiceSetup> {
  const setup = await setUp(oneServer());
  const [bin, log] = [join(setup.cwd, "bin"), join(setup.cwd, "systemctl.log")];
  await mkdir(bin);
  await writeFile(join(bin, "systemctl"), `#!/bin/sh\necho "$*" >>"$HOME/systemctl.log"\n${script}\n`);
  await chmod(join(bin, "systemctl"), 0o755);
  const env = { ...setup.env, PATH: `${bin}:${setup.env["PATH"]}` };
  return {
    ...setup,
    env,
    unit: join(setup.cwd, ".config", "systemd", "user", "plugboard.service"),
    calls: async () => (await readFile(log, "utf8").catch(() => "")).split("\n").filter((line) => line !== ""),
  };
}

describe.runIf(process.platform === "linux")("plugboard service install", () => {
  it("shows the file and the commands, writes the file and runs the commands", async () => {
    const setup = await setUpService();
    const { status, stdout, stderr } = await runPipedProcess(setup, "service", "install", "--port", "7500");
    expect(status).toBe(0);
    expect(stderr).toContain("the host does not run now. `journalctl --user -u plugboard` has its output.");
    const unit = await readFile(setup.unit, "utf8");
    expect(unit).toContain(`ExecStart=${process.execPath} ${command} serve --service --port 7500\n`);
    expect(unit).toContain(`WorkingDirectory=${setup.cwd}\n`);
    expect(unit).toContain(`Environment=PATH=${setup.env["PATH"]}\n`);
    expect(unit).toContain(`Environment=XDG_STATE_HOME=${setup.env["XDG_STATE_HOME"]}\n`);
    expect(unit).toContain("KillMode=mixed\n");
    for (const line of unit.split("\n").filter((text) => text !== "")) expect(stdout).toContain(`  ${line}\n`);
    const calls = ["daemon-reload", "enable plugboard.service", "restart plugboard.service"];
    expect((await setup.calls()).slice(0, 3)).toEqual(calls.map((call) => `--user ${call}`));
    for (const call of calls) expect(stdout).toContain(`  systemctl --user ${call}\n`);
  });

  it("reports a running host only if the host answers", async () => {
    const serve = `setsid "${process.execPath}" "${command}" serve --service --port 0`;
    const setup = await setUpService(`export XDG_STATE_HOME="$HOME/state" PLUGBOARD_CONFIG_PATH="$HOME/config.json"
      case "$*" in *restart*) ${serve} >/dev/null 2>&1 & ;; *show*) echo ActiveState=active;; esac`);
    stopAfterTest(setup);
    const { status, stdout, stderr } = await runPipedProcess(setup, "service", "install", "--port", "0");
    const { pid } = await hostInfo(setup);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`Installed. The host runs now (process ${pid})`);
  });

  it("is refused while a host serves another folder, and writes nothing", async () => {
    const setup = await setUpService();
    stopAfterTest(setup);
    const cwd = join(setup.cwd, "bin");
    await runPipedProcess({ ...setup, cwd }, "serve", "--detach", "--port", "0");
    const { status, stderr } = await runPipedProcess(setup, "service", "install");
    expect(status).toBe(3);
    expect(stderr).toContain(`HOST_SERVING: The running host already serves the folder ${cwd}`);
    expect(existsSync(setup.unit)).toBe(false);
    expect(await setup.calls()).toEqual([]);
  });

  it("changes nothing with --dry-run", async () => {
    const setup = await setUpService();
    const { status, stdout } = await runPipedProcess(setup, "service", "install", "--dry-run");
    expect(status).toBe(0);
    expect(stdout).toContain(`Would write ${setup.unit}:`);
    expect(stdout).toContain("  systemctl --user enable plugboard.service\n");
    expect(existsSync(setup.unit)).toBe(false);
    expect(await setup.calls()).toEqual([]);
    const { stdout: json } = await runPipedProcess(setup, "service", "install", "--dry-run", "--json");
    expect(await parseOutput("service-install", json)).toMatchObject({ file: setup.unit, dryRun: true });
  });

  it("quotes words and escapes the specifiers of systemd", async () => {
    const setup = await setUpService();
    const env = { ...setup.env, PATH: `${setup.env["PATH"]}:/my "tools"/$x/100%` };
    await runPipedProcess({ ...setup, env }, "service", "install");
    const unit = await readFile(setup.unit, "utf8");
    expect(unit).toContain(String.raw`:/my \"tools\"/$x/100%%"` + "\n");
  });

  it("fails with the command that the service manager rejects", async () => {
    const setup = await setUpService(`case "$*" in *enable*) exit 1;; esac`);
    const { status, stderr } = await runPipedProcess(setup, "service", "install");
    expect(status).toBe(3);
    expect(stderr).toContain("SERVICE_FAILED: ");
    expect(stderr).toContain("`systemctl --user enable plugboard.service`: it ended with exit code 1");
  });
});

describe.runIf(process.platform === "linux")("plugboard service uninstall and status", () => {
  it("report a service that is not installed", async () => {
    const setup = await setUpService();
    const uninstalled = await runPipedProcess(setup, "service", "uninstall");
    expect(uninstalled).toMatchObject({ status: 0, stdout: expect.stringContaining("is not installed") as string });
    const { stdout } = await runPipedProcess(setup, "service", "status", "--json");
    expect(await parseOutput("service-status", stdout)).toMatchObject({ installed: false, running: false });
    expect(await setup.calls()).toEqual([]);
  });

  it.each([
    ["active", true],
    ["inactive", false],
  ])("show the state that systemd reports (%s), stop the service and remove its file", async (state, running) => {
    const setup = await setUpService(`case "$*" in *show*) echo "ActiveState=${state}";; esac`);
    await runPipedProcess(setup, "service", "install");
    const { stdout } = await runPipedProcess(setup, "service", "status", "--json");
    expect(await parseOutput("service-status", stdout)).toMatchObject({ manager: "systemd", installed: true, running });
    const dry = await runPipedProcess(setup, "service", "uninstall", "--dry-run");
    expect(dry.stdout).toContain("systemctl --user disable --now plugboard.service");
    expect(existsSync(setup.unit)).toBe(true);
    const { stdout: json } = await runPipedProcess(setup, "service", "uninstall", "--json");
    expect(await parseOutput("service-uninstall", json)).toMatchObject({ installed: true });
    expect(existsSync(setup.unit)).toBe(false);
    expect(await setup.calls()).toContain("--user disable --now plugboard.service");
  });
});

describe.runIf(process.platform === "linux")("plugboard restart of a service", () => {
  it("lets the service manager start the host again", async () => {
    // Starts the host as systemd would: with the variables of the unit, and outside the group of this command.
    const serve = `setsid "${process.execPath}" "${command}" serve --service --port 0`;
    const start = `export XDG_STATE_HOME="$HOME/state" PLUGBOARD_CONFIG_PATH="$HOME/config.json"
      case "$*" in *restart*) ${serve} >/dev/null 2>&1 & ;; esac`;
    const setup = await setUpService(start);
    stopAfterTest(setup);
    const host = startCommand(setup, "serve", "--service", "--port", "0");
    await host.stdout.waitFor(": ready", 20_000);
    const { status, stdout } = await runPipedProcess(setup, "restart");
    expect(status).toBe(0);
    expect(await host.exited).toBe(0);
    const info = await hostInfo(setup);
    expect(info).toMatchObject({ startedBy: "service" });
    expect(stdout).toContain(`(process ${info.pid}, service)`);
    expect(await setup.calls()).toEqual(["--user restart plugboard.service"]);
  });

  it("does not involve the service manager if the host runs in the background", async () => {
    const setup = await setUpService();
    await startStdioClient(setup);
    expect(await runPipedProcess(setup, "restart")).toMatchObject({ status: 0 });
    expect(await setup.calls()).toEqual([]);
  });
});
