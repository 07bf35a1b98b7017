/** Chats with a model that uses the tools of the host. */
import { useEffect } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import type { ChatInfo } from "@plugboard/contracts";
import { ActionButton } from "../../components/button.tsx";
import { Badge, EmptyState, Notice, View } from "../../components/layout.tsx";
import { useToaster } from "../../components/toasts.tsx";
import { formatTime } from "../../format/format.ts";
import { hrefOf } from "../../hooks/route.ts";
import { useClient, usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { ChatPanel } from "./chat-panel.tsx";
import { ModelHelp } from "./model-help.tsx";

/** Other terminals and tabs change the list without an event. */
const RELOAD_MS = 5000;

export function ConversationView({ rest: [id] }: { rest: readonly string[] }) {
  const client = useClient();
  const { report } = useToaster();
  const list = useLoad(({ host }) => host.chats.list(), [id]);
  const { reload } = list;
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && reload(), RELOAD_MS);
    return () => clearInterval(timer);
  }, [reload]);
  const create = () =>
    report(
      client.connected.host.chats.create({}).then(({ chat }) => {
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
              <p>It asks before it calls a tool, by the same rules as everywhere. Several chats can run at once.</p>
              <ModelHelp />
              <ActionButton kind="primary" onAction={create}>
                New chat
              </ActionButton>
            </EmptyState>
          </div>
        ) : (
          <ChatPanel key={id} id={id} onChanged={reload} />
        )}
      </div>
    </View>
  );
}

function ChatLink({ chat: { id, title, updatedAt, state }, selected }: { chat: ChatInfo; selected: boolean }) {
  const asks = usePage(({ questions }) => questions.some(({ owner }) => owner !== "workspace" && owner.id === id));
  const hasDraft = usePage(({ chatDrafts, chatPrompts }) => id in chatDrafts || id in chatPrompts);
  return (
    <a className="tool-row chat-link" href={hrefOf("chat", id)} aria-current={selected}>
      <span className="row">
        <span className="cut grow">{sanitizeLine(title) || "New chat"}</span>
        {hasDraft && <Badge>draft</Badge>}
        {asks ? <Badge tone="warn">asks you</Badge> : state === "running" && <Badge tone="info">running</Badge>}
      </span>
      <span className="small muted">{formatTime(updatedAt, Date.now())}</span>
    </a>
  );
}
