/** Reports servers that are this Plugboard itself, whose tools would be offered to themselves. */
import type { ServerFacts } from "../facts/facts.ts";
import type { Check } from "./finding.ts";
import { lastStates } from "./last-states.ts";
import { removalHint } from "./removal-hint.ts";
import { baseName, npxPackage } from "../facts/npx-package.ts";

const OWN_PACKAGES: ReadonlySet<string> = new Set(["plugboard", "@plugboard/cli"]);
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

export const checkSelf: Check = ({ servers, journal, port: { port } }) => {
  const last = lastStates(journal);
  return servers
    .filter(
      (server) => isOwnCommand(server) || isOwnPort(server, port) || last.get(server.id)?.code === "SERVER_IS_SELF",
    )
    .map((server) => ({
      check: "self",
      severity: "error",
      server: server.id,
      message: "It is this Plugboard itself, so its tools would be Plugboard's own.",
      fix: `Remove it: ${removalHint(server)}.`,
    }));
};

/** Recognises `plugboard stdio`, also through npx or Node. */
function isOwnCommand({ program }: ServerFacts): boolean {
  if (!program?.args.includes("stdio")) return false;
  const { command, args } = program;
  const npx = npxPackage(command, args)?.name;
  const script = baseName(command) === "node" ? baseName((args[0] ?? "").replace(/\.js$/, "")) : undefined;
  return baseName(command) === "plugboard" || script === "plugboard" || (npx !== undefined && OWN_PACKAGES.has(npx));
}

function isOwnPort({ url }: ServerFacts, port: number): boolean {
  if (url === undefined) return false;
  const { hostname, port: given } = new URL(url);
  return LOOPBACK.has(hostname) && given === String(port);
}
