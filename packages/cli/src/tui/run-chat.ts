/** Connects the chat to the host, or starts the host, and runs it on an Ink screen until the user leaves. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { ChatSpec, WorkspaceSpec } from "@plugboard/contracts";
import type { RemoteHost } from "@plugboard/remote";
import { renderProblem } from "../render/render-problem.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { linesOf, styled } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";
import { chatEnv } from "../workspace/chat-env.ts";
import { findChatId } from "../workspace/find-chat-id.ts";
import { noteOutdatedHost } from "../workspace/note-outdated-host.ts";
import { connectToRunningHost } from "../workspace/open-host.ts";
import { toWorkspaceSpec } from "../workspace/workspace-spec.ts";
import { ChatApp } from "./chat-app.ts";
import type { RawInput } from "./screen/raw-input.ts";
import type { OpenChat } from "./session/chat-session.ts";
import type { ChatCommandInput } from "./start-chat.ts";

/** Returns the error that ended the chat, if any. `erase` removes the first painting of the frame. */
export async function runChat(
  options: ChatCommandInput,
  cli: CliContext,
  input: RawInput,
  erase: () => void,
): Promise<HostError | undefined> {
  const workspaceSpec = toWorkspaceSpec(options, cli.cwd);
  const [host, { openInkScreen }] = await Promise.all([
    connect(workspaceSpec, cli),
    import("./screen/ink-screen.ts"),
  ]).catch((thrown: unknown) => {
    erase();
    throw thrown;
  });
  erase();
  noteOutdatedHost(host, cli);
  const screen = await openInkScreen(cli.stdout, cli.stdin);
  try {
    const spec = await toChatSpec(options, workspaceSpec, host, cli);
    const app = new ChatApp({ api: host, spec, cli, screen, input });
    // They appear with the first frame.
    for (const problem of host.opened?.problems ?? []) screen.print(linesOf(renderProblem(problem)));
    app.session.follow(host.seq);
    const running = app.run();
    const opened = openChat(app, options).catch((thrown: unknown) => toHostError(thrown));
    const error = await Promise.race([running, opened.then((failed) => failed ?? running)]);
    screen.print(renderFarewell(app.session.current));
    return error;
  } finally {
    screen.close();
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
  if (id === undefined) await session.create();
  else await session.resume(id);
  await app.onOpen();
  return undefined;
}

async function connect(workspace: WorkspaceSpec, { env }: CliContext): Promise<RemoteHost> {
  const options = { attended: true, receivesEvents: true, workspace };
  const running = await connectToRunningHost(env, options);
  if (running) return running;
  const { startBackgroundHost } = await import("../workspace/start-background-host.ts");
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
