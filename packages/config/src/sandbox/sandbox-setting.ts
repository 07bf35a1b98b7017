/** Validates the `sandbox` key of an entry, and `sandbox_default` of a file. */
import { isJsonObject, nearest, SANDBOX_PRESETS } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { validateEnvReferences } from "../lib/env-references.ts";

const KEYS = ["read", "write", "network"];

/** A name, `*.` and a name, or an address; with or without a port. */
const HOST = /^(?:(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const IPV6 = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i;

const texts: JsonObject = { type: "array", items: { type: "string" } };

export const SANDBOX_SCHEMA: JsonObject = {
  anyOf: [
    { type: "boolean" },
    { enum: Object.keys(SANDBOX_PRESETS) },
    {
      type: "object",
      properties: { read: texts, write: texts, network: { anyOf: [{ type: "boolean" }, texts] } },
      additionalProperties: false,
      minProperties: 1,
    },
  ],
};

/** Returns what is wrong, such as "must be …". */
export function explainSandbox(
  value: unknown,
  explainPath: (path: string) => string | undefined = explainEntryPath,
): string | undefined {
  if (typeof value === "boolean" || (typeof value === "string" && Object.hasOwn(SANDBOX_PRESETS, value)))
    return undefined;
  if (!isJsonObject(value)) return `must be true, false, ${PRESETS}, or an object with "read", "write" or "network"`;
  if (Object.keys(value).length === 0) return "must not be empty; write true for a sandbox without files";
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    const meant = nearest(unknown, KEYS);
    return `has the unknown key ${JSON.stringify(unknown)}${meant === undefined ? "" : `; do you mean "${meant}"?`}`;
  }
  const { read = [], write = [], network = true } = value;
  return (
    explainPaths("read", read, explainPath) ?? explainPaths("write", write, explainPath) ?? explainNetwork(network)
  );
}

/** A path of `sandbox_default` has no variables, and no file to be relative to. */
export function explainSandboxDefault(value: unknown): string | undefined {
  return explainSandbox(value, (path) =>
    /^(?:\/|~\/|~$|[A-Za-z]:[\\/])/.test(path) && !path.includes("${")
      ? undefined
      : "must be an absolute path, or a path that begins with ~/",
  );
}

const PRESETS = Object.keys(SANDBOX_PRESETS)
  .map((preset) => `"${preset}"`)
  .join(", ");

function explainPaths(
  key: string,
  paths: unknown,
  explainPath: (path: string) => string | undefined,
): string | undefined {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === "string"))
    return `must have a list of files and folders in "${key}"`;
  for (const path of paths) {
    const problem = path === "" || path.includes("\0") ? "is not a path" : explainPath(path);
    if (problem !== undefined) return `has ${JSON.stringify(path)} in "${key}", which ${problem}`;
  }
  return undefined;
}

function explainEntryPath(path: string): string | undefined {
  if (/^~[^/\\]/.test(path)) return "names the home folder of another user; write its absolute path";
  return validateEnvReferences(path);
}

function explainNetwork(network: unknown): string | undefined {
  if (typeof network === "boolean") return undefined;
  if (!Array.isArray(network) || !network.every((host) => typeof host === "string"))
    return 'must have true, false or a list of hosts in "network"';
  const invalid = network.find((host) => !HOST.test(host) && !IPV6.test(host));
  if (invalid === undefined) return undefined;
  return `has ${JSON.stringify(invalid)} in "network", which is not a host such as "example.com", "*.example.com" or "example.com:8443"`;
}
