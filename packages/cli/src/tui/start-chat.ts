/**
 * Implements `plugboard chat`. Paints the input line first, then loads the rest and connects to the host, or starts it.
 */
import { HostError } from "@plugboard/contracts";
import { renderError } from "../render/render-error.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import type { ConfigOptions } from "../workspace/workspace-spec.ts";
import { EMPTY_EDITOR } from "./input/editor.ts";
import { renderFrame } from "./render-frame.ts";
import { paintFirst } from "./screen/first-paint.ts";
import { openRawInput } from "./screen/raw-input.ts";

export interface ChatCommandInput extends ConfigOptions {
  readonly model: string | undefined;
  readonly profile: string | undefined;
  readonly noNativeTools: boolean;
  readonly continue: boolean;
  readonly resume: string | undefined;
}

const DEFAULT_ROWS = 24;

export async function startChat(options: ChatCommandInput, cli: CliContext): Promise<number> {
  const { stdout, stdin } = cli;
  if (!cli.isInteractive || !stdout.canRepaint) {
    const message = 'A chat needs a terminal. Without one, use plugboard run "prompt"';
    throw new HostError("USAGE", { message, omitHelp: true });
  }
  const resumeLiveLine = cli.liveLine.pause();
  const input = openRawInput(stdin, stdout);
  const size = { columns: stdout.columns, rows: stdout.stream.rows || DEFAULT_ROWS };
  const empty = { editor: EMPTY_EDITOR, live: [], transcript: undefined, servers: undefined, selected: 0 };
  const erase = paintFirst(stdout, renderFrame(empty, size, Date.now()));
  try {
    const { runChat } = await import("./run-chat.ts");
    const error = await runChat(options, cli, input, erase);
    if (!error) return 0;
    input.close();
    cli.stderr.write(renderError(error, {}));
    return 3;
  } finally {
    input.close();
    resumeLiveLine();
  }
}
