/** Describes a configured server without a connection, with every value that may be a secret masked. */
import type { DescribedDefinition } from "@plugboard/contracts";
import type { ConfiguredServer } from "../definition/definition.ts";
import { describeTarget } from "./describe-target.ts";
import { redactedEntry } from "./redacted-entry.ts";

export function describeConfigured({ id, source, file, definition }: ConfiguredServer): DescribedDefinition {
  if ("invalid" in definition) return { id, source, file, enabled: false, invalid: definition.invalid };
  const { transport, enabled } = definition;
  const target = describeTarget(definition);
  return { id, source, file, enabled, transport, target, config: redactedEntry(definition) };
}
