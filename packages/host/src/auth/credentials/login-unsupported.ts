/** Builds the errors for `login` at a server that needs none. */
import { HostError } from "@plugboard/contracts";
import type { ServerDefinition } from "@plugboard/config";

/** For a server whose credentials are part of its definition. */
export function loginUnsupported(server: string, definition: ServerDefinition): HostError {
  return loginNotNeeded(server, unsupportedReason(definition));
}

/** For a server that offers no login and accepts requests without one. */
export function loginUnneeded(server: string): HostError {
  return loginNotNeeded(server, "it accepts requests without one");
}

function loginNotNeeded(server: string, reason: string): HostError {
  return new HostError("USAGE", { message: `"${server}" needs no login: ${reason}`, omitHelp: true });
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
