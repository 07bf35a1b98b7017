// @ts-check
/** Decides whether a run of a scenario passes. Stricter than the suite, which also passes a run without any checks. */

/** @import { Run } from "./suite.mjs" */

/**
 * Checks that may end with another status than SUCCESS, and why. The key is `scenario: check`.
 * @type {{ readonly [check: string]: { readonly status: string, readonly why: string } }}
 */
const EXPLANATIONS = {
  "http-standard-headers: ClientMcpMethodHeader_initialize": {
    status: "SKIPPED",
    why: "this revision has no handshake",
  },
  "http-standard-headers: ClientMcpMethodHeader_notifications_initialized": {
    status: "SKIPPED",
    why: "this revision has no handshake",
  },
  ...Object.fromEntries(
    ["Roots", "Sampling", "Elicitation"].map((capability) => [
      `request-metadata: ClientDeclares${capability}Capability`,
      { status: "SKIPPED", why: "a host declares it with calls, and this server has no tool to call" },
    ]),
  ),
};

/**
 * Returns the number of passed checks, and the reasons why the scenario fails.
 * @param {string} scenario
 * @param {Run} run
 * @returns {{ passed: number, problems: string[] }}
 */
export function verdict(scenario, { checks, failure }) {
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  const unexplained = checks.filter(
    ({ name, status }) =>
      !["SUCCESS", "INFO"].includes(status) && EXPLANATIONS[`${scenario}: ${name}`]?.status !== status,
  );
  const problems = unexplained.map(({ id, name, status, errorMessage = "" }) =>
    `${status} ${id} ${name} ${errorMessage}`.trim(),
  );
  if (passed === 0) problems.push("no check passed");
  if (failure !== "") problems.push(`the client failed: ${failure}`);
  return { passed, problems };
}
