/** The slash commands for chats: `/new`, `/chats`, `/rename`, `/model`, `/clear`, `/compact`, `/cost` and `/result`. */
import { sanitizeLine, formatDuration, totalTokens } from "@plugboard/contracts";
import type { ChatInfo } from "@plugboard/contracts";
import { findCall } from "../state/find-call.ts";
import { renderWholeCall } from "../view/render-call.ts";
import { formatCost, formatTokens } from "../view/render-status-line.ts";
import { table } from "./catalog-commands.ts";
import type { SlashCommand } from "./slash-command.ts";

const MAX_LISTED = 20;

const newChat: SlashCommand = {
  name: "new",
  about: "begin another chat; this one stays open",
  async run(_, { session, show }) {
    show(await session.create());
  },
};

const chats: SlashCommand = {
  name: "chats",
  usage: "[number]",
  about: "list the chats of this folder, or show another one",
  async run([wanted], { session, chat, show, print, columns, now }) {
    const latest = await session.api.chats.list({ cwd: session.spec.cwd, limit: MAX_LISTED });
    if (wanted !== undefined) {
      const listed = session.listed ?? latest;
      const found = listed[Number(wanted) - 1] ?? listed.find(({ id }) => id === wanted);
      if (!found) throw new Error("There is no such chat. /chats lists them.");
      return show(await session.resume(found.id));
    }
    session.listed = latest;
    const rows = latest.map((info, index) => [
      `${index + 1}${info.id === chat.id ? " *" : ""}`,
      info.title || "(new)",
      info.state,
      `${formatDuration(now - info.updatedAt)} ago`,
    ]);
    print(table(["NO", "TITLE", "STATE", "CHANGED"], rows, columns));
  },
};

const model: SlashCommand = {
  name: "model",
  usage: "[provider/model]",
  about: "show the model and those found on this machine, or use another one",
  async run([wanted], { session, chat, print }) {
    if (wanted !== undefined) {
      const info = await session.api.chats.setModel(chat.id, wanted);
      return print(`The next messages go to ${sanitizeLine(info.model ?? wanted)}.\n`);
    }
    const { found } = await session.api.chats.models({ cwd: session.spec.cwd });
    const { model: used } = chat.transcript.chat;
    const onMachine = found.map((name) => `  ${sanitizeLine(name)}\n`).join("");
    print([
      used === undefined ? "No model is set. Use /model anthropic/… or /model openai/….\n" : `${sanitizeLine(used)}\n`,
      onMachine === "" ? "" : `Models on this machine:\n${onMachine}`,
    ]);
  },
};

const clear: SlashCommand = {
  name: "clear",
  about: "remove all messages of this chat",
  async run(_, { session, chat }) {
    await session.api.chats.clear(chat.id);
  },
};

const compact: SlashCommand = {
  name: "compact",
  usage: "[what to keep]",
  about: "replace older messages with a summary",
  async run(words, { session, chat }) {
    await session.api.chats.compact(chat.id, words.length === 0 ? {} : { instructions: words.join(" ") });
  },
};

const cost: SlashCommand = {
  name: "cost",
  about: "show the tokens and the cost of this chat",
  async run(_, { chat, print }) {
    print(renderCost(chat.transcript.chat));
  },
};

function renderCost({ usage, context }: ChatInfo): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost: price } = usage;
  const limit = context.limit === undefined ? "" : ` of ${formatTokens(context.limit)}`;
  return [
    `${formatTokens(totalTokens(usage))} tokens: ${formatTokens(inputTokens)} in, ${formatTokens(outputTokens)} out`,
    `${formatTokens(cacheReadTokens)} read from the cache, ${formatTokens(cacheWriteTokens)} written to it`,
    `Context: ${formatTokens(context.tokens)}${limit} tokens`,
    price === undefined ? "Cost: unknown, because the price of the model is not known" : `Cost: ${formatCost(price)}`,
    "",
  ].join("\n");
}

const NO_RESULT = "There is no result yet.";
const NO_CALL = "There is no call with this number. The number is in the line below a cut result.";

const result: SlashCommand = {
  name: "result",
  usage: "[number]",
  about: "show a tool call with its whole result, by default the latest",
  async run([number], { chat, print, columns }) {
    const call = findCall(chat.transcript, number === undefined ? undefined : Number(number));
    if (!call) throw new Error(number === undefined ? NO_RESULT : NO_CALL);
    print(renderWholeCall(call, columns).flatMap((row) => [row, "\n"]));
  },
};

const rename: SlashCommand = {
  name: "rename",
  usage: "<title>",
  about: "give this chat a title",
  async run(words, { session, chat, print }) {
    const title = words.join(" ");
    if (title === "") throw new Error("Write the title after /rename.");
    await session.api.chats.rename(chat.id, title);
    print(`This chat is now called ${sanitizeLine(title)}.\n`);
  },
};

export const chatCommands = [newChat, chats, rename, model, clear, compact, cost, result];
