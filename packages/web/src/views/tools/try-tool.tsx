/** Calls a tool with arguments from a form or from JSON, and shows the result. */
import { useMemo, useState } from "react";
import { isJsonObject, sanitize } from "@plugboard/contracts";
import type { JsonObject, OfferedTool } from "@plugboard/contracts";
import { AppFrame } from "../../apps/app-frame.tsx";
import { Button, CodeBlock } from "../../components/button.tsx";
import { Field, TextArea } from "../../components/field.tsx";
import { Card, Notice } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useMissingFields } from "../../hooks/use-missing-fields.ts";
import { callCommand, callProgram } from "../../format/call-snippets.ts";
import { isBuiltIn } from "../../format/built-in.ts";
import { fitsForm } from "../../schema/fits-form.ts";
import { initialValue } from "../../schema/form-fields.ts";
import { parseJson } from "../../schema/parse-json.ts";
import { missingFields, SchemaForm } from "../../schema/schema-form.tsx";
import { useClient } from "../../hooks/context.tsx";
import { useTrial } from "../../hooks/use-trials.ts";
import { CallQuestions } from "../../questions/call-questions.tsx";
import { TrialResult } from "./trial-result.tsx";

export function TryTool({ tool }: { tool: OfferedTool }) {
  const client = useClient();
  const { server, tool: name, inputSchema } = tool;
  const trial = useTrial(server, name);
  const running = trial?.state.phase === "running" ? trial.state : undefined;
  const finished = trial?.state.phase === "finished" ? trial.state : undefined;
  const [args, setArgs] = useState<JsonObject>(() => {
    // The user returns to a call, or repeats it.
    if (trial) return trial.args;
    const initial = initialValue(inputSchema, inputSchema);
    return isJsonObject(initial) ? initial : {};
  });
  const isShown = useMemo(() => fitsForm(inputSchema, args, inputSchema), [inputSchema, args]);
  const [mode, setMode] = useState(isShown ? "form" : "json");
  // The JSON that the user has typed. Undefined after a change in the form. `args` has its latest valid state.
  const [typed, setTyped] = useState<string>();
  const text = typed ?? JSON.stringify(args, null, 2);
  const jsonError = typed === undefined ? undefined : readArguments(typed).error;
  const changeJson = (changed: string) => {
    setTyped(changed);
    const { value } = readArguments(changed);
    if (value) setArgs(value);
  };
  const changeForm = (changed: JsonObject) => {
    setTyped(undefined);
    setArgs(changed);
  };

  // As JSON, the user can also send arguments that do not fit the schema.
  const missing = mode === "json" ? [] : missingFields(inputSchema, args);
  const { form, marked, check } = useMissingFields(missing);
  return (
    <Card title="Try it">
      <form
        ref={form}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (check()) void client.toolTrials.call(server, name, args);
          else setMode("form");
        }}
      >
        <Tabs
          label="Arguments"
          selected={mode}
          onSelect={setMode}
          tabs={[
            { id: "form", title: "Form" },
            { id: "json", title: "JSON" },
            // The command line has no built-in tools.
            ...(isBuiltIn(tool.server) ? [] : [{ id: "command", title: "As a command" }]),
            { id: "program", title: "As a program" },
          ]}
        >
          {mode !== "json" && jsonError !== undefined && (
            <Notice tone="warn">The text under JSON is not valid. These are the arguments before the error.</Notice>
          )}
          {mode === "form" && !isShown && (
            <Notice tone="warn">The form can’t show all arguments. JSON has the rest, and a call sends it, too.</Notice>
          )}
          {mode === "form" && <SchemaForm schema={inputSchema} value={args} onValue={changeForm} missing={marked} />}
          {mode === "json" && (
            <Field label="Arguments as JSON" error={jsonError}>
              {(attributes) => <TextArea {...attributes} code rows={8} value={text} onValue={changeJson} />}
            </Field>
          )}
          {mode === "command" && <CodeBlock label="Command" text={callCommand(server, name, args)} />}
          {mode === "program" && <CodeBlock label="Program" text={callProgram(server, name, args)} />}
        </Tabs>
        <div className="row-wrap">
          <Button
            type="submit"
            kind="primary"
            disabled={running !== undefined || (mode === "json" && jsonError !== undefined)}
          >
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
      {trial && running && <CallQuestions id={trial.id} server={server} besideTool />}
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
      <TrialResult trial={trial} />
    </Card>
  );
}

/** An empty text stands for no arguments. */
function readArguments(text: string): { readonly value?: JsonObject; readonly error?: string | undefined } {
  const { value = {}, error } = parseJson(text);
  if (error !== undefined) return { error };
  return isJsonObject(value) ? { value } : { error: "The arguments must be an object." };
}
