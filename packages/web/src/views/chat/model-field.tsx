/** Shows the model of a chat, and sets another one. */
import { useId, useState } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ChatInfo } from "@plugboard/contracts";
import { TextInput } from "../../components/field.tsx";
import { MessageText } from "../../components/message-text.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { messageOf } from "../../format/message-of.ts";
import { useClient } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";

interface ModelFieldProps {
  readonly chat: ChatInfo;
  /** Called with the model that can't be used, for example because its key is missing. */
  readonly onRefused: (model: string) => void;
}

export function ModelField({ chat: { id, model }, onRefused }: ModelFieldProps) {
  const client = useClient();
  const { show } = useToaster();
  const [error, setError] = useState<string>();
  const errorId = useId();
  const choices = useLoad(({ host }) => host.chats.models(), []);
  const [text, setText] = useState(model ?? "");
  const known = [...new Set([choices.data?.model, ...(choices.data?.found ?? [])].filter((one) => one !== undefined))];
  const save = () => {
    if (text.trim() === "" || text.trim() === model) return;
    client.connected.host.chats.setModel(id, text.trim()).then(
      () => show(`The next turn uses ${text.trim()}`),
      (thrown: unknown) => {
        setError(messageOf(thrown));
        onRefused(text.trim());
      },
    );
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
        aria-invalid={error !== undefined}
        aria-describedby={errorId}
        onValue={(next) => {
          setText(next);
          setError(undefined);
        }}
        onBlur={save}
      />
      <div id={errorId} className="small danger-text" role="alert">
        {error !== undefined && <MessageText text={error} />}
      </div>
      <datalist id={`models-${id}`}>
        {known.map((one) => (
          <option key={one} value={sanitizeLine(one)} />
        ))}
      </datalist>
    </form>
  );
}
