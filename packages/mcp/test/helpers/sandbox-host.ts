/**
 * Starts a sandboxed server from a host in a process of its own, so that the host can be another user, get descriptors that
 * it should not pass on, and be killed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { ProcessSpec } from "@plugboard/mcp/process";
import { onTestFinished } from "vitest";

export interface SandboxHost {
  readonly pid: number;
  /** Returns the next line that the server, or the host, writes. */
  line(): Promise<string>;
  /** Stops the server and ends the host. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

interface HostOptions {
  /** Runs as the user 65534, with a /dev/net/tun of this mode. Only root can do that. */
  readonly ordinaryUser?: { readonly tunMode: "666" | "600" } | false;
  /** Runs in a user namespace that allows no further ones. */
  readonly withoutNamespaces?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** Registers what to do at the end of the test. By default for a single test. */
  readonly atEnd?: (run: () => void) => void;
  /** A descriptor of the test that the host inherits as number 200. */
  readonly inherit?: number;
}

export const ORDINARY_USER = 65_534;

const asOrdinaryUser = (tunMode: string) => `mount -t tmpfs tmpfs /dev/net &&
  mknod -m ${tunMode} /dev/net/tun c 10 200 && exec setpriv --reuid ${ORDINARY_USER} --regid ${ORDINARY_USER} --clear-groups --inh-caps=-all "$@"`;

/** The limit applies to namespaces inside of the new one. */
const WITHOUT_NAMESPACES = `echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"`;

function wrap(command: readonly string[], { ordinaryUser, withoutNamespaces }: HostOptions): readonly string[] {
  if (ordinaryUser)
    return ["/usr/bin/unshare", "-m", "sh", "-c", asOrdinaryUser(ordinaryUser.tunMode), "sh", ...command];
  if (withoutNamespaces) return ["/usr/bin/unshare", "-Ur", "sh", "-c", WITHOUT_NAMESPACES, "sh", ...command];
  return command;
}

export function startSandboxHost(spec: ProcessSpec, options: HostOptions = {}): SandboxHost {
  const { env, inherit, atEnd = onTestFinished } = options;
  const program = `
    import { systemClock } from "@plugboard/contracts";
    import { Processes } from "@plugboard/mcp/process";
    // Ten times faster than the system clock: a server that ignores signals is stopped after half a second.
    const clock = {
      now: () => systemClock.now() * 10,
      steady: () => systemClock.steady() * 10,
      after: (ms, run, options) => systemClock.after(ms / 10, run, options),
    };
    const processes = new Processes(clock);
    process.stdin.resume().on("end", async () => { await processes.stopAll(); console.log("stopped"); process.exit(); });
    try {
      const started = await processes.start(${JSON.stringify(spec)});
      started.stdout.pipe(process.stdout);
      started.followStderr((chunk) => process.stderr.write(chunk));
      void started.exited.then((reason) => console.log("exited " + reason));
    } catch (error) { console.log(JSON.stringify({ code: error.code, reason: error.details?.reason ?? error.stack })); }`;
  const node = [process.execPath, "--input-type=module", "-e", program];
  const [command = "", ...args] = wrap(node, options);
  const inherited = inherit === undefined ? [] : [...Array.from({ length: 197 }, () => "ignore" as const), inherit];
  const child = spawn(command, args, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit", ...inherited],
  });
  atEnd(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  return {
    pid: child.pid!,
    line: async () => (await lines.next()).value as string,
    stop: async () => {
      child.stdin!.end();
      await exited;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
