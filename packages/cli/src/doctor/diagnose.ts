/** Runs all checks on the gathered facts. Pure. */
import { checkCommands } from "./checks/check-commands.ts";
import { checkConfig } from "./checks/check-config.ts";
import { checkDuplicates } from "./checks/check-duplicates.ts";
import { checkHost } from "./checks/check-host.ts";
import { checkLogins } from "./checks/check-logins.ts";
import { checkNode } from "./checks/check-node.ts";
import { checkNpxCache } from "./checks/check-npx-cache.ts";
import { checkPort } from "./checks/check-port.ts";
import { checkSelf } from "./checks/check-self.ts";
import { checkStarts } from "./checks/check-starts.ts";
import { checkStateFolder } from "./checks/check-state-folder.ts";
import { checkTrust } from "./checks/check-trust.ts";
import { checkValues } from "./checks/check-values.ts";
import { bySeverity } from "./checks/finding.ts";
import type { Check, Finding } from "./checks/finding.ts";
import type { Facts } from "./facts/facts.ts";

const CHECKS: readonly Check[] = [
  checkConfig,
  checkCommands,
  checkNode,
  checkValues,
  checkLogins,
  checkSelf,
  checkDuplicates,
  checkTrust,
  checkStarts,
  checkNpxCache,
  checkHost,
  checkPort,
  checkStateFolder,
];

export function diagnose(facts: Facts): Finding[] {
  const findings = CHECKS.flatMap((check) => check(facts));
  // A failed or slow start is not reported if another check has found its cause.
  const explained = new Set(
    findings.flatMap(({ check, severity, server }) => (severity === "error" && check !== "start" ? [server] : [])),
  );
  const isEffect = ({ check, server }: Finding) =>
    (check === "start" || check === "slow start") && server !== undefined && explained.has(server);
  return bySeverity(findings.filter((finding) => !isEffect(finding)));
}
