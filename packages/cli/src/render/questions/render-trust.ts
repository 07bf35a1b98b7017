/** Renders the results of `plugboard trust`. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ConfigSource } from "@plugboard/contracts";
import { shortName } from "../quote-untrusted.ts";

/** A server for which there was nothing to do. */
export interface UnchangedServer {
  readonly server: string;
  readonly reason: "already approved" | "needs no approval" | "not approved" | "declined";
  /** Where the server is defined, if it needs no approval. */
  readonly source?: ConfigSource;
}

export function renderApproved(servers: readonly string[]): string {
  if (servers.length === 0) return "";
  const command = servers.length === 1 ? `plugboard test ${servers[0]!}` : "plugboard test";
  return `Approved ${nameList(servers)}. If a definition changes, you will be asked again. To check that it works, run: ${sanitizeLine(command)}\n`;
}

export function renderRevoked(servers: readonly string[]): string {
  if (servers.length === 0) return "";
  const it = servers.length === 1 ? "It does" : "They do";
  return `Withdrew your approval of ${nameList(servers)}. ${it} not start until you approve ${servers.length === 1 ? "it" : "them"} again.\n`;
}

/** Says why nothing has changed. */
export function renderUnchanged({ server, reason, source }: UnchangedServer): string {
  const name = shortName(server);
  switch (reason) {
    case "already approved":
      return `${name} is already approved. To withdraw your approval, run: plugboard trust ${name} --revoke\n`;
    case "needs no approval":
      return `${name} needs no approval, because ${describeSource(source)}. Only servers of a project do.\n`;
    case "not approved":
      return `${name} is not approved, so there is nothing to withdraw.\n`;
    case "declined":
      return `${name} is not approved.\n`;
  }
}

function describeSource(source: ConfigSource | undefined): string {
  switch (source) {
    case "user":
      return "it is in your own config file";
    case "managed":
      return "your administrator has defined it";
    default:
      return "you have given it on the command line";
  }
}

function nameList(servers: readonly string[]): string {
  const names = servers.map(shortName);
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`;
}
