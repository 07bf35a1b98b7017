/** The prompts of all servers. Each can be filled in, previewed and used in a chat. */
import { useId, useState } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { GetPromptResult, PromptList } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { ContentView } from "../../components/content-view.tsx";
import { Field, TextInput } from "../../components/field.tsx";
import { Badge, Card, EmptyState, Notice } from "../../components/layout.tsx";
import { MISSING_TEXT, useMissingFields } from "../../hooks/use-missing-fields.ts";
import { itemKey } from "../../format/item-key.ts";
import { messageOf } from "../../format/message-of.ts";
import { useClient } from "../../hooks/context.tsx";
import type { AttachedPrompt } from "../../store/page-state.ts";
import { itemsOf, useServerLists } from "./use-server-lists.ts";
import { ListErrors } from "./list-errors.tsx";
import { PromptChatDialog } from "./prompt-chat-dialog.tsx";

export function Prompts() {
  const list = useServerLists(async (workspace, server) => {
    const listed = await workspace.prompts.list({ server });
    return itemsOf(server, listed.prompts, listed.errors);
  });
  return (
    <>
      <ListErrors errors={list.errors} />
      {!list.loading && list.items.length === 0 && <EmptyState title="No server has prompts" />}
      <div className="columns">
        {list.items.map((prompt) => (
          <PromptCard key={itemKey(prompt.server, prompt.name)} prompt={prompt} />
        ))}
      </div>
    </>
  );
}

function PromptCard({ prompt }: { prompt: PromptList["prompts"][number] }) {
  const client = useClient();
  const { server, name, title, description, arguments: parameters = [] } = prompt;
  const [values, setValues] = useState<{ readonly [name: string]: string }>({});
  const [result, setResult] = useState<GetPromptResult>();
  const [error, setError] = useState<string>();
  const [used, setUsed] = useState<AttachedPrompt>();
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  const { form, marked, check } = useMissingFields(required.filter((one) => (values[one] ?? "") === ""));
  const given = () => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  const preview = async () => {
    if (!check()) return;
    setError(undefined);
    try {
      setResult(await client.connected.workspace.prompts.get(server, name, given()));
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <Card title={`${sanitizeLine(title ?? name)} · ${sanitizeLine(server)}`}>
      {description !== undefined && <p className="muted">{sanitize(description)}</p>}
      <form
        ref={form}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void preview();
        }}
      >
        {parameters.map((parameter) => (
          <PromptField
            key={parameter.name}
            prompt={prompt}
            parameter={parameter}
            values={values}
            missing={marked.includes(parameter.name)}
            onValue={(value) => setValues({ ...values, [parameter.name]: value })}
          />
        ))}
        <div className="row-wrap">
          <ActionButton onAction={preview}>Preview</ActionButton>
          <Button onClick={() => check() && setUsed({ server, name, arguments: given() })}>Use in a chat</Button>
        </div>
      </form>
      {error !== undefined && <Notice tone="danger">{sanitize(error)}</Notice>}
      {result?.messages.map(({ role, content }, index) => (
        <div key={index} className="stack-tight">
          <div>
            <Badge>{role}</Badge>
          </div>
          <ContentView block={content} />
        </div>
      ))}
      {used && <PromptChatDialog prompt={used} onClose={() => setUsed(undefined)} />}
    </Card>
  );
}

interface PromptFieldProps {
  readonly prompt: PromptList["prompts"][number];
  readonly parameter: NonNullable<PromptList["prompts"][number]["arguments"]>[number];
  readonly values: { readonly [name: string]: string };
  /** True if the field is required and was empty when the form was used. */
  readonly missing: boolean;
  readonly onValue: (value: string) => void;
}

/** Shows the completions of the server for what was typed. */
function PromptField({ prompt, parameter, values, missing, onValue }: PromptFieldProps) {
  const client = useClient();
  const { name, description, required = false } = parameter;
  const [completions, setCompletions] = useState<readonly string[]>([]);
  const complete = async (value: string) => {
    onValue(value);
    const { server, name: promptName } = prompt;
    const { [name]: _, ...others } = values;
    const ref = { type: "ref/prompt" as const, name: promptName };
    // A server without completions rejects the request; the field works without them.
    const found = await client.connected.workspace.prompts
      .complete(server, ref, { name, value }, others)
      .catch(() => undefined);
    setCompletions(found?.values ?? []);
  };
  const listId = useId();
  return (
    <Field
      label={sanitizeLine(parameter.title ?? name)}
      required={required}
      hint={description === undefined ? undefined : sanitize(description)}
      error={missing ? MISSING_TEXT : undefined}
    >
      {(attributes) => (
        <>
          <TextInput
            {...attributes}
            list={listId}
            value={values[name] ?? ""}
            onValue={(value) => void complete(value)}
          />
          <datalist id={listId}>
            {completions.map((completion) => (
              <option key={completion} value={sanitizeLine(completion)} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
