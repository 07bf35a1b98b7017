/**
 * Which era a server speaks, decided from what it did. Pure: `open-session.ts`
 * sends what is asked for here and reports back what happened.
 *
 * A server that answers `initialize` has made the legacy handshake, and a server
 * that speaks both eras is bound by it. So once `initialize` is on its way a good
 * answer to `server/discover` does not settle the matter; the answer to
 * `initialize` does. What is remembered for the next time is the better era.
 */
import type { Era, PeerError } from "@plugboard/contracts";
import { HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from "../wire/rpc-codes.ts";
import { firstKnown, LEGACY_VERSIONS, MODERN_VERSIONS, NEWEST_MODERN } from "./versions.ts";

/** How far one of the two openings has come. */
type Opening = "unsent" | "sent" | "yes" | "no";

export interface ProbeState {
  readonly discover: Opening;
  readonly initialize: Opening;
  readonly restarted: boolean;
  /** A server known to be modern is not hurried into the legacy handshake by silence. */
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
  | { readonly type: "silence" }
  | { readonly type: "exited" };

export type ProbeMove =
  | { readonly type: "wait" }
  | { readonly type: "send"; readonly method: "server/discover" | "initialize" }
  /** Start it once more; then only the legacy handshake is spoken. */
  | { readonly type: "restart" }
  | { readonly type: "settle"; readonly era: Era; readonly version: string; readonly remember: Era }
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
      return [state, legacy(state)];
    case "initialize_refused":
      return initializeRefused({ ...state, initialize: "no" });
    case "silence":
      if (state.discover === "yes") return [state, modern(state)];
      if (state.patient || state.initialize !== "unsent") return [state, WAIT];
      return send({ ...state, initialize: "sent" }, "initialize");
    case "exited":
      if (state.restarted || state.discover === "unsent") return [state, { type: "fail" }];
      return [{ ...UNPROBED, restarted: true }, { type: "restart" }];
  }
}

/** How much of what a server offers is repeated in an error. */
const MAX_OFFERED = 20;
const MAX_VERSION_LENGTH = 100;

const WAIT: ProbeMove = { type: "wait" };

function send(state: ProbeState, method: "server/discover" | "initialize"): [ProbeState, ProbeMove] {
  return [state, { type: "send", method }];
}

function modern(state: ProbeState): ProbeMove {
  return { type: "settle", era: "modern", version: state.version, remember: "modern" };
}

function legacy(state: ProbeState): ProbeMove {
  const remember = state.discover === "yes" ? "modern" : "legacy";
  return { type: "settle", era: "legacy", version: "", remember };
}

function spokeModern(state: ProbeState, versions: readonly unknown[]): [ProbeState, ProbeMove] {
  const version = firstKnown(MODERN_VERSIONS, versions);
  if (version === undefined) return noCommonModern(state, versions);
  const known: ProbeState = { ...state, discover: "yes", version };
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
  if (firstKnown(LEGACY_VERSIONS, versions) !== undefined) return fallBack(state);
  const named = versions.filter((version) => typeof version === "string").slice(0, MAX_OFFERED);
  return [state, { type: "fail", offered: named.map((version) => version.slice(0, MAX_VERSION_LENGTH)) }];
}

function fallBack(state: ProbeState): [ProbeState, ProbeMove] {
  const refused: ProbeState = { ...state, discover: "no" };
  if (state.initialize === "unsent") return send({ ...refused, initialize: "sent" }, "initialize");
  return [refused, state.initialize === "no" ? { type: "fail" } : WAIT];
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
