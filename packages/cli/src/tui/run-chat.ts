/** Connects the chat to the host, or starts the host, and runs it until the user leaves. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { ChatSpec, WorkspaceSpec } from "@plugboard/contracts";
import type { RemoteHost } from "@plugboard/remote";
import { renderProblem } from "../render/render-problem.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { linesOf, styled } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";
import { chatEnv } from "../workspace/chat-env.ts";
import { findChatId } from "../workspace/find-chat-id.ts";
import { isOutdated, OUTDATED_NOTE } from "../workspace/note-outdated-host.ts";
import { connectToRunningHost } from "../workspace/open-host.ts";
import { toWorkspaceSpec } from "../workspace/workspace-spec.ts";
import { ChatApp } from "./chat-app.ts";
import type { RawInput } from "./screen/raw-input.ts";
import type { Screen } from "./screen/screen.ts";
import type { OpenChat } from "./session/chat-session.ts";
import type { ChatCommandInput } from "./start-chat.ts";

export interface ChatTerminal {
  readonly input: RawInput;
  readonly screen: Screen;
  /** Called when the chat begins to draw the frame itself. */
  readonly onConnect: () => void;
}

/** Returns the error that ended the chat, if any. */
export async function runChat(
  options: ChatCommandInput,
  cli: CliContext,
  { input, screen, onConnect }: ChatTerminal,
): Promise<HostError | undefined> {
  const workspaceSpec = toWorkspaceSpec(options, cli.cwd);
  const host = await connect(workspaceSpec, cli);
  if (isOutdated(host.build)) screen.print(linesOf(OUTDATED_NOTE));
  try {
    const spec = await toChatSpec(options, workspaceSpec, host, cli);
    const app = new ChatApp({ api: host, spec, cli, screen, input });
    // What is printed here appears with the first frame.
    for (const problem of host.opened?.problems ?? []) screen.print(linesOf(renderProblem(problem)));
    app.session.follow(host.seq);
    onConnect();
    const running = app.run();
    const opened = openChat(app, options).catch((thrown: unknown) => toHostError(thrown));
    const error = await Promise.race([running, opened.then((failed) => failed ?? running)]);
    screen.print(renderFarewell(app.session.current));
    return error;
  } finally {
    screen.hide();
    await host.close();
  }
}

/** Says how to come back to a chat with messages. */
function renderFarewell(chat: OpenChat | undefined): Text[] {
  if (!chat || chat.transcript.entries.length === 0) return [];
  return ["", styled("dim", `To resume this chat: plugboard chat --resume ${chat.id}`)];
}

async function openChat(app: ChatApp, options: ChatCommandInput): Promise<undefined> {
  const { session } = app;
  const id = await findChatId(session.api, session.spec.cwd, options);
  await app.onOpen(await (id === undefined ? session.create() : session.resume(id)));
  return undefined;
}

async function connect(workspace: WorkspaceSpec, { env }: CliContext): Promise<RemoteHost> {
  const options = { attended: true, receivesEvents: true, workspace };
  const running = await connectToRunningHost(env, options);
  if (running) return running;
  const { startBackgroundHost } = await import("../workspace/start-background-host.ts");
  // Connects again, because the connection of `startBackgroundHost` has other options.
  await (await startBackgroundHost(env)).close();
  const started = await connectToRunningHost(env, options);
  if (!started) throw new HostError("HOST_UNREACHABLE", { reason: "it has ended" });
  return started;
}

async function toChatSpec(
  options: ChatCommandInput,
  spec: WorkspaceSpec,
  { opened }: RemoteHost,
  { env }: CliContext,
): Promise<ChatSpec> {
  const { model, profile, noNativeTools } = options;
  return {
    ...spec,
    env: await chatEnv(env, opened?.variables ?? []),
    ...(model !== undefined && { model }),
    ...(profile !== undefined && { profile }),
    ...(noNativeTools && { nativeTools: false }),
  };
}
