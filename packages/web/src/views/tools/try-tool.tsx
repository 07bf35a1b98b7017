/** Calls a tool with arguments from a form or from JSON, and shows the result. */
import { useEffect, useState } from "react";
import { isJsonObject, sanitize } from "@plugboard/contracts";
import type { JsonObject, OfferedTool } from "@plugboard/contracts";
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
import { isBuiltIn } from "../../format/built-in.ts";
import { initialValue } from "../../schema/resolve-schema.ts";
import { parseJson } from "../../schema/parse-json.ts";
import { missingFields, SchemaForm } from "../../schema/schema-form.tsx";
import { useClient } from "../../store/context.tsx";
import type { FinishedTrial } from "../../store/tool-trials.ts";
import { useTrial } from "../../store/use-trials.ts";
import { CallQuestions } from "../inbox/call-questions.tsx";

export function TryTool({ tool }: { tool: OfferedTool }) {
  const client = useClient();
  const { server, tool: name, inputSchema } = tool;
  const trial = useTrial(server, name);
  const running = trial?.state.phase === "running" ? trial.state : undefined;
  const finished = trial?.state.phase === "finished" ? trial.state : undefined;
  useEffect(() => {
    if (trial) client.toolTrials.markSeen(trial);
  }, [client, trial]);
  const [mode, setMode] = useState("form");
  const [args, setArgs] = useState<JsonObject>(() => {
    // The user returns to a call, or repeats it.
    if (trial) return trial.args;
    const initial = initialValue(inputSchema, inputSchema);
    return isJsonObject(initial) ? initial : {};
  });
  const [text, setText] = useState("{}");
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
  return (
    <Card title="Try it">
      <form
        ref={form}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (check()) void client.toolTrials.call(server, name, sent);
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
            // The command line has no built-in tools.
            ...(isBuiltIn(tool.server) ? [] : [{ id: "command", title: "As a command" }]),
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
          {running && <Button onClick={() => running.abort.abort()}>Cancel</Button>}
          {running?.progress && (
            <span className="small muted">
              {running.progress.progress}
              {running.progress.total === undefined ? "" : ` of ${running.progress.total}`}{" "}
              {sanitize(running.progress.message ?? "")}
            </span>
          )}
        </div>
      </form>
      {running && <CallQuestions server={server} tool={name} />}
      {trial && finished?.result && tool.ui?.resourceUri !== undefined && (
        <AppFrame
          key={trial.id}
          workspace={client.connected.workspace}
          tool={tool}
          uri={tool.ui.resourceUri}
          args={trial.args}
          result={finished.result}
        />
      )}
      <div role="status" aria-live="polite">
        {finished && <Outcome finished={finished} />}
      </div>
    </Card>
  );
}

function Outcome({ finished: { ms, result, error } }: { finished: FinishedTrial }) {
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
