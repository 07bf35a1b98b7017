/**
 * Starts a D-Bus session with a gnome-keyring in temporary folders. Nobody answers the keyring's password prompts: they
 * are dismissed or stay open.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { onTestFinished } from "vitest";

/**
 * `slow` is unlocked, but takes seconds to start. `locked` dismisses its password prompt. `asking` is locked too, and
 * its prompt stays open. With `absent`, no keyring runs.
 */
export type KeyringMode = "unlocked" | "slow" | "locked" | "absent" | "asking";

export interface KeyringSession {
  /** The environment with which a process finds the keyring. */
  readonly env: { readonly DBUS_SESSION_BUS_ADDRESS: string; readonly XDG_RUNTIME_DIR: string };
  /** Stops the bus and starts the same keyring on a new bus. */
  restart(mode: KeyringMode): Promise<KeyringSession>;
  /** Pauses the keyring process, so that it does not answer. The keyring must have been used before. */
  freeze(): Promise<void>;
}

/** Starts a session that ends after the test. */
export async function startKeyring(mode: KeyringMode): Promise<KeyringSession> {
  for (const program of ["dbus-daemon", "gnome-keyring-daemon"]) {
    if (spawnSync(program, ["--version"]).error) {
      throw new Error(`${program} was not found. Install it: on Debian, \`apt-get install dbus gnome-keyring\`.`);
    }
  }
  const folder = await mkdtemp(join(tmpdir(), "plugboard-keyring-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ["home", "run", "services"]) await mkdir(join(folder, name), { mode: 0o700 });
  await writeFile(join(folder, "password"), "a password");
  return startSession(folder, mode);
}

async function startSession(folder: string, mode: KeyringMode): Promise<KeyringSession> {
  const runtime = join(folder, "run");
  await writeServices(folder, mode);
  const bus = spawn("dbus-daemon", ["--nofork", "--nopidfile", "--print-address", `--config-file=${folder}/bus.conf`], {
    env: { PATH: process.env["PATH"], HOME: join(folder, "home"), XDG_RUNTIME_DIR: runtime },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const stop = async () => {
    if (bus.exitCode !== null || bus.signalCode !== null) return;
    // Pauses the bus, so that it does not restart the services that are killed next.
    bus.kill("SIGSTOP");
    for (const name of ["keyring", "prompter"]) await killService(folder, name);
    bus.kill("SIGKILL");
    await once(bus, "exit");
  };
  onTestFinished(stop);
  const { value: address } = await createInterface(bus.stdout)[Symbol.asyncIterator]().next();
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: String(address), XDG_RUNTIME_DIR: runtime },
    restart: async (newMode) => {
      await stop();
      return startSession(folder, newMode);
    },
    freeze: async () => void process.kill((await servicePid(folder, "keyring"))!, "SIGSTOP"),
  };
}

/** Writes the service files by which the bus starts the keyring and its prompter on demand. */
async function writeServices(folder: string, mode: KeyringMode): Promise<void> {
  const services = join(folder, "services");
  await rm(services, { recursive: true });
  await mkdir(services);
  const unlockOption = mode === "unlocked" || mode === "slow" ? `--unlock <${folder}/password` : "--start";
  if (mode !== "absent") {
    const keyring = `${mode === "slow" ? "sleep 3; " : ""}exec gnome-keyring-daemon --foreground --components=secrets ${unlockOption}`;
    await writeService(folder, "keyring", "org.freedesktop.secrets", keyring);
  }
  // The prompter shows the password prompt. Without a prompter, prompts are dismissed.
  if (mode === "asking") await writeService(folder, "prompter", "org.gnome.keyring.SystemPrompter", "exec sleep 60");
  await writeFile(
    join(folder, "bus.conf"),
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:dir=${join(folder, "run")}</listen>
      <servicedir>${services}</servicedir>
      <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
    </busconfig>`,
  );
}

async function writeService(folder: string, name: string, busName: string, command: string): Promise<void> {
  const program = join(folder, name);
  await writeFile(program, `#!/bin/sh\necho $$ >${program}.new && mv ${program}.new ${program}.pid\n${command}\n`);
  await chmod(program, 0o700);
  await writeFile(
    join(folder, "services", `${busName}.service`),
    `[D-BUS Service]\nName=${busName}\nExec=${program}\n`,
  );
}

/** Returns undefined if the service was never started. */
async function servicePid(folder: string, name: string): Promise<number | undefined> {
  const text = await readFile(join(folder, `${name}.pid`), "utf8").catch(() => undefined);
  return text === undefined ? undefined : Number(text);
}

async function killService(folder: string, name: string): Promise<void> {
  const pid = await servicePid(folder, name);
  if (pid === undefined) return;
  if (isAlive(pid)) process.kill(pid, "SIGKILL");
  await waitUntilDead(pid, 5000);
  await rm(join(folder, `${name}.pid`));
}
