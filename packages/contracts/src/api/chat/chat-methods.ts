/**
 * The list of all methods of `Chats`. The daemon's routes, the methods of a remote host and the methods that the host
 * binds to a caller are derived from it.
 */
import { object, options, text, textMap, wholeNumber } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import type { ChatInput, Chats, ChatSpec, ResumeOptions } from "./chat.ts";
import { specRights } from "../rights/spec-rights.ts";
import type { SpecOf } from "../methods/method-spec.ts";

/** The name of a method on the wire, such as `chats.send`. */
export type ChatMethodPath = `chats.${keyof Chats}`;

type ChatMethodTable = { readonly [Name in keyof Chats as `chats.${Name}`]: SpecOf<Chats[Name]> };

export const CHAT_METHODS: ChatMethodTable = {
  // The daemon checks the content of the spec.
  "chats.create": {
    right: "use_chats",
    more: specRights(0),
    params: [object as ArgumentCheck<unknown> as ArgumentCheck<ChatSpec>],
  },
  "chats.resume": {
    right: "use_chats",
    more: specRights(1),
    params: [
      text,
      options({
        servers: object as ArgumentCheck<unknown> as ArgumentCheck<NonNullable<ResumeOptions["servers"]>>,
        permissions: object as ArgumentCheck<unknown> as ArgumentCheck<NonNullable<ResumeOptions["permissions"]>>,
        env: textMap,
        model: text,
      }),
    ],
  },
  "chats.leave": { right: "use_chats", params: [text] },
  "chats.list": { right: "use_chats", params: [options({ cwd: text, limit: wholeNumber })] },
  // The host checks the content of the input.
  "chats.send": { right: "use_chats", params: [text, object as ArgumentCheck<unknown> as ArgumentCheck<ChatInput>] },
  "chats.cancel": { right: "use_chats", params: [text, options({ input: text })] },
  "chats.setModel": { right: "use_chats", params: [text, text] },
  "chats.compact": { right: "use_chats", params: [text, options({ instructions: text })] },
  "chats.clear": { right: "use_chats", params: [text] },
  "chats.rename": { right: "use_chats", params: [text, text] },
  "chats.close": { right: "use_chats", params: [text] },
  "chats.remove": { right: "use_chats", params: [text] },
  "chats.models": { right: "use_chats", params: [options({ cwd: text })] },
};

export function isChatMethodPath(path: string): path is ChatMethodPath {
  return Object.hasOwn(CHAT_METHODS, path);
}
