/** Opens the chat of `plugboard run`. */
import type { ChatSpec, ChatView, Env } from "@plugboard/contracts";
import { pathVariables, selectVariables } from "@plugboard/host/internal";
import type { CliContext } from "../../terminal/cli-context.ts";
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
  const sent = variables && { env: await selectEnv(env, variables) };
  const id = input.resume ?? (input.continue ? (await api.chats.list({ cwd, limit: 1 }))[0]?.id : undefined);
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

/** A running host has another environment, so it gets the variables that the definitions refer to, and those of models. */
async function selectEnv(env: Env, variables: readonly string[]): Promise<{ [name: string]: string }> {
  const { modelVariables } = await import("@plugboard/agent/chat");
  return { ...pathVariables(env), ...selectVariables(env, [...variables, ...modelVariables()]) };
}
