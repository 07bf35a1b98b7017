/** Opens the chat of `plugboard run`. */
import type { ChatSpec, ChatView } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { chatEnv } from "../../workspace/chat-env.ts";
import { findChatId } from "../../workspace/find-chat-id.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";

export interface RunChatOptions extends CommandOptions {
  readonly model: string | undefined;
  readonly profile: string | undefined;
  readonly allow: readonly string[];
  readonly maxSteps: number | undefined;
  readonly maxTokens: number | undefined;
  readonly noNativeTools: boolean;
  readonly continue: boolean;
  readonly resume: string | undefined;
}

/** Opens a chat that is not stored, or the one that the user wants to continue. */
export async function openRunChat(
  input: RunChatOptions,
  { api, variables }: CommandContext,
  { cwd, env }: CliContext,
): Promise<ChatView> {
  const spec = toWorkspaceSpec(input, cwd);
  const sent = variables && { env: await chatEnv(env, variables) };
  const id = await findChatId(api, cwd, input);
  if (id !== undefined) return api.chats.resume(id, { ...(spec.servers && { servers: spec.servers }), ...sent });
  const { model, profile, allow, maxSteps: steps, maxTokens: tokens } = input;
  const chatSpec: ChatSpec = {
    ...spec,
    ...sent,
    permissions: { allow },
    limits: { ...(steps !== undefined && { steps }), ...(tokens !== undefined && { tokens }) },
    ...(model !== undefined && { model }),
    ...(profile !== undefined && { profile }),
    ...(input.noNativeTools && { nativeTools: false }),
    ...(!input.continue && { temporary: true }),
  };
  return api.chats.create(chatSpec);
}
