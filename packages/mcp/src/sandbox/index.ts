/**
 * The sandbox of stdio servers: which files, processes and hosts a server sees. This folder decides and reads the disk. It
 * starts no process: `process/spawn-sandboxed.ts` does.
 *
 * A caller passes a `SandboxPolicy` of `@plugboard/contracts` as `sandbox` of a stdio target, or of the `ProcessSpec` for
 * `Processes.start`. `packages/config` makes it from the `sandbox` key of a definition. The start fails with
 * SANDBOX_UNAVAILABLE, and starts no server, if the system can't provide the sandbox.
 *
 * `ServerProcess.sandboxDenials` reports what the sandbox has refused, and `explainDenial` says which key would allow it.
 *
 * Linux: bubblewrap with namespaces for users, processes, mounts, IPC and network, and a seccomp filter. The root is empty
 * but for the mounts of `sandbox-mounts.ts`. macOS: sandbox-exec with a generated profile. Windows has no sandbox.
 */
export { bubblewrapArgs } from "./bubblewrap-args.ts";
export { cacheVariables } from "./cache-variables.ts";
export { HostsProxy, proxyVariables } from "./hosts-proxy.ts";
export { inspectFiles, SandboxProblem } from "./inspect-files.ts";
export { SandboxDenials } from "./sandbox-denials.ts";
export { sandboxMounts } from "./sandbox-mounts.ts";
export type { Mount } from "./sandbox-mounts.ts";
export { seatbeltProfile } from "./seatbelt-profile.ts";
export { seccompFilter } from "./seccomp-filter.ts";
