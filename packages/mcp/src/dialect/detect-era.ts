/**
 * Decides which era a server speaks, from its answers. Pure: `open-session.ts` performs the actions and reports their
 * results.
 *
 * The probe of the modern era, `server/discover`, is sent first. The decision does not depend on the server's speed:
 * after a silence `initialize` is sent too, and the answers to both requests decide. A dual-era server that has
 * answered `initialize` is bound to the legacy era, so it is restarted and gets only the modern probe.
 */
import type { Era, PeerError } from "@plugboard/contracts";
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION } from "../wire/rpc-error-codes.ts";
import { firstSupported, LEGACY_NAMES, MODERN_NAMES, NEWEST_MODERN } from "../session/revisions.ts";

/** The only era in which the transport HTTP+SSE exists. */
export const SSE_ERA: Era = "legacy";

/** The only era in which a server sends requests of its own. In the modern era, its questions are results. */
export const PUSH_ERA: Era = "legacy";

/** The state of one of the two opening requests. */
type OpeningStatus = "unsent" | "sent" | "accepted" | "rejected";

export type OpeningMethod = "server/discover" | "initialize" | "ping";

export interface ProbeState {
  readonly discover: OpeningStatus;
  readonly initialize: OpeningStatus;
  readonly restarted: boolean;
  /** True if the server is known to be modern. Silence then does not start the legacy handshake. */
  readonly expectsModern: boolean;
  /** The only era that the session may have. The other one is not tried. */
  readonly onlyEra?: Era | undefined;
  readonly version: string;
}

export type ProbeEvent =
  | { readonly type: "opened"; readonly rememberedEra?: Era | undefined; readonly onlyEra?: Era | undefined }
  | { readonly type: "discovered"; readonly versions: readonly unknown[] }
  /** `error` is absent if the answer was not a valid message. */
  | { readonly type: "discover_refused"; readonly error?: PeerError }
  | { readonly type: "initialized" }
  | { readonly type: "initialize_refused" }
  /** The ping got a result or an error. Either shows that the server has read the probe, which was sent earlier. */
  | { readonly type: "ping_answered" }
  | { readonly type: "silence" }
  | { readonly type: "exited" };

export type ProbeAction =
  | { readonly type: "wait" }
  | { readonly type: "send"; readonly method: OpeningMethod }
  /** Restart the server and open it in that era. */
  | { readonly type: "restart"; readonly era: Era }
  | { readonly type: "settle"; readonly era: Era; readonly version: string }
  /**
   * The server cannot be used. `offered` names its revisions if none of them is supported. `refusedEra` is set if only
   * this era was allowed, and the server has rejected it.
   */
  | { readonly type: "fail"; readonly offered?: readonly string[]; readonly refusedEra?: Era };

export const INITIAL_PROBE_STATE: ProbeState = {
  discover: "unsent",
  initialize: "unsent",
  restarted: false,
  expectsModern: false,
  version: NEWEST_MODERN.name,
};

export function stepProbe(state: ProbeState, event: ProbeEvent): [ProbeState, ProbeAction] {
  switch (event.type) {
    case "opened":
      return onOpened({ ...state, onlyEra: event.onlyEra }, event.onlyEra ?? event.rememberedEra);
    case "discovered":
      return onModernVersions(state, event.versions);
    case "discover_refused":
      return onDiscoverRefused(state, event.error);
    case "initialized":
      return state.initialize === "sent" ? onInitialized({ ...state, initialize: "accepted" }) : [state, WAIT];
    case "initialize_refused":
      return state.initialize === "sent" ? onInitializeRefused({ ...state, initialize: "rejected" }) : [state, WAIT];
    case "ping_answered":
      return state.initialize === "accepted" ? [state, SETTLE_LEGACY] : [state, WAIT];
    case "silence":
      if (state.discover === "accepted") return [state, settleModern(state)];
      if (state.initialize === "accepted") return [state, SETTLE_LEGACY];
      if (state.expectsModern || state.initialize !== "unsent") return [state, WAIT];
      return send({ ...state, initialize: "sent" }, "initialize");
    case "exited":
      // A server known to be modern did not exit because of the probe.
      if (state.restarted || state.expectsModern || state.discover === "unsent") return [state, { type: "fail" }];
      return restart("legacy");
  }
}

/** Limits the list of revisions in an error message. */
const MAX_OFFERED = 20;
const MAX_VERSION_LENGTH = 100;

const WAIT: ProbeAction = { type: "wait" };
/** Has no version, because the result of `initialize` names it. */
const SETTLE_LEGACY: ProbeAction = { type: "settle", era: "legacy", version: "" };

function send(state: ProbeState, method: OpeningMethod): [ProbeState, ProbeAction] {
  return [state, { type: "send", method }];
}

function restart(era: Era): [ProbeState, ProbeAction] {
  return [
    { ...INITIAL_PROBE_STATE, restarted: true },
    { type: "restart", era },
  ];
}

function onOpened(state: ProbeState, era: Era | undefined): [ProbeState, ProbeAction] {
  if (era === "legacy") return send({ ...state, initialize: "sent" }, "initialize");
  return send({ ...state, discover: "sent", expectsModern: era === "modern" }, "server/discover");
}

function settleModern({ version }: ProbeState): ProbeAction {
  return { type: "settle", era: "modern", version };
}

/**
 * If the probe has no answer yet, a ping decides: a server that answers in order answers the probe before the ping.
 * If the ping is answered first, the server ignores the probe, so it is legacy.
 */
function onInitialized(state: ProbeState): [ProbeState, ProbeAction] {
  if (state.discover === "sent") return send(state, "ping");
  return state.discover === "accepted" ? onBothErasAnswered(state) : [state, SETTLE_LEGACY];
}

function onBothErasAnswered(state: ProbeState): [ProbeState, ProbeAction] {
  return state.restarted ? [state, SETTLE_LEGACY] : restart("modern");
}

function onModernVersions(state: ProbeState, versions: readonly unknown[]): [ProbeState, ProbeAction] {
  const version = firstSupported(MODERN_NAMES, versions);
  if (version === undefined) return onNoCommonModernVersion(state, versions);
  const next: ProbeState = { ...state, discover: "accepted", version };
  if (state.initialize === "accepted") return onBothErasAnswered(next);
  // If the server accepts `initialize` too, it is bound to the legacy era and must be restarted.
  return [next, state.initialize === "sent" ? WAIT : settleModern(next)];
}

/** An error code that only modern servers use proves the modern era. No other code proves anything. */
function onDiscoverRefused(state: ProbeState, error: PeerError | undefined): [ProbeState, ProbeAction] {
  if (error?.code === UNSUPPORTED_PROTOCOL_VERSION) {
    const supported = supportedVersions(error);
    if (supported) return onModernVersions(state, supported);
  }
  if (error?.code === MISSING_CLIENT_CAPABILITY || error?.code === HEADER_MISMATCH) {
    return onModernVersions(state, [NEWEST_MODERN.name]);
  }
  return fallBackToLegacy(state);
}

function onNoCommonModernVersion(state: ProbeState, versions: readonly unknown[]): [ProbeState, ProbeAction] {
  if (state.initialize === "accepted" || firstSupported(LEGACY_NAMES, versions) !== undefined)
    return fallBackToLegacy(state);
  const offered = versions.filter((version) => typeof version === "string").slice(0, MAX_OFFERED);
  return [state, { type: "fail", offered: offered.map((version) => version.slice(0, MAX_VERSION_LENGTH)) }];
}

function fallBackToLegacy(state: ProbeState): [ProbeState, ProbeAction] {
  const next: ProbeState = { ...state, discover: "rejected" };
  if (state.onlyEra) return [next, { type: "fail", refusedEra: state.onlyEra }];
  switch (state.initialize) {
    case "unsent":
      return send({ ...next, initialize: "sent" }, "initialize");
    case "sent":
      return [next, WAIT];
    case "accepted":
      return [next, SETTLE_LEGACY];
    case "rejected":
      return [next, { type: "fail" }];
  }
}

function onInitializeRefused(state: ProbeState): [ProbeState, ProbeAction] {
  if (state.onlyEra) return [state, { type: "fail", refusedEra: state.onlyEra }];
  switch (state.discover) {
    case "accepted":
      return [state, settleModern(state)];
    case "unsent":
      return send({ ...state, discover: "sent" }, "server/discover");
    case "sent":
      return [state, WAIT];
    case "rejected":
      return [state, { type: "fail" }];
  }
}

function supportedVersions(error: PeerError): readonly unknown[] | undefined {
  const { data } = error;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  return Array.isArray(data["supported"]) ? data["supported"] : undefined;
}
