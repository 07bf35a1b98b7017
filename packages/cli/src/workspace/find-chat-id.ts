/** Finds the chat of `--resume` or `--continue`. */
import type { HostApi } from "@plugboard/contracts";

/** Returns undefined if the user wants a new chat, or the folder has none to continue. */
export async function findChatId(
  { chats }: Pick<HostApi, "chats">,
  cwd: string,
  flags: { readonly resume: string | undefined; readonly continue: boolean },
): Promise<string | undefined> {
  if (flags.resume !== undefined || !flags.continue) return flags.resume;
  const [latest] = await chats.list({ cwd, limit: 1 });
  return latest?.id;
}
