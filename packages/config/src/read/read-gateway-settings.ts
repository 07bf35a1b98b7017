/**
 * Reads the section `gateway`: which tokens of an external issuer the gateway accepts, and how many requests a client
 * may send. If the section is invalid, none of its keys has an effect, and the section of a lower layer has none
 * either.
 */
import { nodeValue } from "../parse/members.ts";
import type { Member } from "../parse/members.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";
import { findIssue, toSection } from "../sections/read-section.ts";
import { GATEWAY_KEYS } from "../sections/section-keys.ts";
import type { SectionValue } from "../sections/section-keys.ts";

export type GatewaySettings = SectionValue<typeof GATEWAY_KEYS>;

/** The tokens that the gateway accepts as an OAuth resource server. */
export type GatewayAuth = NonNullable<GatewaySettings["auth"]>;

export function readGatewaySettings({ valueNode }: Member, diagnostics: Diagnostics): GatewaySettings {
  const issue = findIssue(valueNode, GATEWAY_KEYS, diagnostics);
  if (!issue) return toSection(nodeValue(valueNode), GATEWAY_KEYS);
  diagnostics.report("error", issue.node, `"gateway" has no effect: ${issue.message}`);
  return {};
}
