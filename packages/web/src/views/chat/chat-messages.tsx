/** The messages of a chat, with its calls between them. */
import { Fragment, memo, useMemo, useState } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ChatAssistantMessage, ChatMessage, ChatToolResult } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { ContentView } from "../../components/content-view.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Notice } from "../../components/layout.tsx";
import type { Tone } from "../../components/layout.tsx";
import { MessageText } from "../../components/message-text.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { CallQuestions } from "../inbox/call-questions.tsx";
import { ChatAppView } from "./chat-app.tsx";
import { promptName } from "./chat-prompt.tsx";
import type { ChatState } from "./chat-state.ts";

const STATUS_LABELS: { readonly [Status in ChatToolResult["status"]]: string } = {
  ok: "done",
  error: "failed",
  denied: "denied",
  unknown: "no such tool",
  not_run: "not run",
  cancelled: "cancelled",
};

const STATUS_TONES: { readonly [Status in ChatToolResult["status"]]: Tone } = {
  ok: "ok",
  error: "danger",
  denied: "warn",
  unknown: "danger",
  not_run: "neutral",
  cancelled: "neutral",
};

/** Drawing thousands of messages keeps the browser busy for seconds. Earlier ones are drawn on request. */
const SHOWN_MESSAGES = 200;

/** `onRemove` removes a message that waits. */
export function ChatMessages({ state, onRemove }: { state: ChatState; onRemove: (input: string) => void }) {
  const { messages, text, reasoning, calls, running, retry, end, queue } = state;
  // A result names its server and tool. Until then, the call that runs does.
  const sources = useMemo(() => new Map(calls.map(({ callId, tool }) => [callId, tool])), [calls]);
  const results = useMemo(() => resultsOf(messages), [messages]);
  const [count, setCount] = useState(SHOWN_MESSAGES);
  const earlier = Math.max(0, messages.length - count);
  return (
    <>
      {earlier > 0 && (
        <div className="row-wrap">
          <span className="muted">{earlier.toLocaleString("en")} earlier messages</span>
          <Button small onClick={() => setCount(count + SHOWN_MESSAGES)}>
            Show more
          </Button>
        </div>
      )}
      {messages.slice(earlier).map((message, index) => (
        // Messages are only added, except by a compaction, which replaces all.
        <Message key={earlier + index} message={message} results={results} sources={sources} />
      ))}
      {reasoning !== "" && <p className="small muted">{sanitize(reasoning)}</p>}
      {text !== "" && <Markdown text={text} />}
      {running && text === "" && calls.length === 0 && (
        <p className="small muted">
          {retry === undefined ? "Waiting for the model…" : `Asking the model again: ${sanitize(retry)}`}
        </p>
      )}
      {end !== undefined && (
        <Notice tone="warn">
          <MessageText text={end} />
        </Notice>
      )}
      {queue.map(({ id, input }) => (
        <div key={id} className="chat-user chat-waiting">
          {input.prompt && <code>{promptName(input.prompt)}</code>} {sanitize(input.text)} <Badge>waits</Badge>
          <Button small kind="quiet" onClick={() => onRemove(id)}>
            Remove
          </Button>
        </div>
      ))}
    </>
  );
}

function resultsOf(messages: readonly ChatMessage[]): ReadonlyMap<string, ChatToolResult> {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.content : []));
  return new Map(results.map((result) => [result.callId, result]));
}

interface MessageProps<Kind extends ChatMessage> {
  readonly message: Kind;
  readonly results: ReadonlyMap<string, ChatToolResult>;
  readonly sources: ReadonlyMap<string, string>;
}

/** Is not drawn again for each piece of text that the model sends. */
const Message = memo(function Message({ message, ...rest }: MessageProps<ChatMessage>) {
  if (message.role === "tool") return null;
  if (message.role === "assistant") return <AssistantMessage message={message} {...rest} />;
  const text = message.content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
  return message.summary ? <Notice>{sanitize(text)}</Notice> : <div className="chat-user">{sanitize(text)}</div>;
});

function AssistantMessage({ message, results, sources }: MessageProps<ChatAssistantMessage>) {
  const parts = message.content.map((part, index) => {
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
            <code className="grow">
              {sanitizeLine(result?.untrusted?.source ?? sources.get(part.callId) ?? part.tool)}
            </code>
            {!result && sources.has(part.callId) && <Badge tone="info">running</Badge>}
            {result && (
              <Badge tone={STATUS_TONES[result.status]} dot>
                {STATUS_LABELS[result.status]}
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
        {!result && <CallQuestions id={part.callId} />}
      </Fragment>
    );
  });
  return (
    <>
      {parts}
      {message.cancelled && <p className="small muted">You cancelled this answer, so it is not complete.</p>}
    </>
  );
}
