/** Chooses the chat whose next message begins with a prompt. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { ActionDialog } from "../../components/dialog.tsx";
import { Field, Select } from "../../components/field.tsx";
import { Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatTime } from "../../format/format.ts";
import { hrefOf } from "../../hooks/route.ts";
import { useClient } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import type { AttachedPrompt } from "../../store/page-state.ts";
import { promptName, setChatPrompt } from "../chat/chat-prompt.tsx";

const NEW_CHAT = "";
const MAX_CHATS = 50;

export function PromptChatDialog({ prompt, onClose }: { prompt: AttachedPrompt; onClose: () => void }) {
  const client = useClient();
  const { report } = useToaster();
  const [chosen, setChosen] = useState(NEW_CHAT);
  // A chat in another folder may not have the server.
  const chats = useLoad(async ({ host, operations }) => {
    const { folder } = await operations.overview();
    return host.chats.list({ cwd: folder, limit: MAX_CHATS });
  }, []);
  const use = () =>
    report(
      (async () => {
        const id = chosen === NEW_CHAT ? (await client.connected.host.chats.create({})).chat.id : chosen;
        setChatPrompt(client, id, prompt);
        onClose();
        location.hash = hrefOf("chat", id);
      })(),
    );
  return (
    <ActionDialog
      title={`Use ${promptName(prompt)} in a chat`}
      onClose={onClose}
      action="Continue in the chat"
      onAction={use}
    >
      <p>The messages of the prompt become the start of your next message. You can add a text before you send it.</p>
      {chats.error !== undefined && <Notice tone="warn">{chats.error}</Notice>}
      <Field label="Chat">
        {(attributes) => (
          <Select
            {...attributes}
            value={chosen}
            onValue={setChosen}
            choices={[
              { value: NEW_CHAT, label: "New chat" },
              ...(chats.data ?? []).map(({ id, title, updatedAt }) => ({
                value: id,
                label: `${sanitizeLine(title) || "New chat"} (${formatTime(updatedAt, Date.now())})`,
              })),
            ]}
          />
        )}
      </Field>
    </ActionDialog>
  );
}
