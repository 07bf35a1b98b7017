/**
 * Decides which era a server speaks, from its answers. Pure: `open-session.ts`
 * performs the moves and reports their results.
 *
 * The decision does not depend on the server's speed. After a silence
 * `initialize` is sent too, and the answers to both requests decide. A dual-era
 * server that has answered `initialize` is bound to the legacy era, so it is
 * restarted and sent only the modern probe.
 */
import type { Era, PeerError } from "@plugboard/contracts";
import { HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from "../wire/rpc-codes.ts";
import { firstKnown, LEGACY_VERSIONS, MODERN_VERSIONS, NEWEST_MODERN } from "./versions.ts";

/** How far one of the two openings has come. */
type Opening = "unsent" | "sent" | "yes" | "no";

export type OpeningMethod = "server/discover" | "initialize" | "ping";

export interface ProbeState {
  readonly discover: Opening;
  readonly initialize: Opening;
  readonly restarted: boolean;
  /** True if the server is known to be modern. Silence then does not start the legacy handshake. */
  readonly patient: boolean;
  readonly version: string;
}

export type ProbeFact =
  | { readonly type: "opened"; readonly remembered?: Era }
  | { readonly type: "discovered"; readonly versions: readonly unknown[] }
  /** Without an error: the answer was no message at all. */
  | { readonly type: "discover_refused"; readonly error?: PeerError }
  | { readonly type: "initialized" }
  | { readonly type: "initialize_refused" }
  /** A result or an error. Either shows that the server has read the probe, which was sent earlier. */
  | { readonly type: "ping_answered" }
  | { readonly type: "silence" }
  | { readonly type: "exited" };

export type ProbeMove =
  | { readonly type: "wait" }
  | { readonly type: "send"; readonly method: OpeningMethod }
  /** Restart the server and open it in that era. */
  | { readonly type: "restart"; readonly as: Era }
  | { readonly type: "settle"; readonly era: Era; readonly version: string }
  /** No revision in common: these it offered. */
  | { readonly type: "fail"; readonly offered?: readonly string[] };

export const UNPROBED: ProbeState = {
  discover: "unsent",
  initialize: "unsent",
  restarted: false,
  patient: false,
  version: NEWEST_MODERN,
};

export function probe(state: ProbeState, fact: ProbeFact): [ProbeState, ProbeMove] {
  switch (fact.type) {
    case "opened":
      if (fact.remembered === "legacy") return send({ ...state, initialize: "sent" }, "initialize");
      return send({ ...state, discover: "sent", patient: fact.remembered === "modern" }, "server/discover");
    case "discovered":
      return spokeModern(state, fact.versions);
    case "discover_refused":
      return discoverRefused(state, fact.error);
    case "initialized":
      return state.initialize === "sent" ? initialized({ ...state, initialize: "yes" }) : [state, WAIT];
    case "initialize_refused":
      return state.initialize === "sent" ? initializeRefused({ ...state, initialize: "no" }) : [state, WAIT];
    case "ping_answered":
      return state.initialize === "yes" ? [state, LEGACY] : [state, WAIT];
    case "silence":
      if (state.discover === "yes") return [state, modern(state)];
      if (state.initialize === "yes") return [state, LEGACY];
      if (state.patient || state.initialize !== "unsent") return [state, WAIT];
      return send({ ...state, initialize: "sent" }, "initialize");
    case "exited":
      // A server known to be modern did not exit because of the probe.
      if (state.restarted || state.patient || state.discover === "unsent") return [state, { type: "fail" }];
      return restart("legacy");
  }
}

/** How much of what a server offers is repeated in an error. */
const MAX_OFFERED = 20;
const MAX_VERSION_LENGTH = 100;

const WAIT: ProbeMove = { type: "wait" };
const LEGACY: ProbeMove = { type: "settle", era: "legacy", version: "" };

function send(state: ProbeState, method: OpeningMethod): [ProbeState, ProbeMove] {
  return [state, { type: "send", method }];
}

function restart(as: Era): [ProbeState, ProbeMove] {
  return [
    { ...UNPROBED, restarted: true },
    { type: "restart", as },
  ];
}

function modern({ version }: ProbeState): ProbeMove {
  return { type: "settle", era: "modern", version };
}

/** Gives an open probe the time of one more round trip, because servers may answer out of order. */
function initialized(state: ProbeState): [ProbeState, ProbeMove] {
  if (state.discover === "sent") return send(state, "ping");
  return state.discover === "yes" ? spokeBoth(state) : [state, LEGACY];
}

function spokeBoth(state: ProbeState): [ProbeState, ProbeMove] {
  return state.restarted ? [state, LEGACY] : restart("modern");
}

function spokeModern(state: ProbeState, versions: readonly unknown[]): [ProbeState, ProbeMove] {
  const version = firstKnown(MODERN_VERSIONS, versions);
  if (version === undefined) return noCommonModern(state, versions);
  const known: ProbeState = { ...state, discover: "yes", version };
  if (state.initialize === "yes") return spokeBoth(known);
  return [known, state.initialize === "sent" ? WAIT : modern(known)];
}

/** Codes that only a modern server gives settle the era; no other code proves anything. */
function discoverRefused(state: ProbeState, error: PeerError | undefined): [ProbeState, ProbeMove] {
  if (error?.code === UNSUPPORTED_VERSION) {
    const supported = supportedVersions(error);
    if (supported) return spokeModern(state, supported);
  }
  if (error?.code === MISSING_CAPABILITY || error?.code === HEADER_MISMATCH) {
    return spokeModern(state, [NEWEST_MODERN]);
  }
  return fallBack(state);
}

function noCommonModern(state: ProbeState, versions: readonly unknown[]): [ProbeState, ProbeMove] {
  if (state.initialize === "yes" || firstKnown(LEGACY_VERSIONS, versions) !== undefined) return fallBack(state);
  const named = versions.filter((version) => typeof version === "string").slice(0, MAX_OFFERED);
  return [state, { type: "fail", offered: named.map((version) => version.slice(0, MAX_VERSION_LENGTH)) }];
}

function fallBack(state: ProbeState): [ProbeState, ProbeMove] {
  const refused: ProbeState = { ...state, discover: "no" };
  switch (state.initialize) {
    case "unsent":
      return send({ ...refused, initialize: "sent" }, "initialize");
    case "sent":
      return [refused, WAIT];
    case "yes":
      return [refused, LEGACY];
    case "no":
      return [refused, { type: "fail" }];
  }
}

function initializeRefused(state: ProbeState): [ProbeState, ProbeMove] {
  switch (state.discover) {
    case "yes":
      return [state, modern(state)];
    case "unsent":
      return send({ ...state, discover: "sent" }, "server/discover");
    case "sent":
      return [state, WAIT];
    case "no":
      return [state, { type: "fail" }];
  }
}

function supportedVersions(error: PeerError): readonly unknown[] | undefined {
  const { data } = error;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  return Array.isArray(data["supported"]) ? data["supported"] : undefined;
}
