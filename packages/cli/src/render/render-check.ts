/** Renders the check of one server for `plugboard test`. */
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { styled } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";

export interface RenderedCheck {
  readonly id: string;
  readonly ok: boolean;
  readonly steps: readonly { readonly step: string; readonly ok: boolean; readonly ms: number }[];
  readonly tools: readonly string[];
  readonly serverInfo?: ServerStatus["serverInfo"];
  readonly protocol?: { readonly version: string; readonly era: string };
  readonly skippedMessages?: number;
  readonly droppedTools?: ServerStatus["droppedTools"];
  readonly error?: { readonly code: string };
}

const INDENT = "    ";
const STEP_WIDTH = 12;
const TIME_WIDTH = 9;

/** `advice` says what is wrong and what to do. */
export function renderCheck(check: RenderedCheck, advice: string | undefined): Text {
  const { id, ok, steps, error } = check;
  const mark = ok ? styled("green", "✓") : styled("red", "✗");
  const rows = steps.map(({ step, ok: stepOk, ms }): Text => {
    const detail = stepOk ? describeStep(step, check) : (error?.code ?? "");
    return `${INDENT}${step.padEnd(STEP_WIDTH)}${`${ms} ms`.padStart(TIME_WIDTH)}  ${sanitizeLine(detail)}\n`;
  });
  return [
    [mark, " ", styled("bold", sanitizeLine(id)), "\n"],
    ...rows,
    ...(advice === undefined ? [] : [indent(advice)]),
    ...warningsOf(check).map((warning): Text => [INDENT, styled("yellow", sanitizeLine(warning)), "\n"]),
  ];
}

function describeStep(step: string, { serverInfo, protocol, tools }: RenderedCheck): string {
  if (step !== "connect") return `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  const name = serverInfo && `${serverInfo.name} ${serverInfo.version}`.trim();
  const version = protocol && `protocol ${protocol.version} (${protocol.era})`;
  return [name, version].filter((part) => part !== undefined).join(", ");
}

function warningsOf({ skippedMessages = 0, droppedTools = [] }: RenderedCheck): string[] {
  const skipped =
    skippedMessages === 0
      ? []
      : [`It wrote text to stdout that is no MCP message (${skippedMessages} ×). It should log to stderr.`];
  return [...skipped, ...droppedTools.map(({ tool, reason }) => `The tool ${tool} can't be used: ${reason}`)];
}

function indent(text: string): string {
  return `${INDENT}${sanitize(text.trim()).replaceAll("\n", `\n${INDENT}`)}\n`;
}
