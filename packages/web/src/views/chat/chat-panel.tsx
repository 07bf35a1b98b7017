/** One chat: its messages, the questions of its calls, and the field for the next message. */
import type { PageClient } from "../../connection/page-client.ts";
import { useEffect, useMemo, useRef, useState } from "react";
import { isHostError, sanitizeLine } from "@plugboard/contracts";
import type { ChatInfo } from "@plugboard/contracts";
import { ActionButton, Button } from "../../components/button.tsx";
import { TextArea } from "../../components/field.tsx";
import { Notice } from "../../components/layout.tsx";
import { MessageText } from "../../components/message-text.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { messageOf } from "../../format/message-of.ts";
import { hrefOf } from "../../hooks/route.ts";
import { useClient, usePage } from "../../hooks/context.tsx";
import { QuestionCard } from "../../questions/question-card.tsx";
import { QuestionList } from "../../questions/question-list.tsx";
import { AppContexts, ChatAppsContext } from "./chat-app.tsx";
import type { AppContext } from "./chat-app.tsx";
import { ChatEntries } from "./chat-entries.tsx";
import { ChatPrompt, setChatPrompt } from "./chat-prompt.tsx";
import { ModelField } from "./model-field.tsx";
import { ModelHelp } from "./model-help.tsx";
import { useChat } from "./use-chat.ts";

export function ChatPanel({ id, onChanged }: { id: string; onChanged: () => void }) {
  const client = useClient();
  const { report } = useToaster();
  const { transcript, caller, error } = useChat(id);
  const questions = usePage((page) => page.questions);
  const prompt = usePage((page) => page.chatPrompts[id]);
  const [sendError, setSendError] = useState<string>();
  const [refusedModel, setRefusedModel] = useState<string>();
  const [contexts, setContexts] = useState<ReadonlyMap<string, AppContext>>(new Map());
  const end = useRef<HTMLDivElement>(null);
  const own = questions.filter(({ owner }) => owner !== "workspace" && caller !== undefined && owner.id === caller.id);
  useEffect(() => {
    end.current?.scrollIntoView({ block: "nearest" });
  }, [transcript?.entries.length, transcript?.entries.at(-1), own.length, sendError]);
  const running = transcript?.turn !== undefined;
  useEffect(onChanged, [running, onChanged]);
  const apps = useMemo(
    () => ({
      chat: id,
      send: (text: string) => client.connected.host.chats.send(id, { text }),
      setContext: (callId: string, source: string, text: string) =>
        setContexts((old) => new Map([...old].filter(([key]) => key !== callId)).set(callId, { source, text })),
    }),
    [client, id],
  );
  if (error !== undefined) return <Notice tone="danger">{error}</Notice>;
  if (!transcript) return <p className="muted">Opening…</p>;
  const { chats } = client.connected.host;
  const { chat, entries, queue, isClosed } = transcript;
  // The questions about an open call are shown beside the call, and the others after the entries.
  const open = new Set(entries.map((entry) => (entry.type === "call" && !entry.result ? entry.callId : undefined)));
  const others = own.filter(({ call }) => call === undefined || !open.has(call));
  const send = async (text: string) => {
    setSendError(undefined);
    try {
      const context = [...contexts.values()].filter((one) => one.text !== "");
      if (isClosed) await chats.resume(id);
      await chats.send(id, { text, ...(prompt && { prompt }), ...(context.length > 0 && { context }) });
      setContexts(new Map());
      setChatPrompt(client, id, undefined);
      return true;
    } catch (thrown) {
      // `ModelHelp` says what to do about a missing model.
      const isModelMissing = isHostError(thrown) && thrown.code === "MODEL_NOT_SET";
      setSendError(isModelMissing ? "The message was not sent, because no model is set." : messageOf(thrown));
      return false;
    }
  };
  const remove = async () => {
    if (!(await report(chats.remove(id), "The chat is removed"))) return;
    setChatDraft(client, id, "");
    setChatPrompt(client, id, undefined);
    location.hash = hrefOf("chat");
  };
  return (
    <section className="card chat-panel" aria-label="Chat">
      <div className="card-head">
        <h2 className="grow cut">{sanitizeLine(chat.title) || "New chat"}</h2>
        <ModelField key={chat.model} chat={chat} onRefused={setRefusedModel} />
        <ActionButton small onAction={remove}>
          Remove
        </ActionButton>
      </div>
      <div className="chat-messages" role="log" aria-label="Messages" tabIndex={0} data-after-question>
        {entries.length === 0 && queue.length === 0 && !running && (
          <p className="muted">
            The model can use all tools of your servers, and those for files and commands in{" "}
            <code>{sanitizeLine(chat.cwd)}</code>. It asks before it changes anything.
          </p>
        )}
        {chat.model === undefined && <ModelHelp chat={id} refused={refusedModel} />}
        <ChatAppsContext value={apps}>
          <ChatEntries transcript={transcript} onRemove={(input) => void report(chats.cancel(id, { input }))} />
        </ChatAppsContext>
        <QuestionList questions={others} card={(question) => <QuestionCard key={question.id} question={question} />} />
        {sendError !== undefined && (
          <Notice tone="danger">
            <MessageText text={sendError} />
          </Notice>
        )}
        <div ref={end} />
      </div>
      <AppContexts contexts={contexts} onRemove={(callId) => apps.setContext(callId, "", "")} />
      {prompt && <ChatPrompt prompt={prompt} onRemove={() => setChatPrompt(client, id, undefined)} />}
      <Compose
        chat={id}
        running={running}
        mayBeEmpty={prompt !== undefined}
        onSend={send}
        onStop={() => report(chats.cancel(id))}
      />
      <Usage chat={chat} />
    </section>
  );
}

interface ComposeProps {
  readonly chat: string;
  readonly running: boolean;
  /** True if the message has other content than the text. */
  readonly mayBeEmpty: boolean;
  /** Resolves with true if the message was sent. */
  readonly onSend: (text: string) => Promise<boolean>;
  readonly onStop: () => Promise<unknown>;
}

function Compose({ chat, running, mayBeEmpty, onSend, onStop }: ComposeProps) {
  const client = useClient();
  const text = usePage((page) => page.chatDrafts[chat] ?? "");
  const setText = (changed: string) => setChatDraft(client, chat, changed);
  const isEmpty = !mayBeEmpty && text.trim() === "";
  const send = () => {
    const input = text.trim();
    if (isEmpty) return;
    setText("");
    void onSend(input).then((isSent) => !isSent && setText(input));
  };
  return (
    <form
      className="chat-compose"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextArea
        aria-label="Message"
        // A prompt was just attached, so focus the message field.
        autoFocus={mayBeEmpty}
        placeholder={running ? "Message for the next turn" : "Message (Enter sends, Shift+Enter starts a new line)"}
        rows={2}
        value={text}
        onValue={setText}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="stack-tight">
        {running && <ActionButton onAction={onStop}>Stop</ActionButton>}
        <Button type="submit" kind="primary" disabled={isEmpty}>
          Send
        </Button>
      </div>
    </form>
  );
}

/** How much of the model's context the chat uses, and the tokens and the cost of the whole chat. */
function Usage({ chat: { context, usage } }: { chat: ChatInfo }) {
  const { tokens, limit } = context;
  const total = usage.inputTokens + usage.outputTokens;
  if (total === 0) return null;
  const count = (value: number) => value.toLocaleString("en");
  return (
    <div className="chat-usage small muted">
      {limit !== undefined && (
        <meter min={0} max={limit} high={limit * 0.8} value={Math.min(tokens, limit)} aria-label="Context in use" />
      )}
      <span>
        Context: {count(tokens)}
        {limit === undefined ? "" : ` of ${count(limit)}`} tokens
      </span>
      <span>
        Whole chat: {count(total)} tokens
        {usage.cost === undefined ? "" : `, $${usage.cost.toFixed(usage.cost < 1 ? 3 : 2)}`}
      </span>
    </div>
  );
}

/** Keeps the unsent text of a chat while the user looks at other views. */
function setChatDraft(client: PageClient, chat: string, text: string): void {
  client.state.update((state) => {
    const { [chat]: _, ...others } = state.chatDrafts;
    return { ...state, chatDrafts: text === "" ? others : { ...others, [chat]: text } };
  });
}
