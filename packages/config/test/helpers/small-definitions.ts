/** Creates server definitions with defaults for everything that a test does not set. */
import type { UrlTransport } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "#definition/definition.js";

type DefinitionWith<Transport extends string> = Extract<ServerDefinition, { transport: Transport }>;
type UrlDefinition = DefinitionWith<UrlTransport>;

const DEFAULTS = {
  enabled: true,
  startupTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  start: "eager",
  share: "all",
  tools: { include: ["*"], exclude: [] },
  trustAnnotations: false,
  sampling: false,
  resultLimitBytes: 100_000,
} as const;

export function stdioDefinition(overrides: Partial<DefinitionWith<"stdio">> = {}): DefinitionWith<"stdio"> {
  return { ...DEFAULTS, transport: "stdio", command: "x", args: [], env: {}, ...overrides };
}

export function httpDefinition(overrides: Partial<UrlDefinition> = {}): UrlDefinition {
  return { ...DEFAULTS, transport: "http", url: "https://x/mcp", headers: {}, auth: { type: "none" }, ...overrides };
}

export function sdkDefinition(name: string): DefinitionWith<"sdk"> {
  return { ...DEFAULTS, transport: "sdk", name };
}

export function configured(
  definition: ConfiguredServer["definition"],
  overrides: Partial<ConfiguredServer> = {},
): ConfiguredServer {
  return { id: "files", source: "user", file: "/home/ann/config.json", folder: "/project", definition, ...overrides };
}
