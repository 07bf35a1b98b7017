/** Renders the frame: growing entries, what the chat waits for, the question or the input, and the status line. Pure. */
import { inputText, sanitizeLine } from "@plugboard/contracts";
import type { ChatEntry, ChatTranscript } from "@plugboard/contracts";
import { withElapsed } from "../terminal/elapsed.ts";
import { styled } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";
import { fitColumns } from "../terminal/text-width.ts";
import type { Completions } from "./input/complete-input.ts";
import type { Editor } from "./input/editor.ts";
import type { Frame } from "./screen/screen.ts";
import type { PermissionMenu } from "./state/permission-menu.ts";
import { wrapText } from "./text/wrap-text.ts";
import { renderEntry } from "./view/render-entry.ts";
import { renderInput, renderSuggestions } from "./view/render-input.ts";
import type { RenderedInput } from "./view/render-input.ts";
import { renderMenu } from "./view/render-menu.ts";
import { renderStatusLine } from "./view/render-status-line.ts";
import type { StatusLine } from "./view/render-status-line.ts";

export interface FrameState {
  readonly editor: Editor;
  /** The entries that are not printed for good yet. */
  readonly live: readonly ChatEntry[];
  readonly transcript: ChatTranscript | undefined;
  readonly servers: StatusLine["servers"];
  readonly menu?: PermissionMenu | undefined;
  readonly linePrompt?: { readonly prompt: string; readonly editor: Editor } | undefined;
  readonly completions?: Completions | undefined;
  readonly selected: number;
  /** Shown while the input is empty. */
  readonly placeholder?: string | undefined;
  readonly hint?: string | undefined;
}

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

const MAX_INPUT_ROWS = 8;
const PLACEHOLDER = "Ask something. /help shows the commands";

/** The frame is lower than the terminal, because a higher one can't be redrawn. */
export function renderFrame(state: FrameState, { columns, rows }: FrameSize, now: number): Frame {
  const { transcript, servers, hint } = state;
  const input = renderActive(state, columns);
  const status = renderStatusLine(
    { chat: transcript?.chat, turnUsage: transcript?.turn?.usage, servers, hint },
    columns,
  );
  const waiting = transcript ? renderWaiting(transcript, state, columns, now) : [];
  const below: readonly Text[] = [...waiting, "", ...input.rows, status];
  const room = Math.max(0, rows - 2 - below.length);
  // The question above the menu shows its call already.
  const asked = state.menu?.question.call;
  const entries = state.live.filter((entry) => entry.type !== "call" || entry.callId !== asked);
  const live = room === 0 ? [] : entries.flatMap((entry) => renderEntry(entry, { columns, now })).slice(-room);
  const cursorRow = live.length + waiting.length + 1 + input.cursor.row;
  return { rows: [...live, ...below], cursor: { row: cursorRow, column: input.cursor.column } };
}

function renderActive(state: FrameState, columns: number): RenderedInput {
  const { editor, menu, linePrompt, completions, selected, placeholder = PLACEHOLDER } = state;
  if (menu) return renderMenu(menu, columns);
  if (linePrompt) {
    const title = wrapText(styled("bold", sanitizeLine(linePrompt.prompt.trim())), columns - 1);
    const { rows, cursor } = renderInput(linePrompt.editor, { columns, maxRows: MAX_INPUT_ROWS });
    return { rows: [...title, ...rows], cursor: { ...cursor, row: cursor.row + title.length } };
  }
  const input = renderInput(editor, { columns, maxRows: MAX_INPUT_ROWS, placeholder });
  const suggestions = completions ? renderSuggestions(completions, selected, columns) : [];
  return { ...input, rows: [...input.rows, ...suggestions] };
}

function renderWaiting(
  { turn, queue }: ChatTranscript,
  { menu, linePrompt, servers = [] }: FrameState,
  columns: number,
  now: number,
): Text[] {
  if (!turn || menu) return [];
  const activity = linePrompt
    ? "waiting for your answer (Esc skips the question)"
    : `${withElapsed(turn.hasBegun ? "working" : describeWait(servers), now - turn.startedAt)} (Esc cancels)`;
  const queued = queue.map(({ input }) =>
    styled("dim", fitColumns(`  next: ${sanitizeLine(inputText(input))}`, columns - 1)),
  );
  return ["", styled("cyan", fitColumns(activity, columns - 1)), ...queued];
}

/** The first turn waits a few seconds for the tools of servers that are being started. */
function describeWait(servers: NonNullable<StatusLine["servers"]>): string {
  const starting = servers.filter(({ state, enabled, hidden }) => state === "connecting" && enabled && !hidden);
  return starting.length === 0 ? "working" : `waiting for ${starting.map(({ id }) => id).join(", ")}`;
}
