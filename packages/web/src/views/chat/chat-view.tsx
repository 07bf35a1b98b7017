/** Chats with a model that uses the tools of the host. */
import { useEffect, useMemo, useRef, useState } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ChatInfo } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { TextArea } from "../../components/field.tsx";
import { Badge, EmptyState, Notice, View } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatTime } from "../../format/format.ts";
import { hrefOf } from "../../shell/route.ts";
import { useClient, useLoad, usePage } from "../../store/context.tsx";
import { QuestionCard } from "../inbox/question-card.tsx";
import { ChatAppsContext } from "./chat-app.tsx";
import { ChatMessages } from "./chat-messages.tsx";
import { ModelField } from "./model-field.tsx";
import { useChat } from "./use-chat.ts";

export function ChatView({ rest: [id] }: { rest: readonly string[] }) {
  const client = useClient();
  const { report } = useToaster();
  const list = useLoad(({ host }) => host.chats.list(), [id]);
  const create = () =>
    report(
      client.connected.host.chats.create({} as never).then(({ chat }) => {
        location.hash = hrefOf("chat", chat.id);
      }),
    );
  return (
    <View
      title="Chat"
      actions={
        <ActionButton kind="primary" onAction={create}>
          New chat
        </ActionButton>
      }
    >
      <div className="chat">
        <nav className="card chat-list" aria-label="Chats">
          {list.error !== undefined && <Notice tone="warn">{list.error}</Notice>}
          {list.data?.length === 0 && <p className="card-body muted">No chats yet.</p>}
          {list.data?.map((chat) => (
            <ChatLink key={chat.id} chat={chat} selected={chat.id === id} />
          ))}
        </nav>
        {id === undefined || id === "" ? (
          <div className="card">
            <EmptyState title="Talk to a model that uses your tools">
              <p>It asks before it calls a tool, by the same rules as everywhere.</p>
              <ActionButton kind="primary" onAction={create}>
                New chat
              </ActionButton>
            </EmptyState>
          </div>
        ) : (
          <ChatPanel key={id} id={id} onChanged={list.reload} />
        )}
      </div>
    </View>
  );
}

function ChatLink({ chat: { id, title, updatedAt, state }, selected }: { chat: ChatInfo; selected: boolean }) {
  return (
    <a
      className="tool-row"
      style={{ height: 52, textDecoration: "none" }}
      href={hrefOf("chat", id)}
      aria-current={selected}
    >
      <span className="row">
        <span className="cut grow">{sanitizeLine(title) || "New chat"}</span>
        {state === "running" && <Badge tone="info">running</Badge>}
      </span>
      <span className="small muted">{formatTime(updatedAt, Date.now())}</span>
    </a>
  );
}

function ChatPanel({ id, onChanged }: { id: string; onChanged: () => void }) {
  const client = useClient();
  const { report } = useToaster();
  const { state, caller, error } = useChat(id);
  const questions = usePage((page) => page.questions);
  const [text, setText] = useState("");
  const [contexts, setContexts] = useState<ReadonlyMap<string, AppContext>>(new Map());
  const end = useRef<HTMLDivElement>(null);
  const { chats } = client.connected.host;
  const own = questions.filter(({ owner }) => owner !== "workspace" && caller !== undefined && owner.id === caller.id);
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [state?.messages.length, state?.text, own.length]);
  useEffect(onChanged, [state?.running, onChanged]);
  const apps = useMemo(
    () => ({
      chat: id,
      send: (message: string) => chats.send(id, { text: message }),
      setContext: (callId: string, source: string, given: string) =>
        setContexts((old) => new Map([...old].filter(([key]) => key !== callId)).set(callId, { source, text: given })),
    }),
    [chats, id],
  );
  if (error !== undefined) return <Notice tone="danger">{error}</Notice>;
  if (!state) return <p className="muted">Opening…</p>;
  const send = () => {
    const input = text.trim();
    if (input === "") return;
    setText("");
    const context = [...contexts.values()].filter((one) => one.text !== "");
    void report(chats.send(id, { text: input, ...(context.length > 0 && { context }) })).then((ok) =>
      ok ? setContexts(new Map()) : setText(input),
    );
  };
  const remove = async () => {
    await report(chats.remove(id), "The chat is removed");
    location.hash = hrefOf("chat");
  };
  return (
    <section className="card chat-panel" aria-label="Chat">
      <div className="card-head">
        <h2 className="grow cut">{sanitizeLine(state.chat.title) || "New chat"}</h2>
        <ModelField chat={state.chat} />
        <ActionButton small onAction={remove}>
          Remove
        </ActionButton>
      </div>
      <div className="chat-messages" role="log" aria-label="Messages" tabIndex={0}>
        <ChatAppsContext value={apps}>
          <ChatMessages state={state} />
        </ChatAppsContext>
        {own.map((question) => (
          <QuestionCard key={question.id} question={question} />
        ))}
        <div ref={end} />
      </div>
      <AppContexts contexts={contexts} onRemove={(callId) => apps.setContext(callId, "", "")} />
      <form
        className="chat-compose"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextArea
          aria-label="Message"
          placeholder="Message"
          rows={2}
          value={text}
          onValue={setText}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {state.running ? (
          <Button onClick={() => void report(chats.cancel(id))}>Stop</Button>
        ) : (
          <Button type="submit" kind="primary" disabled={text.trim() === ""}>
            Send
          </Button>
        )}
      </form>
    </section>
  );
}

interface AppContext {
  readonly source: string;
  readonly text: string;
}

/** What Apps add to the next message. The user sees it, because the model will. */
function AppContexts({
  contexts,
  onRemove,
}: {
  contexts: ReadonlyMap<string, AppContext>;
  onRemove: (callId: string) => void;
}) {
  return [...contexts]
    .filter(([, { text }]) => text !== "")
    .map(([callId, { source, text }]) => (
      <div key={callId} className="chat-context small">
        <span className="grow">
          The App of <code>{sanitizeLine(source)}</code> adds to your next message: {sanitize(text)}
        </span>
        <Button kind="quiet" small onClick={() => onRemove(callId)}>
          Remove
        </Button>
      </div>
    ));
}
