/** The messages of a chat, with its calls between them. */
import { Fragment } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ChatAssistantMessage, ChatMessage, ChatToolResult } from "@plugboard/contracts";
import { ContentView } from "../../components/content-view.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Notice } from "../../components/layout.tsx";
import type { Tone } from "../../components/layout.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { ChatAppView } from "./chat-app.tsx";
import type { ChatState } from "./chat-state.ts";

const STATUS_TONES: { readonly [Status in ChatToolResult["status"]]: Tone } = {
  ok: "ok",
  error: "danger",
  denied: "warn",
  unknown: "danger",
  not_run: "neutral",
  cancelled: "neutral",
};

export function ChatMessages({ state }: { state: ChatState }) {
  const { messages, text, reasoning, calls, running, end, queue } = state;
  const results = new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? message.content.map((result) => [result.callId, result] as const) : [],
    ),
  );
  return (
    <>
      {messages.map((message, index) => (
        // Messages are only added, except by a compaction, which replaces all.
        <Message key={index} message={message} results={results} />
      ))}
      {reasoning !== "" && <p className="small muted">{sanitize(reasoning)}</p>}
      {text !== "" && <Markdown text={text} />}
      {calls
        .filter(({ status }) => status === "running")
        .map(({ callId, tool }) => (
          <p key={callId} className="small muted">
            Calling <code>{sanitizeLine(tool)}</code>…
          </p>
        ))}
      {running && text === "" && calls.length === 0 && <p className="small muted">Waiting for the model…</p>}
      {end !== undefined && <Notice tone="warn">{sanitize(end)}</Notice>}
      {queue.map(({ id, input }) => (
        <div key={id} className="chat-user muted">
          {sanitize(input.text)} <Badge>waits</Badge>
        </div>
      ))}
    </>
  );
}

function Message({ message, results }: { message: ChatMessage; results: ReadonlyMap<string, ChatToolResult> }) {
  if (message.role === "tool") return null;
  if (message.role === "assistant") return <AssistantMessage message={message} results={results} />;
  const text = message.content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
  return message.summary ? <Notice>{sanitize(text)}</Notice> : <div className="chat-user">{sanitize(text)}</div>;
}

function AssistantMessage({
  message,
  results,
}: {
  message: ChatAssistantMessage;
  results: ReadonlyMap<string, ChatToolResult>;
}) {
  return message.content.map((part, index) => {
    if (part.type === "text") return <Markdown key={index} text={part.text} />;
    if (part.type === "reasoning") {
      return (
        <details key={index} className="small muted">
          <summary>Reasoning</summary>
          <pre>{sanitize(part.text)}</pre>
        </details>
      );
    }
    const result = results.get(part.callId);
    return (
      <Fragment key={index}>
        {result?.app && <ChatAppView callId={part.callId} app={result.app} args={part.args} />}
        <details className="chat-tool">
          <summary>
            <code className="grow">{sanitizeLine(result?.untrusted?.source ?? part.tool)}</code>
            {result && (
              <Badge tone={STATUS_TONES[result.status]} dot>
                {result.status}
              </Badge>
            )}
          </summary>
          <div className="stack">
            <JsonView name="arguments" value={part.args} />
            {result && result.text !== "" && <pre className="code-block">{sanitize(result.text)}</pre>}
            {result?.media?.map((media, position) => (
              <ContentView key={position} block={{ ...media }} />
            ))}
          </div>
        </details>
      </Fragment>
    );
  });
}
