/** Shows the model of a chat, and sets another one. */
import { useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ChatInfo } from "@plugboard/contracts";
import { TextInput } from "../../components/field.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient, useLoad } from "../../store/context.tsx";

export function ModelField({ chat: { id, model } }: { chat: ChatInfo }) {
  const client = useClient();
  const { report } = useToaster();
  const choices = useLoad(({ host }) => host.chats.models(), []);
  const [text, setText] = useState(model ?? "");
  const known = [...new Set([choices.data?.model, ...(choices.data?.found ?? [])].filter((one) => one !== undefined))];
  const save = () => {
    if (text.trim() === "" || text.trim() === model) return;
    void report(client.connected.host.chats.setModel(id, text.trim()), `The next turn uses ${text.trim()}`);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextInput
        aria-label="Model"
        placeholder="provider/model"
        list={`models-${id}`}
        value={text}
        onValue={setText}
        onBlur={save}
      />
      <datalist id={`models-${id}`}>
        {known.map((one) => (
          <option key={one} value={sanitizeLine(one)} />
        ))}
      </datalist>
    </form>
  );
}
