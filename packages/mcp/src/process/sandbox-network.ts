/** Connects the network namespace of a sandbox to the network, without access to the loopback of this machine. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Server as Listener } from "node:net";
import type { Readable, Writable } from "node:stream";
import { SandboxProblem } from "../sandbox/index.ts";

/** A program outside of the sandbox. It exits by itself if the host is killed. */
export interface SandboxHelper {
  end(): Promise<void>;
  kill(): void;
}

/** The DNS server inside of the namespace. */
export const SANDBOX_DNS = "10.0.2.3";

/** Starts slirp4netns, and calls `onSpawn` in the same turn. Throws a `SandboxProblem` if the network can't be set up. */
export async function connectNetwork(
  namespacePid: number,
  slirp4netns: string,
  onSpawn: (helper: SandboxHelper) => void,
): Promise<void> {
  const args = [
    ...["--configure", "--mtu=65520", "--disable-host-loopback", "--enable-seccomp"],
    // Drops its capabilities and hides the disk from it. Only root has capabilities to drop; for others it fails.
    ...(process.getuid?.() === 0 ? ["--enable-sandbox"] : []),
    ...["--ready-fd=3", "--exit-fd=4", `--userns-path=/proc/${namespacePid}/ns/user`],
    ...["--netns-type=path", `/proc/${namespacePid}/ns/net`, "tap0"],
  ];
  const child = spawnHelper(slirp4netns, args, ["ignore", "ignore", "pipe", "pipe", "pipe"]);
  const output = readOutput(child);
  // It exits when this pipe closes, even if the host is killed.
  const exitPipe = child.stdio[4] as Writable;
  exitPipe.on("error", () => {});
  onSpawn(helperOf(child));
  const ready = once(child.stdio[3] as Readable, "data");
  await Promise.race([ready, failure(child, "slirp4netns", output)]);
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
  throw new SandboxProblem(`${name} can't connect its network (${output.text().trim().replaceAll("\n", "; ")})`);
}

/** The port of the proxy inside of the namespace. No other program listens there when the server starts. */
export const PROXY_PORT = 3128;

/**
 * Listens on a port of the namespace. A socket belongs to the namespace in which it was created, so a process inside creates
 * it, passes it to this one, and exits.
 */
export async function listenInNamespace(
  namespacePid: number,
  nsenter: string,
  onSpawn: (helper: SandboxHelper) => void,
): Promise<Listener> {
  const enter = ["--user", "--net", "--preserve-credentials", "--target", String(namespacePid), "--"];
  const child = spawn(nsenter, [...enter, process.execPath, "--no-warnings", "-e", LISTEN_SCRIPT], {
    cwd: "/",
    env: { PATH: process.env["PATH"], NODE_V8_COVERAGE: undefined },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    detached: true,
  });
  const output = readOutput(child);
  onSpawn(helperOf(child));
  const listening = once(child, "message").then(([, listener]) => listener as Listener);
  const listener = await Promise.race([listening, failure(child, "nsenter", output)]);
  child.disconnect();
  return listener;
}

const LISTEN_SCRIPT = `
process.once("disconnect", () => process.exit());
const server = require("node:net").createServer();
server.listen(${PROXY_PORT}, "127.0.0.1", () => process.send("listening", server));`;
