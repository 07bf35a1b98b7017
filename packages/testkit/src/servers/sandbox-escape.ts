/**
 * Tries to get out of a sandbox, and prints the result of each attempt as one line of JSON: an error code, or "escaped" with
 * what it got. Its argument is JSON with the paths, ports and processes to attack. Afterwards it leaves a daemon behind
 * and waits for the end of its stdin. System calls that Node does not offer are made by perl.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";

export interface EscapeTargets {
  /** Files with a secret. */
  readonly secrets: readonly string[];
  readonly secret: string;
  /** Folders in which nothing may be created. */
  readonly folders: readonly string[];
  /** A folder that the sandbox may write. */
  readonly writable: string;
  readonly hostPid: number;
  /** Addresses of the host that refuse the sandbox. */
  readonly ports: readonly { readonly host: string; readonly port: number }[];
  /** Unix sockets: paths, or abstract names that start with "\0". */
  readonly sockets: readonly string[];
}

export interface EscapeReport {
  readonly [attempt: string]: string;
}

const targets = JSON.parse(process.argv[2]!) as EscapeTargets;
const report: { [attempt: string]: string } = {};

type Got = string | Buffer | number | boolean | undefined;

async function attempt(name: string, run: () => Got | Promise<Got>): Promise<void> {
  try {
    const got = await run();
    report[name] = got === undefined ? "nothing" : `escaped: ${got.toString().slice(0, 200)}`;
  } catch (error) {
    report[name] = (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Returns the text if it contains the secret. */
const secretIn = (text: string) => (text.includes(targets.secret) ? text : undefined);

for (const path of targets.secrets) await attempt(`read ${path}`, () => readFileSync(path, "utf8"));
for (const folder of targets.folders)
  await attempt(`write ${folder}`, () => (writeFileSync(join(folder, "planted"), "x"), "written"));

const ownPids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));
await attempt("see other processes", () =>
  ownPids().find((pid) => {
    const line = readFileSync(`/proc/${pid}/cmdline`, "latin1");
    return !/^(?:bwrap|sh|\/bin\/sh|perl|\S*node)\0|^$/.test(line) && !line.includes("bwrap");
  }),
);
await attempt("signal the host", () => process.kill(targets.hostPid, 0));
await attempt("kill the host's group", () => process.kill(-targets.hostPid, 0));

for (const { host, port } of targets.ports) await attempt(`connect ${host}`, () => connected({ host, port }));
for (const path of targets.sockets) await attempt(`connect ${path.replace("\0", "@")}`, () => connected({ path }));

function connected(options: { host: string; port: number } | { path: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(options as { path: string }, () => resolve("connected"));
    socket.on("error", reject).setTimeout(500, () => reject(Object.assign(new Error("silent"), { code: "TIMEOUT" })));
  }).finally(() => undefined) as Promise<string>;
}

for (const pid of ["1", "self", "thread-self"]) {
  for (const file of ["environ", "maps", "mountinfo"])
    await attempt(`read /proc/${pid}/${file}`, () => secretIn(readFileSync(`/proc/${pid}/${file}`, "latin1")));
  for (const path of targets.secrets)
    await attempt(`read /proc/${pid}/root${path}`, () => readFileSync(`/proc/${pid}/root${path}`, "utf8"));
}
await attempt("read /proc/keys", () => secretIn(readFileSync("/proc/keys", "utf8")));
// Writes the value that is already there, so that a hole in the sandbox does not change the machine.
for (const file of [
  "sys/kernel/core_pattern",
  "sys/kernel/modprobe",
  "sys/user/max_user_namespaces",
  "sys/vm/overcommit_memory",
])
  await attempt(`write /proc/${file}`, () => {
    writeFileSync(`/proc/${file}`, readFileSync(`/proc/${file}`));
    return "written";
  });
await attempt("open /proc/sysrq-trigger", () => (closeSync(openSync("/proc/sysrq-trigger", "w")), "opened"));

/** Everything but the standard streams, /dev/null and what Node itself opens. */
await attempt("inherited descriptors", () => {
  const ours = /^(?:anon_inode:|\/dev\/null$|\/proc\/|pipe:|\/dev\/urandom$)/;
  const found = readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return Number(fd) <= 2 || ours.test(target) ? [] : [`${fd}: ${target}`];
    } catch {
      return [];
    }
  });
  return found.length === 0 ? undefined : found.join(" ");
});

/** The numbers of x86_64 and arm64. */
const CALLS: { readonly [name: string]: readonly [number, number, ...string[]] } = {
  add_key: [248, 217, '"user"', '"plugboard"', '"x"', "1", "-4"],
  "keyctl(describe the user keyring)": [250, 219, "6", "-4", "0", "0", "0"],
  "keyctl(read the session keyring)": [250, 219, "11", "-3", "0", "0", "0"],
  request_key: [249, 218, '"user"', '"plugboard"', "0", "0"],
  "ptrace(attach)": [101, 117, "16", "1", "0", "0"],
  "ptrace(traceme)": [101, 117, "0", "0", "0", "0"],
  process_vm_readv: [310, 270, "1", "0", "0", "0", "0", "0"],
  "unshare(user)": [272, 97, String(0x10000000)],
  "unshare(net)": [272, 97, String(0x40000000)],
  setns: [308, 268, "0", "0"],
  mount: [165, 40, '"none"', '"/tmp"', '"tmpfs"', "0", "0"],
  umount2: [166, 39, '"/proc"', "2"],
  pivot_root: [155, 41, '"/tmp"', '"/tmp"'],
  chroot: [161, 51, '"/tmp"'],
  bpf: [321, 280, "0", "0", "0"],
  perf_event_open: [298, 241, "0", "0", "-1", "-1", "0"],
  io_uring_setup: [425, 425, "1", "0"],
  open_by_handle_at: [304, 265, "-100", "0", "0"],
  "socket(vsock)": [41, 198, "40", "1", "0"],
  "socket(packet)": [41, 198, "17", "3", "0"],
};
const column = process.arch === "arm64" ? 1 : 0;
for (const [name, [x64, arm64, ...args]] of Object.entries(CALLS))
  await attempt(name, () => {
    // perl passes strings only from variables.
    const call = `my @a = (${args.join(", ")}); my $r = syscall(${column === 1 ? arm64 : x64}, @a);`;
    const output = execFileSync("/usr/bin/perl", [
      "-MErrno",
      "-e",
      `${call} print $r == -1 ? (grep { $!{$_} } keys %!)[0] : "done $r"`,
    ]);
    if (!String(output).startsWith("done")) throw Object.assign(new Error(), { code: String(output) });
    return output;
  });
await attempt("setuid program", () =>
  secretIn(String(execFileSync("unshare", ["-Ur", "cat", targets.secrets[0]!], { stdio: "pipe" }))),
);
await attempt("mknod", () => execFileSync("mknod", ["/tmp/disk", "b", "8", "0"], { stdio: "pipe" }) && "created");

await attempt("symlink race", async () => {
  const [first] = targets.secrets;
  const [link, other] = ["link", "other"].map((name) => join(targets.writable, name));
  for (let round = 0; round < 200; round += 1) {
    symlinkSync(round % 2 === 0 ? first! : "/etc/hostname", other!);
    renameSync(other!, link!);
    try {
      const text = secretIn(readFileSync(link!, "utf8"));
      if (text !== undefined) return text;
    } catch {}
  }
  unlinkSync(link!);
  return undefined;
});

const daemon = `trap '' TERM HUP; while :; do sleep 0.2; done # ${targets.secret}`;
spawn("/bin/sh", ["-c", `setsid /bin/sh -c "${daemon}" >/dev/null 2>&1 </dev/null &`], {
  detached: true,
  stdio: "ignore",
  env: { PATH: process.env["PATH"] },
}).on("exit", () => process.stdout.write(`${JSON.stringify(report)}\n`));
process.stdin.resume().on("end", () => process.exit());
