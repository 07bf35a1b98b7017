/** Renders a tool call: its tool as `server:tool`, arguments, duration and result. Pure. */
import { sanitizeLine, formatMs } from "@plugboard/contracts";
import type { ChatCallEntry, JsonObject } from "@plugboard/contracts";
import { makeQuoter } from "../../render/quote-untrusted.ts";
import { tryRenderJson } from "../../terminal/render-json.ts";
import { linesOf, styled } from "../../terminal/text.ts";
import type { StyleName, Text } from "../../terminal/text.ts";
import { fitColumns } from "../../terminal/text-width.ts";
import { wrapText } from "../text/wrap-text.ts";
import type { EntryContext } from "./render-entry.ts";

const MAX_RESULT_ROWS = 3;

/** Shows the arguments on one line and the beginning of the result. */
export function renderCall(call: ChatCallEntry, { columns, now }: EntryContext): Text[] {
  const { mark, style, note } = call.askedAt === undefined ? STATUSES[call.status] : ASKED;
  const title = `${sanitizeLine(call.name)} ${oneLine(call.args)}`.trimEnd();
  const time = describeTime(call, now);
  const suffix = [note, time].filter((part) => part !== "").join(" · ");
  const room = columns - mark.length - suffix.length - 4;
  return [
    [
      styled(style, `${mark} `),
      fitColumns(title, Math.max(20, room)),
      suffix === "" ? "" : styled("dim", `  ${suffix}`),
    ],
    ...renderProgress(call, columns),
    ...renderResult(call, columns),
  ];
}

/** Shows everything: the arguments as indented JSON and the whole result. */
export function renderWholeCall({ number, name, args, result }: ChatCallEntry, columns: number): Text[] {
  const quote = makeQuoter({ columns });
  const json = tryRenderJson(args) ?? "(nested too deeply to be shown)";
  return [
    ...wrapText(styled("bold", `#${number} ${sanitizeLine(name)}`), columns),
    "Arguments:",
    ...linesOf(quote(json)),
    ...(result ? [`Result${describeMedia(result.media)}:`, ...linesOf(quote(result.text || "(no text)"))] : []),
  ];
}

const STATUSES: {
  readonly [S in ChatCallEntry["status"]]: { readonly mark: string; readonly style: StyleName; readonly note: string };
} = {
  requested: { mark: "○", style: "dim", note: "waiting" },
  running: { mark: "◐", style: "cyan", note: "running" },
  ok: { mark: "●", style: "green", note: "" },
  error: { mark: "✗", style: "red", note: "failed" },
  denied: { mark: "⊘", style: "yellow", note: "denied" },
  unknown: { mark: "✗", style: "red", note: "no such tool" },
  not_run: { mark: "⊘", style: "yellow", note: "not run" },
  cancelled: { mark: "⊘", style: "yellow", note: "cancelled" },
};

const ASKED = { mark: "○", style: "dim", note: "waits for your answer" } as const;

function oneLine(args: JsonObject): string {
  return Object.entries(args)
    .map(([name, value]) => sanitizeLine(`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`))
    .join(" ");
}

function describeTime({ status, startedAt, askedAt, answeredInMs, durationMs }: ChatCallEntry, now: number): string {
  if (durationMs !== undefined) return formatMs(Math.round(durationMs));
  if (status !== "running" || startedAt === undefined || askedAt !== undefined) return "";
  const elapsed = now - startedAt - answeredInMs;
  return elapsed >= 1000 ? formatMs(elapsed) : "";
}

function renderProgress({ progress }: ChatCallEntry, columns: number): Text[] {
  if (!progress) return [];
  const { progress: done, total, message = "" } = progress;
  const amount = total === undefined ? String(done) : `${done}/${total}`;
  return [styled("dim", fitColumns(`  ${amount} ${sanitizeLine(message)}`.trimEnd(), columns - 1))];
}

/** Quotes the beginning of the result, so that its rows can't look like Plugboard's own. */
function renderResult({ result, number }: ChatCallEntry, columns: number): Text[] {
  if (!result) return [];
  // Empty rows say nothing in a preview.
  const text = result.text.replaceAll(/\n\s*\n/g, "\n").trim();
  const rows = linesOf(makeQuoter({ columns: columns - 2 })(text || "(no text)"));
  const omitted = rows.length - MAX_RESULT_ROWS;
  const more =
    omitted > 0
      ? [styled("dim", `  … ${omitted} more ${omitted === 1 ? "line" : "lines"} (Ctrl-O or /result ${number})`)]
      : [];
  const media = describeMedia(result.media);
  return [
    ...rows.slice(0, MAX_RESULT_ROWS).map((row): Text => ["  ", row]),
    ...more,
    ...(media === "" ? [] : [styled("dim", ` ${media}`)]),
  ];
}

function describeMedia(media: readonly { readonly type: string; readonly mimeType: string }[] = []): string {
  const names = media.map(({ type, mimeType }) => `${type} ${sanitizeLine(mimeType)}`);
  return names.length === 0 ? "" : ` (with ${names.join(", ")})`;
}
