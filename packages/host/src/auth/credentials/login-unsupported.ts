/** Builds the error for `login` at a server whose credentials are part of its definition. */
import { HostError } from "@plugboard/contracts";
import type { ServerDefinition } from "@plugboard/config";

export function loginUnsupported(server: string, definition: ServerDefinition): HostError {
  return new HostError("USAGE", {
    message: `"${server}" needs no login: ${unsupportedReason(definition)}`,
    omitHelp: true,
  });
}

function unsupportedReason(definition: ServerDefinition): string {
  if (!("auth" in definition)) return "it runs on this machine and gets its credentials in `env`";
  switch (definition.auth.type) {
    case "api_key":
      return "its definition has an API key in `auth`";
    case "token_file":
      return "its token is read from the file in `auth`";
    case "enterprise":
      return "your organisation's identity provider logs you in";
    case "client_credentials":
      return "its definition has client credentials in `auth`";
    default:
      return "its definition sets the `Authorization` header";
  }
}
