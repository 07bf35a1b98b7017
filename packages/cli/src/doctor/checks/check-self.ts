/** Reports servers that run this Plugboard itself, which would offer its own tools to it again. */
import { isPlugboardItself } from "@plugboard/config";
import type { ServerFacts } from "../facts/facts.ts";
import type { Check } from "./finding.ts";
import { lastStates } from "./last-states.ts";
import { removalHint } from "./removal-hint.ts";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

export const checkSelf: Check = ({ servers, journal, port: { port } }) => {
  const last = lastStates(journal);
  return servers
    .filter(
      (server) =>
        (server.program && isPlugboardItself(server.program)) ||
        isOwnPort(server, port) ||
        last.get(server.id)?.code === "SERVER_IS_SELF",
    )
    .map((server) => ({
      check: "self",
      severity: "error",
      server: server.id,
      message: "It runs this Plugboard itself, so every tool would appear twice.",
      fix: `Remove it: ${removalHint(server)}.`,
    }));
};

function isOwnPort({ url }: ServerFacts, port: number): boolean {
  if (url === undefined) return false;
  const { hostname, port: given } = new URL(url);
  return LOOPBACK.has(hostname) && given === String(port);
}
