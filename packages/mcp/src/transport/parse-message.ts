/** Text from a wire as a message. */
import { classify } from "../wire/message.ts";
import type { Incoming } from "../wire/message.ts";

/** A line of a shared wire; nothing for one that does not even look like a message: banners and noise. */
export function parseLine(line: Buffer): Incoming | undefined {
  const text = line.toString("utf8").trim();
  if (!text.startsWith("{") && !text.startsWith("[")) return undefined;
  return parseMessage(text);
}

export function parseMessage(text: string): Incoming {
  try {
    return classify(JSON.parse(text));
  } catch (error) {
    return { type: "malformed", why: `not JSON (${(error as Error).message})` };
  }
}
