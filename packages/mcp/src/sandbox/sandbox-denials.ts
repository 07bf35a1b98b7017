/**
 * Finds out what a sandbox has refused, from the refusals of the proxy and from the error messages of the server. A server
 * need not report an error, so the list can be incomplete.
 */
import { existsSync } from "node:fs";
import type { SandboxPolicy } from "@plugboard/contracts";
import { isListed } from "./allowed-hosts.ts";
import type { ProxyAttempt } from "./hosts-proxy.ts";
import { isWithin } from "./sandbox-mounts.ts";
import type { Mount } from "./sandbox-mounts.ts";

/** `direct`: the host is listed, but the server has not used the proxy. */
export type SandboxDenial =
  | { readonly type: "read" | "write"; readonly path: string }
  | { readonly type: "host" | "direct" | "local"; readonly host: string };

/** Says what was refused, and the change of the definition that allows it. */
export function explainDenial(denial: SandboxDenial): string {
  switch (denial.type) {
    case "read":
      return `The sandbox hides ${denial.path}: add it to \`read\`.`;
    case "write":
      return `The sandbox does not allow writing ${denial.path}: add it to \`write\`.`;
    case "host":
      return `The sandbox does not allow ${denial.host}: add it to \`network\`.`;
    case "local":
      return `The sandbox does not allow ${denial.host}, because the name leads to this machine.`;
    case "direct":
      return `The sandbox allows ${denial.host} only through its proxy, which the server did not use. Node obeys HTTPS_PROXY from version 24 on: use a newer Node, or set \`network\` to true.`;
  }
}

const MAX_DENIALS = 100;
const MAX_LINE = 4096;

export class SandboxDenials {
  readonly #policy: SandboxPolicy;
  readonly #mounts: readonly Mount[];
  readonly #found = new Map<string, SandboxDenial>();
  #onDenial: ((denial: SandboxDenial) => void) | undefined;
  #line = "";

  constructor(policy: SandboxPolicy, mounts: readonly Mount[]) {
    this.#policy = policy;
    this.#mounts = mounts;
  }

  /** Calls the listener with each denial, the earlier ones included. The same denial is reported once. */
  follow(onDenial: (denial: SandboxDenial) => void): void {
    for (const denial of this.#found.values()) onDenial(denial);
    this.#onDenial = onDenial;
  }

  handleAttempt({ host, refused }: ProxyAttempt): void {
    if (refused === "not listed") this.#add({ type: "host", host });
    if (refused === "local address") this.#add({ type: "local", host });
  }

  /** Reads the server's stderr. */
  handleOutput(chunk: Buffer): void {
    const lines = `${this.#line}${chunk.toString("utf8")}`.split("\n");
    this.#line = lines.pop()!.slice(0, MAX_LINE);
    for (const line of lines) {
      const denial = line.length <= MAX_LINE ? findDenial(line, this.#policy, this.#mounts) : undefined;
      if (denial) this.#add(denial);
    }
  }

  #add(denial: SandboxDenial): void {
    const key = JSON.stringify(denial);
    if (this.#found.has(key) || this.#found.size >= MAX_DENIALS) return;
    this.#found.set(key, denial);
    this.#onDenial?.(denial);
  }
}

/** Returns the denial that explains an error message, if the sandbox is its cause. */
export function findDenial(
  line: string,
  policy: SandboxPolicy,
  mounts: readonly Mount[],
  exists: (path: string) => boolean = existsSync,
): SandboxDenial | undefined {
  return findFileDenial(line, mounts, exists) ?? findHostDenial(line, policy.network);
}

const MISSING = /\bENOENT\b|No such file or directory/;
const READ_ONLY = /\bEROFS\b|Read-only file system/;
const FORBIDDEN = /\bEACCES\b|\bEPERM\b|Permission denied/;
/** In quotes, or up to the next space. */
const PATH = /(["'`])(\/[^"'`]+)\1|(?<![\w./])(\/[^\s"'`:,;()]+)/;

function findFileDenial(
  line: string,
  mounts: readonly Mount[],
  exists: (path: string) => boolean,
): SandboxDenial | undefined {
  const readOnly = READ_ONLY.test(line);
  const missing = !readOnly && MISSING.test(line);
  if (!readOnly && !missing && !FORBIDDEN.test(line)) return undefined;
  const [, , quoted, plain] = PATH.exec(line) ?? [];
  const path = quoted ?? plain;
  if (path === undefined) return undefined;
  const mount = mounts.findLast((found) => isWithin(path, found.path))?.type;
  if (readOnly) return mount === "write" ? undefined : { type: "write", path };
  // A file that does not exist outside of the sandbox either is not hidden by it.
  return mount !== "read" && mount !== "write" && mount !== "link" && exists(path) ? { type: "read", path } : undefined;
}

const UNREACHABLE =
  /\b(?:EAI_AGAIN|ENOTFOUND)\s+([\w.-]+)|\b(?:ENETUNREACH|EHOSTUNREACH)\s+([\d.]+|[\da-f:]+)|Could not resolve host: ([\w.-]+)/;

function findHostDenial(line: string, network: SandboxPolicy["network"]): SandboxDenial | undefined {
  if (network === true) return undefined;
  const [, name, address, curlName] = UNREACHABLE.exec(line) ?? [];
  const host = name ?? address ?? curlName;
  if (host === undefined) return undefined;
  const listed = network !== false && network.some((entry) => isListed([entry.replace(/:\d+$/, "")], host, 0));
  return { type: listed ? "direct" : "host", host };
}
