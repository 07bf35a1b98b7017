/**
 * Describes a project's server that waits for approval: its whole definition, and the changes since the last approval.
 */
import type { ConfigSource, JsonObject, PendingServer, QuestionOwner } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "@plugboard/config";
import { unmaskedEntry, definitionHash, variablesOf } from "@plugboard/config";
import type { QuestionDraft } from "../inbox/question-inbox.ts";
import { diffJson } from "../lib/json-diff.ts";

export interface PendingServerHistory {
  /** The definition that was last trusted under the same id. */
  readonly lastTrusted: JsonObject | undefined;
  /** The source of the active server that the definition would replace. */
  readonly replaces: ConfigSource | undefined;
}

/** Returns undefined for an invalid definition, which can't be trusted. */
export function pendingServer(
  server: ConfiguredServer,
  { lastTrusted, replaces }: PendingServerHistory,
): PendingServer | undefined {
  const { id, source, folder, definition, sandbox } = server;
  if ("invalid" in definition) return undefined;
  const displayed = displayedDefinition(server, definition);
  return {
    id,
    source,
    folder,
    transport: definition.transport,
    hash: definitionHash(server),
    definition: displayed,
    variables: variablesOf(server).toSorted(),
    ...(sandbox && { sandbox: { read: sandbox.read, write: sandbox.write, network: sandbox.network } }),
    ...(lastTrusted && { changes: diffJson(lastTrusted, displayed) }),
    ...(replaces && { replaces }),
  };
}

export function trustQuestion(pending: PendingServer, owner: QuestionOwner): QuestionDraft {
  const { id, hash: _, ...shown } = pending;
  return { type: "trust", owner, server: id, ...shown };
}

/** Includes the file and the folder, because the same text means something else in another folder. */
function displayedDefinition({ file, folder, enabledBy }: ConfiguredServer, definition: ServerDefinition): JsonObject {
  return {
    ...unmaskedEntry(definition),
    file,
    folder,
    ...(enabledBy !== undefined && { switched_on_by: enabledBy }),
  };
}
