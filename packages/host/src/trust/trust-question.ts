/** The question whether a project's server may be used: the whole of what would be agreed to, and what is new in it. */
import type { JsonObject, QuestionOwner, ConfigSource, TransportName } from "@plugboard/contracts";
import type { QuestionDraft } from "../inbox/question-inbox.ts";
import { diffJson } from "../lib/json-diff.ts";
import type { TrustEntry } from "./trust-store.ts";

export interface TrustRequest {
  readonly owner: QuestionOwner;
  readonly server: Omit<TrustEntry, "hash"> & { readonly transport: TransportName };
  /** As written. */
  readonly definition: JsonObject;
  /** The environment variables and secrets whose values the server would be given. */
  readonly variables: readonly string[];
  /** What was trusted in its place before. */
  readonly before: JsonObject | undefined;
  /** Where the server comes from whose place it would take. */
  readonly replaces?: ConfigSource | undefined;
}

export function trustQuestion({ owner, server, definition, variables, before, replaces }: TrustRequest): QuestionDraft {
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
    ...(before && { changes: diffJson(before, definition) }),
    ...(replaces && { replaces }),
  };
}
