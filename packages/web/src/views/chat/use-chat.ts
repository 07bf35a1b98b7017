/** Watches one chat: its view, then its events. */
import { useEffect, useState } from "react";
import type { Caller, ChatEvent } from "@plugboard/contracts";
import { messageOf } from "../../format/message-of.ts";
import { useClient, usePage } from "../../store/context.tsx";
import { applyChatEvent, fromView } from "./chat-state.ts";
import type { ChatState } from "./chat-state.ts";

interface WatchedChat {
  readonly state?: ChatState;
  /** The caller of the chat's calls, who owns its questions. */
  readonly caller?: Caller;
  readonly error?: string;
}

export function useChat(id: string): WatchedChat {
  const client = useClient();
  const live = usePage(({ link }) => link === "live");
  const [watched, setWatched] = useState<WatchedChat>({});
  /** Increases when events were missed, so that the chat must be read again. */
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (!live) return;
    let ended = false;
    // Events that arrive before the view are applied to it, if they are newer.
    const early: { readonly seq: number; readonly event: ChatEvent }[] = [];
    let begun = false;
    const apply = (seq: number, event: ChatEvent) =>
      setWatched((old) =>
        old.state && seq > old.state.seq ? { ...old, state: { ...applyChatEvent(old.state, event), seq } } : old,
      );
    const stop = client.onEvent((event) => {
      if (event.type === "events.missed") return setRound((old) => old + 1);
      if (event.type !== "chat.event" || event.chat !== id) return;
      if (begun) apply(event.seq, event.event);
      else early.push({ seq: event.seq, event: event.event });
    });
    const { watchedChats } = client;
    void watchedChats.open(id).then(
      (view) => {
        if (ended) return;
        begun = true;
        setWatched({ state: fromView(view), caller: view.caller });
        for (const { seq, event } of early) apply(seq, event);
      },
      (error: unknown) => !ended && setWatched({ error: messageOf(error) }),
    );
    return () => {
      ended = true;
      stop();
      watchedChats.close(id);
    };
  }, [client, id, live, round]);
  return watched;
}
