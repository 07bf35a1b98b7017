/** The question whether a project's server may be used: the whole of what would be agreed to, and what is new in it. */
import type { JsonObject, QuestionOwner, Source, TransportName } from "@plugboard/contracts";
import type { Draft } from "../inbox/inbox.ts";
import { jsonChanges } from "../policy/tool-changes.ts";
import type { TrustEntry } from "./trust.ts";

export interface AskedTrust {
  readonly owner: QuestionOwner;
  readonly server: Omit<TrustEntry, "hash"> & { readonly transport: TransportName };
  /** As written. */
  readonly definition: JsonObject;
  /** The environment variables and secrets whose values the server would be given. */
  readonly variables: readonly string[];
  /** What was trusted in its place before. */
  readonly before: JsonObject | undefined;
  /** Where the server comes from whose place it would take. */
  readonly replaces?: Source | undefined;
}

export function trustQuestion({ owner, server, definition, variables, before, replaces }: AskedTrust): Draft {
  const { id, source, folder, transport } = server;
  return {
    type: "trust",
    owner,
    server: id,
    source,
    folder,
    transport,
    definition,
    variables: [...new Set(variables)].toSorted(),
    ...(before && { changes: jsonChanges(before, definition) }),
    ...(replaces && { replaces }),
  };
}
