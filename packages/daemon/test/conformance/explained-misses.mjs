// @ts-check
/**
 * The scenarios that the gateway can't pass, because a clause of the specification forbids it. All of them are
 * scenarios of the modern revision with a legacy server, and fail at something that the legacy revision can't express.
 */

/**
 * @typedef {object} Miss
 * @property {readonly string[]} scenarios
 * @property {"2026-07-28"} revision the revision of the client
 * @property {"legacy"} era the era of the server
 * @property {"stdio"} [transport] the only transport of the server that it applies to
 * @property {string} clause
 * @property {string} why
 */

/** @type {readonly Miss[]} */
export const MISSES = [
  {
    scenarios: ["input-required-result-basic-elicitation"],
    revision: "2026-07-28",
    era: "legacy",
    clause: "2025-11-25, Client Features › Elicitation › Elicitation Requests",
    why:
      "A legacy server asks with a request of its own, which has no key. Keys are “server assigned identifiers” (2026-07-28, " +
      "Multi Round-Trip Requests), so the gateway has to make up a key, which can't be the expected `user_name`.",
  },
  {
    scenarios: ["input-required-result-ignore-extra-params"],
    revision: "2026-07-28",
    era: "legacy",
    clause: "2025-11-25, Base Protocol › Responses",
    why:
      "The scenario sends the answer with its first request, without a `requestState`. A legacy server gets an answer only as the " +
      "response to a request that it has sent (“Result responses MUST include the same ID as the request they correspond to”), " +
      "so the gateway asks again.",
  },
  {
    scenarios: ["input-required-result-basic-list-roots", "input-required-result-multiple-input-requests"],
    revision: "2026-07-28",
    era: "legacy",
    clause: "2025-11-25, Client Features › Roots › Capabilities",
    why:
      "“Clients that support roots MUST declare the `roots` capability during initialization.” The gateway initializes one " +
      "session for all its clients, before it knows them, so a legacy server that they share gets the roots of the host and never those of a client.",
  },
];

/**
 * Returns the scenarios that may fail.
 * @param {string} revision
 * @param {string} era
 * @param {string} transport
 */
export function explainedMisses(revision, era, transport) {
  return MISSES.filter(
    (miss) =>
      miss.revision === revision && miss.era === era && (miss.transport === undefined || miss.transport === transport),
  ).flatMap(({ scenarios }) => scenarios);
}
