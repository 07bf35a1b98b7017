/** Describes a configured server without a connection, with every value that may be a secret masked. */
import type { DescribedDefinition } from "@plugboard/contracts";
import type { ConfiguredServer } from "../definition/definition.ts";
import { describeTarget } from "./describe-target.ts";
import { describeAccess, redactedEntry } from "./redacted-entry.ts";

export function describeConfigured(server: ConfiguredServer): DescribedDefinition {
  const { id, source, file, definition } = server;
  if ("invalid" in definition) return { id, source, file, enabled: false, invalid: definition.invalid };
  const { transport, enabled } = definition;
  const target = describeTarget(definition);
  const sandbox = describeAccess(server);
  const config = redactedEntry(definition);
  return { id, source, file, enabled, transport, target, config, ...(sandbox && { sandbox }) };
}
