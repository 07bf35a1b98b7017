/** Calls a tool with arguments from a form or from JSON, and shows the result. */
import { useRef, useState } from "react";
import { isHostError, isJsonObject, sanitize } from "@plugboard/contracts";
import type { JsonObject, OfferedTool, Progress, ToolResult } from "@plugboard/contracts";
import { AppFrame } from "../../apps/app-frame.tsx";
import { Button, CodeBlock } from "../../components/button.tsx";
import { ContentList } from "../../components/content-view.tsx";
import { Field, TextArea } from "../../components/field.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Card, Notice } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useMissingFields } from "../../components/use-missing-fields.ts";
import { callCommand, callProgram } from "../../format/call-snippets.ts";
import { formatMs } from "../../format/format.ts";
import { messageOf } from "../../format/message-of.ts";
import { initialValue } from "../../schema/resolve-schema.ts";
import { parseJson } from "../../schema/parse-json.ts";
import { missingFields, SchemaForm } from "../../schema/schema-form.tsx";
import { useClient } from "../../store/context.tsx";
import { CallQuestions } from "../inbox/call-questions.tsx";

interface Finished {
  readonly ms: number;
  readonly args: JsonObject;
  readonly result?: ToolResult;
  readonly error?: { readonly code: string; readonly message: string };
}

export function TryTool({ tool }: { tool: OfferedTool }) {
  const client = useClient();
  const { server, tool: name, inputSchema } = tool;
  const [mode, setMode] = useState("form");
  const [args, setArgs] = useState<JsonObject>(() => {
    const initial = initialValue(inputSchema, inputSchema);
    return isJsonObject(initial) ? initial : {};
  });
  const [text, setText] = useState("{}");
  const [running, setRunning] = useState<AbortController>();
  const [progress, setProgress] = useState<Progress>();
  const [finished, setFinished] = useState<Finished>();
  const latest = useRef(0);
  const parsed = mode === "json" ? parseJson(text) : { value: args };
  const jsonError =
    parsed.error ??
    (parsed.value !== undefined && !isJsonObject(parsed.value) ? "The arguments must be an object." : undefined);
  const sent = isJsonObject(parsed.value) ? parsed.value : {};

  // JSON is the way to send arguments that do not fit the schema.
  const missing = mode === "json" ? [] : missingFields(inputSchema, args);
  const { form, marked, check } = useMissingFields(missing);

  const selectMode = (next: string) => {
    if (next === "json" && mode === "form") setText(JSON.stringify(args, null, 2));
    if (next === "form" && isJsonObject(parsed.value)) setArgs(parsed.value);
    setMode(next);
  };
  const call = async () => {
    const request = ++latest.current;
    const abort = new AbortController();
    setRunning(abort);
    setFinished(undefined);
    setProgress(undefined);
    const startedAt = performance.now();
    const end = (outcome: Omit<Finished, "ms" | "args">) => {
      if (request !== latest.current) return;
      setFinished({ ...outcome, args: sent, ms: performance.now() - startedAt });
      setRunning(undefined);
    };
    try {
      const options = { signal: abort.signal, onProgress: setProgress };
      end({ result: await client.connected.workspace.tools.call({ server, tool: name }, sent, options) });
    } catch (error) {
      end({ error: { code: isHostError(error) ? error.code : "ERROR", message: messageOf(error) } });
    }
  };
  return (
    <Card title="Try it">
      <form
        ref={form}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (check()) void call();
          else setMode("form");
        }}
      >
        <Tabs
          label="Arguments"
          selected={mode}
          onSelect={selectMode}
          tabs={[
            { id: "form", title: "Form" },
            { id: "json", title: "JSON" },
            { id: "command", title: "As a command" },
            { id: "program", title: "As a program" },
          ]}
        >
          {mode === "form" && <SchemaForm schema={inputSchema} value={args} onValue={setArgs} missing={marked} />}
          {mode === "json" && (
            <Field label="Arguments as JSON" error={jsonError}>
              {(attributes) => <TextArea {...attributes} code rows={8} value={text} onValue={setText} />}
            </Field>
          )}
          {mode === "command" && <CodeBlock label="Command" text={callCommand(server, name, sent)} />}
          {mode === "program" && <CodeBlock label="Program" text={callProgram(server, name, sent)} />}
        </Tabs>
        <div className="row-wrap">
          <Button type="submit" kind="primary" disabled={running !== undefined || jsonError !== undefined}>
            {running ? "Calling…" : "Call"}
          </Button>
          {running && <Button onClick={() => running.abort()}>Cancel</Button>}
          {running && progress && (
            <span className="small muted">
              {progress.progress}
              {progress.total === undefined ? "" : ` of ${progress.total}`} {sanitize(progress.message ?? "")}
            </span>
          )}
        </div>
      </form>
      {running && <CallQuestions server={server} tool={name} />}
      {finished?.result && tool.ui?.resourceUri !== undefined && (
        <AppFrame
          key={latest.current}
          workspace={client.connected.workspace}
          tool={tool}
          uri={tool.ui.resourceUri}
          args={finished.args}
          result={finished.result}
        />
      )}
      <div role="status" aria-live="polite">
        {finished && <Outcome finished={finished} />}
      </div>
    </Card>
  );
}

function Outcome({ finished: { ms, result, error } }: { finished: Finished }) {
  if (error?.code === "CANCELLED") {
    return (
      <p className="muted">
        Cancelled. <span className="small">({formatMs(ms)})</span>
      </p>
    );
  }
  if (error) {
    return (
      <Notice tone="danger">
        <strong>{error.code}</strong> {sanitize(error.message)} <span className="muted">({formatMs(ms)})</span>
      </Notice>
    );
  }
  const { content, structuredContent, isError } = result!;
  return (
    <div className="stack">
      <div className="row">
        <Badge tone={isError ? "danger" : "ok"} dot>
          {isError ? "the tool reports an error" : "done"}
        </Badge>
        <span className="small muted">after {formatMs(ms)}</span>
      </div>
      <ContentList content={content} />
      {structuredContent !== undefined && (
        <details open={content.length === 0}>
          <summary>Structured result</summary>
          <div className="code-block">
            <JsonView value={structuredContent} />
          </div>
        </details>
      )}
    </div>
  );
}
