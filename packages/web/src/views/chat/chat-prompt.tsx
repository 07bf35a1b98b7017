/** The prompt of a server that begins the next message of a chat. */
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import type { PageClient } from "../../connection/page-client.ts";
import type { AttachedPrompt } from "../../store/page-state.ts";

/** Sets the prompt of the next message. Without a prompt, removes it. */
export function setChatPrompt(client: PageClient, chat: string, prompt: AttachedPrompt | undefined): void {
  client.state.update((state) => {
    const { [chat]: _, ...others } = state.chatPrompts;
    return { ...state, chatPrompts: prompt ? { ...others, [chat]: prompt } : others };
  });
}

/** The name by which the terminal chat calls the prompt. */
export function promptName({ server, name }: AttachedPrompt): string {
  return `/${sanitizeLine(server)}:${sanitizeLine(name)}`;
}

export function ChatPrompt({ prompt, onRemove }: { prompt: AttachedPrompt; onRemove: () => void }) {
  const values = Object.entries(prompt.arguments ?? {});
  return (
    <div className="chat-context small">
      <span className="grow">
        Your next message begins with the prompt <code>{promptName(prompt)}</code>
        {values.length > 0 && (
          <span className="muted">
            {" "}
            {values.map(([name, value]) => `${sanitizeLine(name)}: ${sanitize(value)}`).join(", ")}
          </span>
        )}
      </span>
      <Button kind="quiet" small onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}
