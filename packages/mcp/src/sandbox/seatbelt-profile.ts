/** The profile of a sandbox for `sandbox-exec` of macOS. Pure. */
import type { SandboxPolicy } from "@plugboard/contracts";
import type { SandboxFiles } from "./sandbox-mounts.ts";

export interface SeatbeltSandbox {
  readonly policy: SandboxPolicy;
  readonly files: SandboxFiles;
  /** The temporary folder of this server alone. */
  readonly temp: string;
  /** The port of the proxy, if the policy lists hosts. */
  readonly proxyPort?: number;
}

const SYSTEM_PATHS = [
  "/System",
  "/Library",
  "/usr",
  "/bin",
  "/sbin",
  "/opt",
  "/dev",
  "/private/etc",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
];

/** The last matching rule applies. Paths are real, because seatbelt compares them after it has resolved links. */
export function seatbeltProfile({ policy, files, temp, proxyPort }: SeatbeltSandbox): string {
  const read = [...files.packages, ...files.read].map(({ real }) => real);
  const write = [...files.write.map(({ real }) => real), temp, ...(policy.cache === undefined ? [] : [policy.cache])];
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow process-exec)",
    "(allow process-info* (target same-sandbox))",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow pseudo-tty)",
    // Names of users and hosts, certificates, and time zones. The services of the keychain and of other programs stay closed.
    "(allow mach-lookup",
    ...MACH_SERVICES.map((name) => `  (global-name ${quote(name)})`),
    ")",
    // The dynamic loader and realpath look at each folder on the way to a file.
    "(allow file-read-metadata)",
    rule("allow file-read*", [...SYSTEM_PATHS, ...read, ...write], '(literal "/")'),
    rule("allow file-write*", write, '(literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty")'),
    ...(files.hide.length === 0
      ? []
      : [
          rule(
            "deny file-read* file-write*",
            files.hide.map(({ real }) => real),
          ),
        ]),
    ...networkRules(policy.network, proxyPort),
    "",
  ].join("\n");
}

const MACH_SERVICES = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
  "com.apple.trustd.agent",
  "com.apple.SystemConfiguration.configd",
  "com.apple.dnssd.service",
];

function networkRules(network: SandboxPolicy["network"], proxyPort: number | undefined): string[] {
  if (network === false) return [];
  if (network !== true) return [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`];
  return [
    '(allow network-outbound (remote ip "*:*"))',
    // The sockets of the keychain, of Docker and of the host are files or loopback ports.
    '(deny network-outbound (remote ip "localhost:*"))',
    '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
    "(allow system-socket)",
  ];
}

function rule(action: string, paths: readonly string[], others = ""): string {
  const filters = paths.map((path) => `(subpath ${quote(path)})`).join(" ");
  return `(${[action, others, filters].filter((part) => part !== "").join(" ")})`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
