/** Why nobody can log in at a server: what it needs stands in its definition. */
import { HostError } from "@plugboard/contracts";
import type { ServerDefinition } from "../../config/definition/definition.ts";

export function loginUnsupported(server: string, definition: ServerDefinition): HostError {
  return new HostError("USAGE", {
    message: `Nobody logs in at "${server}": ${unsupportedReason(definition)}`,
    omitHelp: true,
  });
}

function unsupportedReason(definition: ServerDefinition): string {
  if (!("auth" in definition)) return "it runs on this machine and gets what it needs in `env`";
  switch (definition.auth.type) {
    case "api_key":
      return "its definition has a key in `auth`";
    case "token_file":
      return "its token is in the file that `auth` names";
    case "enterprise":
      return "the identity provider that `auth` names vouches for you";
    case "client_credentials":
      return "its definition has credentials of its own in `auth`, which are used by themselves";
    default:
      return "its definition sends a header `Authorization`";
  }
}
