/** The entries of a chat: messages, answers and calls, and the messages that wait. */
import { memo, useState } from "react";
import { inputText, sanitize, sanitizeLine, formatDuration } from "@plugboard/contracts";
import type { ChatCallEntry, ChatEntry, ChatTranscript } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { ContentView } from "../../components/content-view.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Notice } from "../../components/layout.tsx";
import type { Tone } from "../../components/layout.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { MessageText } from "../../components/message-text.tsx";
import { CallQuestions } from "../../questions/call-questions.tsx";
import { ChatAppView } from "./chat-app.tsx";

const STATUSES: { readonly [Status in ChatCallEntry["status"]]: { readonly label: string; readonly tone: Tone } } = {
  requested: { label: "waiting", tone: "neutral" },
  running: { label: "running", tone: "info" },
  ok: { label: "done", tone: "ok" },
  error: { label: "failed", tone: "danger" },
  denied: { label: "denied", tone: "warn" },
  unknown: { label: "no such tool", tone: "danger" },
  not_run: { label: "not run", tone: "neutral" },
  cancelled: { label: "cancelled", tone: "neutral" },
};

const ASKED = { label: "waits for your answer", tone: "warn" } as const;

/** Drawing thousands of entries keeps the browser busy for seconds. Earlier ones are drawn on request. */
const SHOWN_ENTRIES = 200;

/** `onRemove` removes a message that waits. */
export function ChatEntries({
  transcript: { entries, queue, turn },
  onRemove,
}: {
  transcript: ChatTranscript;
  onRemove: (input: string) => void;
}) {
  const [count, setCount] = useState(SHOWN_ENTRIES);
  const earlier = Math.max(0, entries.length - count);
  return (
    <>
      {earlier > 0 && (
        <div className="row-wrap">
          <span className="muted">{earlier.toLocaleString("en")} earlier messages</span>
          <Button small onClick={() => setCount(count + SHOWN_ENTRIES)}>
            Show more
          </Button>
        </div>
      )}
      {entries.slice(earlier).map((entry, index) => (
        // Entries are only added, except when the chat is cleared.
        <Entry key={earlier + index} entry={entry} />
      ))}
      {turn && !isInProgress(entries.at(-1)) && <p className="small muted">Waiting for the model…</p>}
      {queue.map(({ id, input }) => (
        <div key={id} className="chat-user chat-waiting">
          {sanitize(inputText(input))} <Badge>waits</Badge>
          <Button small kind="quiet" onClick={() => onRemove(id)}>
            Remove
          </Button>
        </div>
      ))}
    </>
  );
}

function isInProgress(entry: ChatEntry | undefined): boolean {
  return entry?.type === "call" ? !entry.result : entry?.type === "answer" && !entry.isDone;
}

/** Memoized, so that a new piece of text draws only the growing entry again. */
const Entry = memo(function Entry({ entry }: { entry: ChatEntry }) {
  switch (entry.type) {
    case "user":
      return <div className="chat-user">{sanitize(entry.text)}</div>;
    case "answer":
      return entry.isVoid ? null : <Markdown text={entry.text} />;
    case "reasoning":
      if (entry.isVoid) return null;
      if (!entry.isDone) return <p className="small muted">{sanitize(entry.text)}</p>;
      return <Details title="Reasoning" text={entry.text} />;
    case "summary":
      return (
        <Details
          title={`${entry.removedMessages ?? "The"} older messages were replaced by a summary.`}
          text={entry.text}
        />
      );
    case "notice":
      return (
        <Notice tone={entry.tone}>
          <MessageText text={entry.text} />
        </Notice>
      );
    case "call":
      return <Call call={entry} />;
  }
});

function Details({ title, text }: { title: string; text: string }) {
  return (
    <details className="small muted">
      <summary>{title}</summary>
      <pre>{sanitize(text)}</pre>
    </details>
  );
}

function Call({
  call: { callId, name, args, status, askedAt, durationMs, progress, result },
}: {
  call: ChatCallEntry;
}) {
  const { label, tone } = askedAt === undefined ? STATUSES[status] : ASKED;
  return (
    <>
      {result?.app && <ChatAppView callId={callId} app={result.app} args={args} />}
      <details className="chat-tool">
        <summary>
          <code className="grow">{sanitizeLine(name)}</code>
          {progress?.message !== undefined && <span className="small muted cut">{sanitizeLine(progress.message)}</span>}
          {durationMs !== undefined && <span className="small muted">{formatDuration(durationMs)}</span>}
          <Badge tone={tone} dot={result !== undefined}>
            {label}
          </Badge>
        </summary>
        <div className="stack">
          <JsonView name="arguments" value={args} />
          {result && result.text !== "" && <pre className="code-block">{sanitize(result.text)}</pre>}
          {result?.media?.map((media, position) => (
            <ContentView key={position} block={{ ...media }} />
          ))}
        </div>
      </details>
      {!result && <CallQuestions id={callId} />}
    </>
  );
}
