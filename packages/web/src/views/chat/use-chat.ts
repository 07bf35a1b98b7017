/** Watches one chat: reads it as a whole, then applies its events. */
import { useEffect, useState } from "react";
import { applyChatEvent, openTranscript } from "@plugboard/contracts";
import type { Caller, ChatTranscript, HostEvent } from "@plugboard/contracts";
import { messageOf } from "../../format/message-of.ts";
import { useClient, usePage } from "../../hooks/context.tsx";

interface WatchedChat {
  readonly transcript?: ChatTranscript;
  /** The sequence number of the last event that the transcript includes. */
  readonly seq: number;
  /** The caller of the chat's calls, who owns its questions. */
  readonly caller?: Caller;
  readonly error?: string;
}

export function useChat(id: string): WatchedChat {
  const client = useClient();
  const live = usePage(({ link }) => link === "live");
  const [watched, setWatched] = useState<WatchedChat>({ seq: 0 });
  /** Increases when events were missed, so that the chat must be read again. */
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (!live) return;
    let ended = false;
    // Events that arrive before the view are applied to it, if they are newer.
    const early: HostEvent[] = [];
    let begun = false;
    const apply = (event: HostEvent) => setWatched((old) => applyHostEvent(old, id, event));
    const stop = client.onEvent((event) => {
      if (event.type === "events.missed") setRound((old) => old + 1);
      else if (begun) apply(event);
      else early.push(event);
    });
    const { watchedChats } = client;
    void watchedChats.open(id).then(
      (view) => {
        if (ended) return;
        begun = true;
        setWatched({ transcript: openTranscript(view, Date.now()), seq: view.seq, caller: view.caller });
        early.forEach(apply);
      },
      (error: unknown) => !ended && setWatched({ seq: 0, error: messageOf(error) }),
    );
    return () => {
      ended = true;
      stop();
      watchedChats.close(id);
    };
  }, [client, id, live, round]);
  return watched;
}

/** Returns the same object for events of other chats, and for those that the transcript has already. */
function applyHostEvent(watched: WatchedChat, id: string, event: HostEvent): WatchedChat {
  const { transcript, seq } = watched;
  const change = event.type === "chat.event" && event.chat === id ? event.event : questionEvent(event);
  if (!transcript || !change || event.seq <= seq) return watched;
  return { ...watched, seq: event.seq, transcript: applyChatEvent(transcript, change, Date.now()) };
}

function questionEvent(event: HostEvent) {
  return event.type === "question.asked" || event.type === "question.settled" ? event : undefined;
}
