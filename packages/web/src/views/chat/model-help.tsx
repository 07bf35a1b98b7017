/** What to do if no model is set: choose one of this machine, or set one up. */
import { sanitizeLine } from "@plugboard/contracts";
import { ActionButton } from "../../components/button.tsx";
import { Notice } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { useClient, useLoad } from "../../store/context.tsx";

/** `chat` is the chat that gets the chosen model. */
export function ModelHelp({ chat }: { chat?: string }) {
  const choices = useLoad(({ host }) => host.chats.models(), []);
  if (!choices.data || choices.data.model !== undefined) return null;
  const { found } = choices.data;
  return (
    <Notice tone="warn">
      <div className="stack model-help">
        <strong>No model is set.</strong>
        {chat !== undefined && found.length > 0 && <FoundModels chat={chat} found={found} />}
        <p>
          Write <code>"model": "provider/model"</code> into the section <code>mcp</code> of your config file, or set{" "}
          <code>PLUGBOARD_MODEL</code> where the host starts:
        </p>
        <ul>
          <li>
            <code>anthropic/…</code> with the key in <code>ANTHROPIC_API_KEY</code>
          </li>
          <li>
            <code>openai/…</code> with the key in <code>OPENAI_API_KEY</code>
          </li>
          <li>
            <code>ollama/…</code> for a model on this machine, without a key
          </li>
        </ul>
        <p>
          A key can also be stored: <code>plugboard secret set ANTHROPIC_API_KEY</code>.
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
