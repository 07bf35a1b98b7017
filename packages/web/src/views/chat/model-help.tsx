/** What to do if no model is set: choose one of this machine, or set one up. */
import { sanitizeLine } from "@plugboard/contracts";
import { ActionButton, CodeBlock } from "../../components/button.tsx";
import { Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";

/** Only the line to add: a whole file would replace the servers of the user. */
const EXAMPLE = '"model": "anthropic/claude-sonnet-4-5",';

/** `chat`: the chat whose model is chosen here. `refused`: the model that the user chose and that can't be used. */
export function ModelHelp({ chat, refused }: { chat?: string; refused?: string | undefined }) {
  const choices = useLoad(({ host }) => host.chats.models(), []);
  const overview = useLoad(({ operations }) => operations.overview(), []);
  const file = overview.data?.scopes.find(({ scope }) => scope === "user")?.file;
  if (!choices.data || choices.data.model !== undefined) return null;
  const { found } = choices.data;
  return (
    <Notice tone="warn">
      <div className="stack model-help">
        {refused === undefined ? (
          <strong>No model is set.</strong>
        ) : (
          <strong>{sanitizeLine(refused)} can’t be used yet. The reason is at the field of the model.</strong>
        )}
        {chat !== undefined && found.length > 0 && <FoundModels chat={chat} found={found} />}
        <p>
          Add a line such as this one after <code>{'"mcp": {'}</code> in your config file
          {file !== undefined && <code> {sanitizeLine(file)}</code>}. Keep the rest of the file, which has your servers.
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
