/**
 * Implements `plugboard chat`. Paints the input line first, then loads the rest and connects to the host, or starts it.
 */
import { ERROR_TABLE, HostError } from "@plugboard/contracts";
import { renderError } from "../render/render-error.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import type { ConfigOptions } from "../workspace/workspace-spec.ts";
import { EMPTY_EDITOR } from "./input/editor.ts";
import type { FrameState } from "./render-frame.ts";
import { renderControls, renderFrame } from "./render-frame.ts";
import { openRawInput } from "./screen/raw-input.ts";
import { openScreen } from "./screen/screen.ts";

export interface ChatCommandInput extends ConfigOptions {
  readonly model: string | undefined;
  readonly profile: string | undefined;
  readonly noNativeTools: boolean;
  readonly continue: boolean;
  readonly resume: string | undefined;
}

export async function startChat(options: ChatCommandInput, cli: CliContext): Promise<number> {
  const { stdout, stdin } = cli;
  if (!cli.isInteractive || !stdout.canRepaint) {
    const message = 'A chat needs a terminal. Without one, use plugboard run "prompt"';
    throw new HostError("USAGE", { message, omitHelp: true });
  }
  const resumeLiveLine = cli.liveLine.pause();
  const input = openRawInput(stdin, stdout);
  const screen = openScreen(stdout, cli.env);
  const draw = () => screen.draw(renderFrame([], renderControls(NOT_CONNECTED, screen, Date.now())));
  draw();
  stdout.stream.on("resize", draw);
  const onConnect = () => stdout.stream.off("resize", draw);
  try {
    const { runChat } = await import("./run-chat.ts");
    const error = await runChat(options, cli, { input, screen, onConnect });
    if (!error) return 0;
    input.close();
    cli.stderr.write(renderError(error, {}));
    return ERROR_TABLE[error.code].exit;
  } finally {
    onConnect();
    screen.hide();
    input.close();
    resumeLiveLine();
  }
}

const NOT_CONNECTED: FrameState = { editor: EMPTY_EDITOR, transcript: undefined, servers: undefined, selected: 0 };
