/** The outputs of `plugboard run`: text for people, one JSON object at the end, or a JSON object for each event. */
import { sanitizeLine, formatMs } from "@plugboard/contracts";
import type { ChatEvent, ChatToolStatus } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { styled } from "../../terminal/text.ts";
import type { StyleName } from "../../terminal/text.ts";
import { shortName } from "../../render/quote-untrusted.ts";
import { textOf } from "./run-report.ts";
import type { RunReport } from "./run-report.ts";
import { StreamedText } from "./streamed-text.ts";

export type OutputFormat = "text" | "json" | "stream-json";

/** The report of a finished run, with its duration. */
export interface FinishedRun extends RunReport {
  readonly durationMs: number;
  /** The id of a chat that is stored. */
  readonly chat?: string;
}

export interface RunOutput {
  onEvent(event: ChatEvent): void;
  /** Called once after the last event. */
  onEnd(result: FinishedRun): void;
}

export function openOutput(format: OutputFormat, cli: CliContext): RunOutput {
  if (format === "text") return new TextOutput(cli);
  const { stdout } = cli;
  if (format === "json") return { onEvent: () => {}, onEnd: (result) => stdout.json(result) };
  return {
    onEvent: (event) => {
      if (isOfTurn(event)) stdout.jsonLine(event);
    },
    onEnd: (result) => stdout.jsonLine({ type: "result", ...result }),
  };
}

/** Returns false for events of the chat itself, such as its title or queue. */
function isOfTurn({ type }: ChatEvent): boolean {
  return !["info.changed", "input.queued", "inputs.removed", "cleared", "closed"].includes(type);
}

/**
 * Writes the texts of the model to stdout, and one line for each tool call to stderr. A terminal gets the text as it
 * comes. A pipe gets each message when it is complete, because the beginning of a broken answer can't be taken back.
 */
class TextOutput implements RunOutput {
  readonly #cli: CliContext;
  readonly #names = new Map<string, string>();
  readonly #streamed = new StreamedText();
  #hasText = false;
  #endsLine = false;
  /** Set while a text is written. The live line is paused then, because it would erase an unfinished line. */
  #resumeLiveLine: (() => void) | undefined;

  constructor(cli: CliContext) {
    this.#cli = cli;
  }

  onEvent(event: ChatEvent): void {
    const { stdout, stderr } = this.#cli;
    switch (event.type) {
      case "text.delta":
        if (stdout.isTTY) this.#stream(event.text);
        return;
      case "message.added":
        if (event.message.role !== "assistant") return;
        if (!stdout.isTTY) this.#stream(textOf(event.message));
        return this.#endText();
      case "step.retried": {
        const { reason, delayMs } = event;
        this.#endText();
        return stderr.write(
          `The request to the model failed: ${sanitizeLine(reason)}. Trying again in ${formatMs(Math.round(delayMs))}.\n`,
        );
      }
      case "tool.requested":
        return void this.#names.set(event.callId, shortName(event.source ?? event.tool));
      case "tool.finished":
        return this.#showCall(event);
      case "compacted":
        return stderr.write(
          "The conversation was too long for the model. Older messages were replaced by a summary.\n",
        );
      default:
        return;
    }
  }

  onEnd(): void {
    this.#endText();
  }

  #stream(text: string): void {
    if (text === "") return;
    if (!this.#resumeLiveLine) {
      this.#resumeLiveLine = this.#cli.liveLine.pause();
      // An empty line separates the texts of two steps.
      if (this.#hasText) this.#write("\n");
    }
    this.#hasText = true;
    this.#write(this.#streamed.add(text));
  }

  #write(text: string): void {
    if (text === "") return;
    this.#endsLine = text.endsWith("\n");
    this.#cli.stdout.content(text);
  }

  #endText(): void {
    if (!this.#resumeLiveLine) return;
    this.#write(this.#streamed.end());
    if (!this.#endsLine) this.#write("\n");
    this.#resumeLiveLine();
    this.#resumeLiveLine = undefined;
  }

  #showCall({ callId, tool, status, durationMs, result }: Extract<ChatEvent, { type: "tool.finished" }>): void {
    const { word, style } = STATUSES[status];
    const [line = ""] = status === "ok" ? [] : result.text.trim().split("\n");
    const reason = line === "" ? "" : `: ${shorten(sanitizeLine(line))}`;
    const name = this.#names.get(callId) ?? shortName(tool);
    this.#cli.stderr.write([name, " ", styled(style, word), ` (${formatMs(Math.round(durationMs))})${reason}\n`]);
  }
}

const STATUSES: { readonly [S in ChatToolStatus]: { readonly word: string; readonly style: StyleName } } = {
  ok: { word: "ok", style: "green" },
  error: { word: "failed", style: "red" },
  denied: { word: "denied", style: "yellow" },
  unknown: { word: "does not exist", style: "red" },
  not_run: { word: "not run", style: "yellow" },
  cancelled: { word: "cancelled", style: "yellow" },
};

const MAX_REASON = 200;

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length > MAX_REASON ? `${characters.slice(0, MAX_REASON).join("")}…` : text;
}
