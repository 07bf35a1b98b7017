/** The App of a tool that the model of a chat has called. */
import { createContext, useContext, useMemo } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ChatToolApp, JsonObject } from "@plugboard/contracts";
import { AppFrame } from "../../apps/app-frame.tsx";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/layout.tsx";
import { useLoad } from "../../hooks/use-load.ts";

/** What the Apps of a chat can do in it. */
export interface ChatApps {
  readonly chat: string;
  readonly send: (text: string) => Promise<unknown>;
  /** Sets the text that the App of this call adds to the user's next message. An empty text adds nothing. */
  readonly setContext: (callId: string, source: string, text: string) => void;
}

export const ChatAppsContext = createContext<ChatApps | undefined>(undefined);

interface ChatAppViewProps {
  readonly callId: string;
  readonly app: ChatToolApp;
  readonly args: JsonObject;
}

export function ChatAppView({ callId, app, args }: ChatAppViewProps) {
  const apps = useContext(ChatAppsContext)!;
  const { server, tool, uri, result } = app;
  const loaded = useLoad(
    async ({ host }) => {
      const workspace = await host.chatWorkspace(apps.chat);
      const tools = await workspace.tools.list();
      return { workspace, offered: tools.find((one) => one.server === server && one.tool === tool) };
    },
    [apps.chat, server, tool],
  );
  const chat = useMemo(
    () => ({
      send: apps.send,
      setContext: (text: string) => apps.setContext(callId, `${server}:${tool}`, text),
    }),
    [apps, callId, server, tool],
  );
  if (loaded.error !== undefined) return <Notice tone="danger">{sanitizeLine(loaded.error)}</Notice>;
  if (!loaded.data) return null;
  const { workspace, offered } = loaded.data;
  if (!offered) return <Notice>The server {sanitizeLine(server)} does not offer this App now.</Notice>;
  return <AppFrame workspace={workspace} tool={offered} uri={uri} args={args} result={result} chat={chat} />;
}

export interface AppContext {
  /** The tool of the App, as `server:tool`. */
  readonly source: string;
  readonly text: string;
}

interface AppContextsProps {
  /** By the id of the call that shows the App. */
  readonly contexts: ReadonlyMap<string, AppContext>;
  readonly onRemove: (callId: string) => void;
}

/** Shows the user the texts that Apps add to the next message, because the model will get them. */
export function AppContexts({ contexts, onRemove }: AppContextsProps) {
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
