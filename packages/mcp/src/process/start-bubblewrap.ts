/**
 * Starts a server in a sandbox of Linux. The first process is `bwrap`. It stays outside of the sandbox, in the process group
 * that is signalled. Inside, its init process is in the same group: if it is killed, the kernel kills all processes of the
 * sandbox, even those that have left the group.
 */
import type { ChildProcess, StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Clock, SandboxPolicy } from "@plugboard/contracts";
import {
  bubblewrapArgs,
  cacheVariables,
  HostsProxy,
  inspectFiles,
  proxyVariables,
  SandboxDenials,
  sandboxMounts,
  SandboxProblem,
  seccompFilter,
} from "../sandbox/index.ts";
import type { Mount } from "../sandbox/index.ts";
import { posix } from "./posix.ts";
import { makeMark } from "./process-mark.ts";
import { connectNetwork, listenInNamespace, PROXY_PORT, SANDBOX_DNS } from "./sandbox-network.ts";
import type { SandboxHelper } from "./sandbox-network.ts";
import { findSandboxPrograms, namespaceHint } from "./sandbox-programs.ts";
import type { SandboxPrograms } from "./sandbox-programs.ts";
import { serverEnvironment } from "./server-environment.ts";
import type { Environment } from "./server-environment.ts";
import { ServerProcess } from "./server-process.ts";
import type { ProcessSpec } from "./spawn-server.ts";

/** Calls `onSpawn` in the same turn in which the process is created. */
export async function startBubblewrap(
  spec: ProcessSpec & { readonly sandbox: SandboxPolicy },
  clock: Clock,
  onSpawn: (process: ServerProcess) => void,
): Promise<ServerProcess> {
  return startInSandbox(await prepare(spec), clock, onSpawn);
}

/** Everything that is needed for the start. Made before any process is started. */
interface PreparedSandbox {
  readonly spec: ProcessSpec;
  readonly programs: SandboxPrograms;
  readonly filter: Buffer;
  readonly mounts: readonly Mount[];
  readonly env: Environment;
  readonly policy: SandboxPolicy;
  /** The file that says which DNS server is used, with all links resolved. */
  readonly resolvConf: string;
}

async function prepare(spec: ProcessSpec & { readonly sandbox: SandboxPolicy }): Promise<PreparedSandbox> {
  const { command, args, cwd, sandbox: policy } = spec;
  const filter = seccompFilter(process.arch);
  if (!filter) throw new SandboxProblem(`there is no sandbox for ${process.arch} processors`);
  const programs = await findSandboxPrograms();
  if (!programs) throw new SandboxProblem("`bwrap` was not found in PATH; install the package bubblewrap");
  checkNetworkPrograms(policy.network, programs);
  const env = {
    ...serverEnvironment(process.env, spec.env, process.platform),
    TMPDIR: "/tmp",
    ...(policy.cache !== undefined && cacheVariables(policy.cache)),
    ...(typeof policy.network === "object" && proxyVariables(PROXY_PORT)),
  };
  if (policy.cache !== undefined) await mkdir(policy.cache, { recursive: true, mode: 0o700 });
  const [files, resolvConf] = await Promise.all([
    inspectFiles(policy, { command, args, cwd, env }),
    realpath("/etc/resolv.conf").catch(() => "/etc/resolv.conf"),
  ]);
  return { spec, programs, filter, mounts: sandboxMounts(policy, files), env, policy, resolvConf };
}

function checkNetworkPrograms(network: SandboxPolicy["network"], programs: SandboxPrograms): void {
  if (network === false) return;
  if (typeof network === "object" && programs.nsenter === undefined)
    throw new SandboxProblem("`nsenter` was not found in PATH; install the package util-linux");
  if (network === true && programs.slirp4netns === undefined)
    throw new SandboxProblem(
      "`slirp4netns` was not found in PATH; install the package slirp4netns, or set its `network` to false",
    );
}

/** The descriptors of the first process. It closes all of them but those of the server. */
const FD = {
  errors: 2,
  stdin: 3,
  stdout: 4,
  stderr: 5,
  args: 6,
  filter: 7,
  info: 8,
  block: 9,
  resolvConf: 10,
  networkInfo: 11,
} as const;

/**
 * Moves the pipes to their places. `bwrap` itself must not have the pipes of the server as its own, because then a server
 * that closes its output would go unnoticed.
 */
const MOVE_PIPES = `exec "$@" <&${FD.stdin} >&${FD.stdout} 2>&${FD.stderr} ${FD.stdin}<&- ${FD.stdout}>&- ${FD.stderr}>&-`;

async function startInSandbox(
  prepared: PreparedSandbox,
  clock: Clock,
  onSpawn: (process: ServerProcess) => void,
): Promise<ServerProcess> {
  const { mark, variable } = makeMark();
  const child = spawnBubblewrap(prepared, variable);
  if (child.pid === undefined) throw new SandboxProblem(`bwrap can't be started (${await spawnError(child)})`);
  const [, , errors, stdin, stdout, stderr] = child.stdio as unknown as [
    null,
    null,
    Readable,
    Writable,
    Readable,
    Readable,
  ];
  const errorText = collectText(errors);
  const { network } = prepared.policy;
  const denials = new SandboxDenials(prepared.policy, prepared.mounts);
  stderr.on("data", (chunk: Buffer) => denials.handleOutput(chunk));
  const proxy =
    typeof network === "object" ? new HostsProxy(network, (attempt) => denials.handleAttempt(attempt)) : undefined;
  let helper: SandboxHelper | undefined;
  const started = new ServerProcess(child, posix.groupOf(child, mark), clock, {
    pipes: { stdin, stdout, stderr },
    denials,
    exitReason: (code, signal) => exitReason(code, signal, errorText()),
    end: async () => {
      proxy?.close();
      await helper?.end();
    },
    kill: () => helper?.kill(),
  });
  onSpawn(started);
  try {
    // The outer namespace is complete when the inner one exists. The pipes are read in parallel, because each is read once.
    const [outerPid] = await Promise.all([
      network === false ? undefined : readChildPid(child, FD.networkInfo, errorText),
      readChildPid(child, FD.info, errorText),
    ]);
    if (outerPid !== undefined) await connect(prepared, outerPid, proxy, (spawned) => (helper = spawned));
    (pipeOf(child, FD.block) as Writable | null | undefined)?.end("\n");
    return started;
  } catch (error) {
    // The server does not run yet. The second call skips to SIGKILL.
    await Promise.all([started.stop(), started.stop()]);
    throw error;
  }
}

/** Connects the network namespace, so that the server can start. */
async function connect(
  { programs }: PreparedSandbox,
  pid: number,
  proxy: HostsProxy | undefined,
  onSpawn: (helper: SandboxHelper) => void,
): Promise<void> {
  if (proxy) proxy.serve(await listenInNamespace(pid, programs.nsenter!, onSpawn));
  else await connectNetwork(pid, programs.slirp4netns!, onSpawn);
}

function spawnBubblewrap(prepared: PreparedSandbox, mark: Environment): ChildProcess {
  const { spec, programs, mounts, env, policy, filter, resolvConf } = prepared;
  const { network } = policy;
  const ownNetwork = network !== false;
  const { bwrap } = programs;
  const options = bubblewrapArgs({
    mounts,
    cwd: spec.cwd,
    env: { ...env, ...mark },
    ownNetwork,
    ...(network === true && { resolvConf: { path: resolvConf, fd: FD.resolvConf } }),
  });
  const bwrapArgs = [
    ...["--args", String(FD.args), "--seccomp", String(FD.filter), "--info-fd", String(FD.info)],
    ...(ownNetwork ? ["--block-fd", String(FD.block)] : []),
    ...["--", "/bin/sh", "-c", MOVE_PIPES, "sh", spec.command, ...spec.args],
  ];
  // The program that connects the network has to enter the user namespace that owns it. The sandbox itself ends in an inner
  // one, so an outer `bwrap` creates the network.
  const outerArgs = ["--unshare-user", "--unshare-net", "--dev-bind", "/", "/", "--info-fd", String(FD.networkInfo)];
  const args = ownNetwork ? [...outerArgs, "--", bwrap, ...bwrapArgs] : bwrapArgs;
  const used = Object.values(FD).filter(
    (fd) => (ownNetwork || (fd !== FD.block && fd !== FD.networkInfo)) && (network === true || fd !== FD.resolvConf),
  );
  const child = withoutInheritedFiles(used, (stdio) =>
    posix.spawn(bwrap, args, {
      cwd: "/",
      // The variables of the server could change what these programs do, such as LD_PRELOAD.
      env: { PATH: process.env["PATH"], ...mark },
      stdio,
    }),
  );
  // The transport handles errors of the server's pipes. A program that exits early does not read the others.
  for (const pipe of (child.stdio as ChildProcess["stdio"] | undefined) ?? []) pipe?.on("error", () => {});
  const send = (fd: number, content: string | Buffer) =>
    (pipeOf(child, fd) as Writable | null | undefined)?.end(content);
  send(FD.args, options.map((option) => `${option}\0`).join(""));
  send(FD.filter, filter);
  send(FD.resolvConf, `nameserver ${SANDBOX_DNS}\n`);
  return child;
}

/**
 * Passes the descriptors of the new process. Node closes its own descriptors in a child, but not those that it has inherited
 * itself, such as a file that a shell has opened for the host. They are replaced by /dev/null.
 */
function withoutInheritedFiles(pipes: readonly number[], start: (stdio: StdioOptions) => ChildProcess): ChildProcess {
  const inherited = inheritedFiles().filter((fd) => !pipes.includes(fd));
  const length = Math.max(...pipes, ...inherited) + 1;
  const nothing = inherited.length > 0 ? openSync("/dev/null", "r+") : undefined;
  try {
    const stdio = Array.from({ length }, (_, fd) => {
      if (pipes.includes(fd)) return "pipe";
      return inherited.includes(fd) ? nothing : "ignore";
    });
    return start(stdio);
  } finally {
    if (nothing !== undefined) closeSync(nothing);
  }
}

const O_CLOEXEC = 0o2000000;

/** Returns the descriptors of this process that its children get, other than its standard streams. */
function inheritedFiles(): number[] {
  const open = readdirSync("/proc/self/fdinfo").map(Number);
  return open.filter((fd) => {
    if (fd <= 2) return false;
    try {
      const [, flags = "0"] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1")) ?? [];
      return (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
    } catch {
      return false; // It was the descriptor of the folder itself.
    }
  });
}

/** Returns undefined if there were too few file descriptors to create the pipes, or if this one is not used. */
function pipeOf({ stdio }: ChildProcess, fd: number): Readable | Writable | null | undefined {
  return (stdio as readonly (Readable | Writable | null)[] | undefined)?.[fd];
}

async function spawnError(child: ChildProcess): Promise<string> {
  const [error] = (await once(child, "error")) as [NodeJS.ErrnoException];
  return error.code ?? error.name;
}

/**
 * Returns the process of `bwrap` that is inside of the new namespaces. Throws if they can't be created, which is what the
 * system may refuse.
 */
async function readChildPid(child: ChildProcess, fd: number, errorText: () => string): Promise<number> {
  const info = pipeOf(child, fd) as Readable;
  const pid = await new Promise<number | undefined>((resolve) => {
    let text = "";
    info.on("data", (chunk: Buffer) => {
      text += String(chunk);
      const [, digits] = /"child-pid": (\d+)\D/.exec(text) ?? [];
      if (digits !== undefined) resolve(Number(digits));
    });
    child.once("close", () => resolve(undefined));
  });
  if (pid !== undefined) return pid;
  const hint = await namespaceHint();
  throw new SandboxProblem(hint ?? `bubblewrap failed (${lastLine(errorText())})`);
}

/** Returns a function that returns what has been read so far. */
function collectText(stream: Readable): () => string {
  let text = "";
  stream.on("data", (chunk: Buffer) => (text = `${text}${String(chunk)}`.slice(-2000)));
  return () => text;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** `bwrap` exits with 128 + n if the server was killed by signal n, and with 1 after an error of its own. */
function exitReason(code: number | null, signal: NodeJS.Signals | null, errorText: string): string {
  if (signal !== null) return signal;
  if (code === 1 && errorText !== "") return `its sandbox could not be set up: ${lastLine(errorText)}`;
  const found = Object.entries(constants.signals).find(([, number]) => number + 128 === code);
  return found?.[0] ?? `exit code ${code}`;
}
