/** Which events of the host are shown above the calls. Pure. */
import type { PageState } from "../../store/page-state.ts";
import { noticeText } from "./notice-text.ts";

interface ShownNotice {
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  readonly tone: "info" | "warn";
}

/**
 * `notices` has the newest first. Returns each text once, with its latest time: first the problems, then the others.
 */
export function distinctNotices(notices: PageState["notices"]): ShownNotice[] {
  const texts = new Set<string>();
  const distinct = notices.flatMap(({ seq, at, event }): ShownNotice[] => {
    const text = noticeText(event);
    if (texts.has(text)) return [];
    texts.add(text);
    return [{ seq, at, text, tone: event.type === "config.changed" ? "info" : "warn" }];
  });
  const ofTone = (tone: ShownNotice["tone"]) => distinct.filter((notice) => notice.tone === tone);
  return [...ofTone("warn"), ...ofTone("info")];
}
