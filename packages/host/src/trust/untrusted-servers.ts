/** Describes untrusted servers for the list of servers. They are shown as disabled and never started. */
import { HostError } from "@plugboard/contracts";
import type { ServerDetail } from "@plugboard/contracts";
import type { ConfiguredServer } from "@plugboard/config";
import { describeAccess, describeTarget, redactedEntry } from "@plugboard/config";

/** Omits servers whose id belongs to an active server. */
export function untrustedServers(
  pending: readonly ConfiguredServer[],
  isActive: (id: string) => boolean,
): ServerDetail[] {
  return pending.flatMap((server) => {
    const { id, source, definition } = server;
    if (isActive(id) || "invalid" in definition) return [];
    const sandbox = describeAccess(server);
    return [
      {
        id,
        source,
        transport: definition.transport,
        target: describeTarget(definition),
        enabled: true,
        ...(sandbox && { sandbox }),
        tools: 0,
        state: "disabled",
        lastError: untrustedError(server).toJSON(),
        config: redactedEntry(definition),
        offered: [],
      },
    ];
  });
}

export function untrustedError({ id, source, folder }: ConfiguredServer): HostError {
  return new HostError("SERVER_UNTRUSTED", { server: id, source, folder });
}
