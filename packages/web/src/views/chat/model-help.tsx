/** What to do if no model is set: choose one of this machine, or set one up. */
import { sanitizeLine } from "@plugboard/contracts";
import { ActionButton, CodeBlock } from "../../components/button.tsx";
import { Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient } from "../../store/context.tsx";
import { useLoad } from "../../store/use-load.ts";

const EXAMPLE = JSON.stringify({ mcp: { model: "anthropic/claude-sonnet-4-5" } }, null, 2);

/** `chat` is the chat that gets the chosen model. */
export function ModelHelp({ chat }: { chat?: string }) {
  const choices = useLoad(({ host }) => host.chats.models(), []);
  const overview = useLoad(({ management }) => management.overview(), []);
  const file = overview.data?.scopes.find(({ scope }) => scope === "user")?.file;
  if (!choices.data || choices.data.model !== undefined) return null;
  const { found } = choices.data;
  return (
    <Notice tone="warn">
      <div className="stack model-help">
        <strong>No model is set.</strong>
        {chat !== undefined && found.length > 0 && <FoundModels chat={chat} found={found} />}
        <p>
          Write the model into your config file{file !== undefined && <code> {sanitizeLine(file)}</code>}, for example:
        </p>
        <CodeBlock label="Example of a model in the config file" text={EXAMPLE} />
        <p>Store its key, or set the variable of that name where the host starts:</p>
        <CodeBlock label="Command that stores the key" text="plugboard secret set ANTHROPIC_API_KEY" />
        <p>
          Also <code>openai/…</code> with <code>OPENAI_API_KEY</code>, or <code>ollama/…</code> for a model on this
          machine, without a key. Instead of the file, <code>PLUGBOARD_MODEL</code> can name the model.
        </p>
      </div>
    </Notice>
  );
}

function FoundModels({ chat, found }: { chat: string; found: readonly string[] }) {
  const client = useClient();
  const { report } = useToaster();
  const choose = (model: string) =>
    report(client.connected.host.chats.setModel(chat, model), `The next turn uses ${sanitizeLine(model)}`);
  return (
    <div className="row-wrap">
      Found on this machine:
      {found.map((model) => (
        <ActionButton key={model} small onAction={() => choose(model)}>
          Use {sanitizeLine(model)}
        </ActionButton>
      ))}
    </div>
  );
}
