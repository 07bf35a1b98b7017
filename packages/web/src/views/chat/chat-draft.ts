/** The unsent text of a chat. It stays while the user looks at other views. */
import type { PageClient } from "../../connection/page-client.ts";

export function setChatDraft(client: PageClient, chat: string, text: string): void {
  client.state.update((state) => {
    const { [chat]: _, ...others } = state.chatDrafts;
    return { ...state, chatDrafts: text === "" ? others : { ...others, [chat]: text } };
  });
}
