/** Tells the owner about a new question with a notification of the browser, while the page is not in front. */
import { useEffect } from "react";
import type { HostEvent, Question } from "@plugboard/contracts";
import { hrefOf } from "../../hooks/route.ts";
import { useClient } from "../../hooks/context.tsx";
import { questionRequester, questionTitle } from "../../questions/describe-question.ts";

export function useQuestionNotifications(): void {
  const client = useClient();
  useEffect(() => {
    const shown = new Map<string, Notification>();
    const stop = client.onEvent((event) => handleEvent(event, shown));
    return () => {
      stop();
      for (const notification of shown.values()) notification.close();
    };
  }, [client]);
}

function handleEvent(event: HostEvent, shown: Map<string, Notification>): void {
  if (event.type === "question.settled") {
    shown.get(event.question.id)?.close();
    shown.delete(event.question.id);
  }
  const isInFront = !document.hidden && document.hasFocus();
  if (event.type !== "question.asked" || isInFront || !mayNotify()) return;
  const { question } = event;
  // The arguments stay on the page, because other people may see a notification.
  const notification = new Notification(questionTitle(question), {
    body: questionRequester(question),
    tag: tagOf(question),
  });
  shown.set(question.id, notification);
  notification.addEventListener("click", () => {
    window.focus();
    location.hash = hrefOf("inbox");
    notification.close();
  });
}

function mayNotify(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}

/** The browser shows one notification for a tag. Several workspaces of a folder ask the same about trust and logins. */
function tagOf({ id, type, server }: Question): string {
  return type === "trust" || type === "login" ? `${type} ${server}` : id;
}
