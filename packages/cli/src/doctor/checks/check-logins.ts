/** Reports servers whose login has expired or is missing. */
import type { Facts, ServerFacts } from "../facts/facts.ts";
import type { Check, Finding } from "./finding.ts";
import { lastStates } from "./last-states.ts";

export const checkLogins: Check = (facts) => {
  const last = lastStates(facts.journal);
  return facts.servers
    .filter(({ enabled, url }) => enabled && url !== undefined)
    .flatMap((server) => checkServer(server, facts, last.get(server.id)?.state === "auth_required"));
};

function checkServer({ id, status, config }: ServerFacts, { now }: Facts, refusedLast: boolean): Finding[] {
  const base = { check: "login", server: id, fix: `Run \`plugboard login ${id}\`.` } as const;
  const { login, state } = status ?? {};
  if (state === "ready") return [];
  if (login) {
    const { expiresAt = Infinity, renewable } = login;
    if (expiresAt > now || renewable) return [];
    return [{ ...base, severity: "error", message: "Your login has expired." }];
  }
  if (state === "auth_required" || refusedLast)
    return [{ ...base, severity: "error", message: "It requires a login." }];
  const { auth } = config ?? {};
  const usesOauth = typeof auth === "object" && auth !== null && "type" in auth && auth["type"] === "oauth";
  return usesOauth ? [{ ...base, severity: "warning", message: "You have not logged in to it yet." }] : [];
}
