/** Facts of a setup in which nothing is wrong, for tests of the checks. */
import type { Facts, ServerFacts } from "#doctor/facts/facts.js";

export const NOW = Date.UTC(2026, 0, 31, 12);

export function factsWith(overrides: Partial<Facts> = {}): Facts {
  return {
    now: NOW,
    version: "1.2.3",
    node: "22.12.0",
    stateFolder: { path: "/state", exists: true, isOpen: false, exposedFiles: [], oldLocks: [] },
    host: { state: "none" },
    port: { port: 7431, state: "free" },
    files: [{ file: "/user.json", source: "user", defines: [] }],
    problems: [],
    servers: [],
    untrusted: [],
    secrets: { backend: "memory", secrets: [] },
    journal: [],
    ...overrides,
  };
}

export function server(id: string, overrides: Partial<ServerFacts> = {}): ServerFacts {
  return { id, source: "user", file: "/user.json", enabled: true, digest: id, unsetVariables: [], ...overrides };
}
