/**
 * Decides which era a server speaks, from its answers. Pure: `open-session.ts`
 * performs the actions and reports their results.
 *
 * The decision does not depend on the server's speed. After a silence
 * `initialize` is sent too, and the answers to both requests decide. A dual-era
 * server that has answered `initialize` is bound to the legacy era, so it is
 * restarted and sent only the modern probe.
 */
import type { Era, PeerError } from "@plugboard/contracts";
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION } from "../wire/rpc-error-codes.ts";
import { firstSupported, LEGACY_VERSIONS, MODERN_VERSIONS, NEWEST_MODERN } from "../session/versions.ts";

/** The state of one of the two opening requests. */
type OpeningStatus = "unsent" | "sent" | "yes" | "no";

export type OpeningMethod = "server/discover" | "initialize" | "ping";

export interface ProbeState {
  readonly discover: OpeningStatus;
  readonly initialize: OpeningStatus;
  readonly restarted: boolean;
  /** True if the server is known to be modern. Silence then does not start the legacy handshake. */
  readonly expectsModern: boolean;
  readonly version: string;
}

export type ProbeFact =
  | { readonly type: "opened"; readonly remembered?: Era }
  | { readonly type: "discovered"; readonly versions: readonly unknown[] }
  /** Without an error if the answer was no valid message. */
  | { readonly type: "discover_refused"; readonly error?: PeerError }
  | { readonly type: "initialized" }
  | { readonly type: "initialize_refused" }
  /** A result or an error. Either shows that the server has read the probe, which was sent earlier. */
  | { readonly type: "ping_answered" }
  | { readonly type: "silence" }
  | { readonly type: "exited" };

export type ProbeAction =
  | { readonly type: "wait" }
  | { readonly type: "send"; readonly method: OpeningMethod }
  /** Restart the server and open it in that era. */
  | { readonly type: "restart"; readonly as: Era }
  | { readonly type: "settle"; readonly era: Era; readonly version: string }
  /** No common revision. `offered` names the revisions of the server. */
  | { readonly type: "fail"; readonly offered?: readonly string[] };

export const INITIAL_PROBE_STATE: ProbeState = {
  discover: "unsent",
  initialize: "unsent",
  restarted: false,
  expectsModern: false,
  version: NEWEST_MODERN,
};

export function stepProbe(state: ProbeState, fact: ProbeFact): [ProbeState, ProbeAction] {
  switch (fact.type) {
    case "opened":
      if (fact.remembered === "legacy") return send({ ...state, initialize: "sent" }, "initialize");
      return send({ ...state, discover: "sent", expectsModern: fact.remembered === "modern" }, "server/discover");
    case "discovered":
      return onModernVersions(state, fact.versions);
    case "discover_refused":
      return onDiscoverRefused(state, fact.error);
    case "initialized":
      return state.initialize === "sent" ? onInitialized({ ...state, initialize: "yes" }) : [state, WAIT];
    case "initialize_refused":
      return state.initialize === "sent" ? onInitializeRefused({ ...state, initialize: "no" }) : [state, WAIT];
    case "ping_answered":
      return state.initialize === "yes" ? [state, SETTLE_LEGACY] : [state, WAIT];
    case "silence":
      if (state.discover === "yes") return [state, settleModern(state)];
      if (state.initialize === "yes") return [state, SETTLE_LEGACY];
      if (state.expectsModern || state.initialize !== "unsent") return [state, WAIT];
      return send({ ...state, initialize: "sent" }, "initialize");
    case "exited":
      // A server known to be modern did not exit because of the probe.
      if (state.restarted || state.expectsModern || state.discover === "unsent") return [state, { type: "fail" }];
      return restart("legacy");
  }
}

/** Bounds the revisions that an error message repeats. */
const MAX_OFFERED = 20;
const MAX_VERSION_LENGTH = 100;

const WAIT: ProbeAction = { type: "wait" };
const SETTLE_LEGACY: ProbeAction = { type: "settle", era: "legacy", version: "" };

function send(state: ProbeState, method: OpeningMethod): [ProbeState, ProbeAction] {
  return [state, { type: "send", method }];
}

function restart(as: Era): [ProbeState, ProbeAction] {
  return [
    { ...INITIAL_PROBE_STATE, restarted: true },
    { type: "restart", as },
  ];
}

function settleModern({ version }: ProbeState): ProbeAction {
  return { type: "settle", era: "modern", version };
}

/** Gives an open probe the time of one more round trip, because servers may answer out of order. */
function onInitialized(state: ProbeState): [ProbeState, ProbeAction] {
  if (state.discover === "sent") return send(state, "ping");
  return state.discover === "yes" ? onBothErasAnswered(state) : [state, SETTLE_LEGACY];
}

function onBothErasAnswered(state: ProbeState): [ProbeState, ProbeAction] {
  return state.restarted ? [state, SETTLE_LEGACY] : restart("modern");
}

function onModernVersions(state: ProbeState, versions: readonly unknown[]): [ProbeState, ProbeAction] {
  const version = firstSupported(MODERN_VERSIONS, versions);
  if (version === undefined) return onNoCommonModernVersion(state, versions);
  const next: ProbeState = { ...state, discover: "yes", version };
  if (state.initialize === "yes") return onBothErasAnswered(next);
  return [next, state.initialize === "sent" ? WAIT : settleModern(next)];
}

/** An error code that only modern servers use proves the modern era. No other code proves anything. */
function onDiscoverRefused(state: ProbeState, error: PeerError | undefined): [ProbeState, ProbeAction] {
  if (error?.code === UNSUPPORTED_PROTOCOL_VERSION) {
    const supported = supportedVersions(error);
    if (supported) return onModernVersions(state, supported);
  }
  if (error?.code === MISSING_CLIENT_CAPABILITY || error?.code === HEADER_MISMATCH) {
    return onModernVersions(state, [NEWEST_MODERN]);
  }
  return fallBackToLegacy(state);
}

function onNoCommonModernVersion(state: ProbeState, versions: readonly unknown[]): [ProbeState, ProbeAction] {
  if (state.initialize === "yes" || firstSupported(LEGACY_VERSIONS, versions) !== undefined)
    return fallBackToLegacy(state);
  const offered = versions.filter((version) => typeof version === "string").slice(0, MAX_OFFERED);
  return [state, { type: "fail", offered: offered.map((version) => version.slice(0, MAX_VERSION_LENGTH)) }];
}

function fallBackToLegacy(state: ProbeState): [ProbeState, ProbeAction] {
  const next: ProbeState = { ...state, discover: "no" };
  switch (state.initialize) {
    case "unsent":
      return send({ ...next, initialize: "sent" }, "initialize");
    case "sent":
      return [next, WAIT];
    case "yes":
      return [next, SETTLE_LEGACY];
    case "no":
      return [next, { type: "fail" }];
  }
}

function onInitializeRefused(state: ProbeState): [ProbeState, ProbeAction] {
  switch (state.discover) {
    case "yes":
      return [state, settleModern(state)];
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
