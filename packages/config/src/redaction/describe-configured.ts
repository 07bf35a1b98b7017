/** Describes a configured server without a connection, with every value that may be a secret masked. */
import type { ConfigSource, JsonObject, TransportName } from "@plugboard/contracts";
import type { ConfiguredServer } from "../definition/definition.ts";
import { describeTarget } from "./describe-target.ts";
import { redactedEntry } from "./redacted-entry.ts";

export interface DescribedDefinition {
  readonly id: string;
  readonly source: ConfigSource;
  readonly file: string;
  readonly enabled: boolean;
  /** The reason why the definition can't be used. */
  readonly invalid?: string;
  /** Undefined for an invalid definition. */
  readonly transport?: TransportName;
  /** The command or URL as written, in one line. */
  readonly target?: string;
  /** The definition as a config file would have it, without default values. */
  readonly config?: JsonObject;
}

export function describeConfigured({ id, source, file, definition }: ConfiguredServer): DescribedDefinition {
  if ("invalid" in definition) return { id, source, file, enabled: false, invalid: definition.invalid };
  const { transport, enabled } = definition;
  const target = describeTarget(definition);
  return { id, source, file, enabled, transport, target, config: redactedEntry(definition) };
}
