/**
 * Renders the frame: growing entries, what the chat waits for, the status line, and a question or the input. Takes two
 * steps, because the height of the lower part decides how many rows of entries fit above it. Pure.
 */
import { inputText, sanitizeLine } from "@plugboard/contracts";
import type { ChatTranscript } from "@plugboard/contracts";
import { withElapsed } from "../terminal/elapsed.ts";
import { styled } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";
import { fitColumns } from "../terminal/text-width.ts";
import type { Completions } from "./input/complete-input.ts";
import type { Editor } from "./input/editor.ts";
import type { Frame } from "./screen/screen.ts";
import type { PermissionMenu } from "./state/permission-menu.ts";
import { wrapText } from "./text/wrap-text.ts";
import { renderInput, renderSuggestions } from "./view/render-input.ts";
import type { RenderedInput } from "./view/render-input.ts";
import { renderMenu } from "./view/render-menu.ts";
import { renderStatusLine } from "./view/render-status-line.ts";
import type { StatusLine } from "./view/render-status-line.ts";

export interface FrameState {
  readonly editor: Editor;
  readonly transcript: ChatTranscript | undefined;
  readonly servers: StatusLine["servers"];
  /** The texts that were entered before the chat was open. */
  readonly early?: readonly string[];
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

/** The lower part of the frame, below the growing entries. */
export interface Controls extends RenderedInput {
  /** How many rows fit above the controls. One row of the terminal stays for printed text. */
  readonly room: number;
}

/**
 * The first step: renders the lower part. Puts the input last, because a terminal that becomes narrower breaks long
 * rows. Some terminals misplace the cursor if such rows are below it.
 */
export function renderControls(state: FrameState, { columns, rows }: FrameSize, now: number): Controls {
  const { transcript, servers, hint } = state;
  const input = renderActive(state, columns);
  const status = renderStatusLine(
    { chat: transcript?.chat, turnUsage: transcript?.turn?.usage, servers, hint },
    columns,
  );
  const waiting = transcript ? renderWaiting(transcript, state, columns, now) : renderQueue(state.early ?? [], columns);
  const above = [...waiting, "", status];
  return {
    rows: [...above, ...input.rows],
    cursor: { ...input.cursor, row: above.length + input.cursor.row },
    room: Math.max(0, rows - 1 - above.length - input.rows.length),
  };
}

/** The second step: places the last rows of the growing entries above the controls, as many as fit. */
export function renderFrame(growingRows: readonly Text[], { rows, cursor, room }: Controls): Frame {
  const shown = room === 0 ? [] : growingRows.slice(-room);
  return { rows: [...shown, ...rows], cursor: { ...cursor, row: shown.length + cursor.row } };
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
  const queued = queue.map(({ input }) => inputText(input));
  return ["", styled("cyan", fitColumns(activity, columns - 1)), ...renderQueue(queued, columns)];
}

function renderQueue(texts: readonly string[], columns: number): Text[] {
  return texts.map((text) => styled("dim", fitColumns(`  next: ${sanitizeLine(text)}`, columns - 1)));
}

/** The first turn waits a few seconds for the tools of servers that are being started. */
function describeWait(servers: NonNullable<StatusLine["servers"]>): string {
  const starting = servers.filter(({ state, enabled, hidden }) => state === "connecting" && enabled && !hidden);
  return starting.length === 0 ? "working" : `waiting for ${starting.map(({ id }) => id).join(", ")}`;
}
