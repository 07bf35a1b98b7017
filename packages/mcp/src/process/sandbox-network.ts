/** Connects the network namespace of a sandbox to the network, without access to the loopback of this machine. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { SandboxPrograms } from "./sandbox-programs.ts";

/** A program outside of the sandbox. It exits by itself if the host is killed. */
export interface SandboxHelper {
  end(): Promise<void>;
  kill(): void;
}

/** The DNS server inside of the namespace. */
export const SANDBOX_DNS = "10.0.2.3";

/** Starts a program, and calls `onSpawn` in the same turn. Rejects with a reason if the network can't be set up. */
export async function connectNetwork(
  namespacePid: number,
  { slirp4netns, pasta }: SandboxPrograms,
  onSpawn: (helper: SandboxHelper) => void,
): Promise<void> {
  if (slirp4netns !== undefined) return startSlirp(slirp4netns, namespacePid, onSpawn);
  return startPasta(pasta!, namespacePid, onSpawn);
}

async function startSlirp(program: string, pid: number, onSpawn: (helper: SandboxHelper) => void): Promise<void> {
  const args = [
    ...["--configure", "--mtu=65520", "--disable-host-loopback", "--enable-sandbox", "--enable-seccomp"],
    ...["--ready-fd=3", "--exit-fd=4", `--userns-path=/proc/${pid}/ns/user`],
    ...["--netns-type=path", `/proc/${pid}/ns/net`, "tap0"],
  ];
  const child = spawnHelper(program, args, ["ignore", "ignore", "pipe", "pipe", "pipe"]);
  const output = readOutput(child);
  // It exits when this pipe closes, even if the host is killed.
  const exitPipe = child.stdio[4] as Writable;
  exitPipe.on("error", () => {});
  onSpawn(helperOf(child));
  const ready = once(child.stdio[3] as Readable, "data");
  await Promise.race([ready, failure(child, "slirp4netns", output)]);
}

async function startPasta(program: string, pid: number, onSpawn: (helper: SandboxHelper) => void): Promise<void> {
  throw new Error(`not yet: ${program} ${pid} ${String(onSpawn)}`);
}

function spawnHelper(program: string, args: readonly string[], stdio: ("ignore" | "pipe")[]): ChildProcess {
  // PATH is the only variable, because others may change what the program does.
  return spawn(program, args, { cwd: "/", env: { PATH: process.env["PATH"] }, stdio, detached: true });
}

function helperOf(child: ChildProcess): SandboxHelper {
  const exited = new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
  const kill = () => void child.kill("SIGKILL");
  return {
    kill,
    end: async () => {
      kill();
      await exited;
    },
  };
}

function readOutput(child: ChildProcess): { readonly text: () => string } {
  let text = "";
  child.stderr!.on("data", (chunk: Buffer) => (text = `${text}${String(chunk)}`.slice(-2000)));
  return { text: () => text };
}

/** Rejects when the program exits. */
async function failure(child: ChildProcess, name: string, output: { readonly text: () => string }): Promise<never> {
  // `close` comes after the output.
  await once(child, "close");
  throw new Error(`${name} failed: ${lastLine(output.text())}`);
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
