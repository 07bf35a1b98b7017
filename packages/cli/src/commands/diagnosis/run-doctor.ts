/** Implements `plugboard doctor`. */
import { EXIT_STATUSES } from "@plugboard/contracts";
import { resolve } from "node:path";
import type { Finding } from "../../doctor/checks/finding.ts";
import { diagnose } from "../../doctor/diagnose.ts";
import { gatherFacts } from "../../doctor/facts/gather-facts.ts";
import type { GatheredFacts } from "../../doctor/facts/gather-facts.ts";
import { requireNewFile, writeReport } from "../../doctor/write-report.ts";
import type { ReportContents } from "../../doctor/write-report.ts";
import { renderFindings } from "../../render/diagnosis/render-findings.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

/** Returns 1 if there is an error, and 0 if there are only warnings. */
export async function runDoctor(
  input: CommandOptions & { readonly connect: boolean; readonly bundle: string | undefined },
  cli: CliContext,
): Promise<number> {
  const { stdout, stderr, cwd, env } = cli;
  const reportFile = input.bundle === undefined ? undefined : resolve(cwd, input.bundle);
  if (reportFile !== undefined) await requireNewFile(reportFile);
  const { facts, redact, exitStatus } = await gatherFacts(input, cli);
  if (exitStatus !== 0) return exitStatus;
  const findings = await redactFindings(diagnose(facts), redact);
  const ok = findings.every(({ severity }) => severity !== "error");
  if (input.json) stdout.json({ ok, version: facts.version, node: facts.node, findings });
  else stdout.write(renderFindings(findings));
  if (reportFile !== undefined) {
    const contents = await writeReport(reportFile, { facts, findings, redact, env });
    stderr.write(renderContents(contents));
  }
  return ok ? 0 : EXIT_STATUSES.reported.status;
}

/** Masks secrets, because a message may quote a config file or a server. */
async function redactFindings(findings: readonly Finding[], redact: GatheredFacts["redact"]): Promise<Finding[]> {
  const texts = findings.map(({ message, fix = null }) => [message, fix]);
  const redacted = (await redact(texts)) as [message: string, fix: string | null][];
  return findings.map((finding, index) => {
    const [message, fix] = redacted[index]!;
    return { ...finding, message, ...(fix !== null && { fix }) };
  });
}

function renderContents({ file, servers, findings, logLines, entries }: ReportContents): string {
  return `\nWrote ${file}: versions, ${findings} findings, ${servers} definitions and states without values, ${logLines} log lines, ${entries} activity entries.
It contains no known secret, but names of servers, tools and files. Read it before you share it.\n`;
}
