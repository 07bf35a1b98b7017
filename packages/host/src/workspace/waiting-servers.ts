/** What a project's files define and nobody has agreed to, as it is shown among the servers. Nothing is done with it. */
import { HostError } from "@plugboard/contracts";
import type { ServerDetail } from "@plugboard/contracts";
import type { ConfiguredServer } from "../config/definition.ts";
import { describeTarget } from "../config/describe-target.ts";
import { redactedEntry } from "../config/redacted-entry.ts";

/** Those that would take the place of one that is in effect are not among them: that one is what the id stands for. */
export function waitingServers(
  pending: readonly ConfiguredServer[],
  isInEffect: (id: string) => boolean,
): ServerDetail[] {
  return pending.flatMap((server) => {
    const { id, source, definition } = server;
    if (isInEffect(id) || "invalid" in definition) return [];
    return [
      {
        id,
        source,
        transport: definition.transport,
        target: describeTarget(definition),
        enabled: true,
        tools: 0,
        state: "disabled",
        last_error: untrusted(server).toJSON(),
        config: redactedEntry(definition),
        offered: [],
      },
    ];
  });
}

export function untrusted({ id, source, folder }: ConfiguredServer): HostError {
  return new HostError("SERVER_UNTRUSTED", { server: id, source, folder });
}
