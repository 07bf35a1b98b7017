/** Tells the owner about a new question with a notification of the browser, while another tab is in front. */
import { useEffect } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { hrefOf } from "../../shell/route.ts";
import { useClient } from "../../store/context.tsx";

export function useQuestionNotifications(): void {
  const client = useClient();
  useEffect(
    () =>
      client.onEvent((event) => {
        if (event.type !== "question.asked" || !document.hidden) return;
        if (!("Notification" in window) || Notification.permission !== "granted") return;
        const { question } = event;
        const tool = "tool" in question && question.tool !== undefined ? `:${question.tool}` : "";
        // The arguments stay on the page, because other people may see a notification.
        const shown = new Notification("Plugboard has a question", {
          body: sanitizeLine(`${question.server}${tool} (${question.type})`),
          tag: question.id,
        });
        shown.addEventListener("click", () => {
          window.focus();
          location.hash = hrefOf("inbox");
        });
      }),
    [client],
  );
}
