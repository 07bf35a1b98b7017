/** Renders the check of one server for `plugboard test`. */
import { lastLines, sanitize, sanitizeLine } from "@plugboard/contracts";
import type { HostErrorJson, ServerStatus } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { makeQuoter } from "../quote-untrusted.ts";

export interface CheckStep {
  readonly step: "connect" | "list tools";
  readonly ok: boolean;
  readonly ms: number;
}

export interface ServerCheckResult {
  readonly id: string;
  readonly ok: boolean;
  readonly steps: readonly CheckStep[];
  /** The names of the tools that the server offers. */
  readonly tools: readonly string[];
  readonly serverInfo?: ServerStatus["serverInfo"];
  readonly protocol?: { readonly version: string; readonly era: NonNullable<ServerStatus["era"]> };
  /** The number of lines on stdout that are not MCP messages. */
  readonly skippedMessages?: number;
  readonly droppedTools?: ServerStatus["droppedTools"];
  readonly error?: HostErrorJson;
}

/** What is wrong with the server, and what to do. */
export interface Advice {
  readonly text: string;
  /** The server's last output on stderr. */
  readonly stderr?: string;
}

const INDENT = "    ";
const STEP_WIDTH = 12;
const TIME_WIDTH = 9;

export function renderCheck(check: ServerCheckResult, advice: Advice | undefined, columns: number): Text {
  const { id, ok, steps, error } = check;
  const mark = ok ? styled("green", "✓") : styled("red", "✗");
  const rows = steps.map(({ step, ok: stepOk, ms }): Text => {
    const detail = stepOk ? describeStep(step, check) : (error?.code ?? "");
    return `${INDENT}${step.padEnd(STEP_WIDTH)}${`${ms} ms`.padStart(TIME_WIDTH)}  ${sanitizeLine(detail)}\n`;
  });
  return [
    [mark, " ", styled("bold", sanitizeLine(id)), "\n"],
    ...rows,
    ...(advice === undefined ? [] : [renderAdvice(id, advice, columns)]),
    ...warningsOf(check).map((warning): Text => [INDENT, styled("yellow", sanitizeLine(warning)), "\n"]),
  ];
}

function describeStep(step: CheckStep["step"], { serverInfo, protocol, tools }: ServerCheckResult): string {
  if (step !== "connect") return `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  const name = serverInfo && `${serverInfo.name} ${serverInfo.version}`.trim();
  const version = protocol && `protocol ${protocol.version}`;
  return [name, version].filter((part) => part !== undefined).join(", ");
}

function warningsOf({ skippedMessages = 0, droppedTools = [] }: ServerCheckResult): string[] {
  const skipped =
    skippedMessages === 0
      ? []
      : [`It wrote text to stdout that is no MCP message (${skippedMessages} ×). It should log to stderr.`];
  return [...skipped, ...droppedTools.map(({ tool, reason }) => `The tool ${tool} can't be used: ${reason}`)];
}

function renderAdvice(id: string, { text, stderr }: Advice, columns: number): string {
  if (stderr === undefined) return indent(text);
  const quote = makeQuoter({ columns: columns - INDENT.length });
  const { text: shown, omitted } = lastLines(stderr, MAX_STDERR_LINES);
  const more = omitted === 0 ? "" : ` (all of it: plugboard logs ${id})`;
  return `${indent(text)}${indent(`Its last output on stderr${more}:\n${quote(shown)}`)}`;
}

const MAX_STDERR_LINES = 10;

function indent(text: string): string {
  return `${INDENT}${sanitize(text.trim()).replaceAll("\n", `\n${INDENT}`)}\n`;
}
