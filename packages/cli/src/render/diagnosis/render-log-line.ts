/** Renders one line of a server's log: time, the server if the lines of several are shown, origin and text. */
import { sanitizeLine } from "@plugboard/contracts";
import type { LogLevel } from "@plugboard/contracts";
import type { ServerLogLine } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { StyleName, Text } from "../../terminal/text.ts";
import { renderTime } from "../render-time.ts";

export function renderLogLine(line: ServerLogLine, server?: string): Text {
  const name = server === undefined ? "" : [styled("bold", sanitizeLine(server)), "  "];
  const time: Text = [styled("dim", renderTime(line.at)), "  ", name];
  if (line.stream === "lost") return [time, styled("yellow", renderLoss(line.bytes)), "\n"];
  if (line.stream === "stderr")
    return [time, styled("dim", "stderr".padEnd(ORIGIN_WIDTH)), sanitizeLine(line.text), "\n"];
  const { level, logger } = line;
  const origin = level.padEnd(ORIGIN_WIDTH);
  const style = LEVEL_STYLES[level];
  // Indented, so that no line of the text looks like an entry of its own.
  const text = line.text.trimEnd().split("\n").map(sanitizeLine).join("\n    ");
  return [
    time,
    style ? styled(style, origin) : origin,
    logger === undefined ? "" : `${sanitizeLine(logger)}: `,
    text,
    "\n",
  ];
}

/** The longest log level is "emergency". */
const ORIGIN_WIDTH = 11;

const LEVEL_STYLES: { readonly [Level in LogLevel]?: StyleName } = {
  debug: "dim",
  warning: "yellow",
  error: "red",
  critical: "red",
  alert: "red",
  emergency: "red",
};

function renderLoss(bytes: number): string {
  return `(${bytes} bytes are missing here, because the server printed too much at once)`;
}
