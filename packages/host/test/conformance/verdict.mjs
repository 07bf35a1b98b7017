// @ts-check
/** Decides whether a run of a scenario passes. Stricter than the suite, which passes a scenario without checks. Pure. */

/** @import { Run } from "./suite.mjs" */

/**
 * The checks that may fail, and why. A check is named `scenario: name`.
 * @type {{ readonly [check: string]: { readonly status: string, readonly why: string } }}
 */
const EXPLAINED = {
  "http-standard-headers: ClientMcpMethodHeader_initialize": {
    status: "SKIPPED",
    why: "this revision has no handshake",
  },
  "http-standard-headers: ClientMcpMethodHeader_notifications_initialized": {
    status: "SKIPPED",
    why: "this revision has no handshake",
  },
  ...Object.fromEntries(
    ["Roots", "Sampling", "Elicitation"].map((what) => [
      `request-metadata: ClientDeclares${what}Capability`,
      { status: "SKIPPED", why: "a host declares it with calls, and this server has no tool to call" },
    ]),
  ),
};

/**
 * @param {string} scenario
 * @param {Run} run
 * @returns {{ passed: number, problems: string[] }}
 */
export function verdict(scenario, { checks, failure }) {
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  const unmet = checks.filter(
    ({ name, status }) => !["SUCCESS", "INFO"].includes(status) && EXPLAINED[`${scenario}: ${name}`]?.status !== status,
  );
  const problems = unmet.map(({ id, name, status, errorMessage = "" }) =>
    `${status} ${id} ${name} ${errorMessage}`.trim(),
  );
  if (passed === 0) problems.push("no check passed");
  if (failure !== "") problems.push(`the client failed: ${failure}`);
  return { passed, problems };
}
