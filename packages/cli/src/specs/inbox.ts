/** The commands that show and answer the questions of the running host. */
import { answerRows } from "@plugboard/contracts";
import { configOptions, defineCommand, flag, required, rest } from "../command-line/command-spec.ts";

const id = required("the id of the question, or its first characters", { label: "question" });

const inbox = defineCommand({
  name: "inbox",
  summary: "list the questions that wait for you at the running host, or answer them as they come",
  description:
    "Questions come from clients of the gateway that can't ask you themselves, and from servers that wait for your approval or login.",
  options: {
    ...configOptions,
    watch: flag("stay, and ask each question when it comes, until you press Ctrl-C"),
  },
  examples: [
    { line: "plugboard inbox" },
    { line: "plugboard inbox --watch", about: "asks you on this terminal whenever a client needs your permission" },
  ],
  output: "inbox",
  run: async (input, cli) =>
    input.watch
      ? (await import("../commands/inbox/watch-inbox.ts")).watchInbox(input, cli)
      : (await import("../commands/inbox/list-questions.ts")).listQuestions(input, cli),
});

const inboxShow = defineCommand({
  name: "inbox show",
  summary: "show all of a question",
  arguments: { id },
  options: configOptions,
  examples: [{ line: "plugboard inbox show 3f2a" }],
  output: "inbox-show",
  run: async (input, cli) => (await import("../commands/inbox/show-inbox-question.ts")).showInboxQuestion(input, cli),
});

const inboxAnswer = defineCommand({
  name: "inbox answer",
  summary: "answer a question",
  description: `A permission takes ${permissionWords()}. Trust and sampling take yes or no. A form takes field=value for each field, or decline. A page to visit takes accept or decline. A login takes begin, cancel, or the URL that the browser was redirected to. The word dismiss closes any question without an answer.`,
  arguments: { id, answer: rest("such as once, yes or name=Ann") },
  options: configOptions,
  examples: [
    { line: "plugboard inbox answer 3f2a once", about: "allows one call" },
    { line: "plugboard inbox answer 3f2a no not on a Friday", about: "denies it, with a reason that the model sees" },
    { line: "plugboard inbox answer 77b0 name=Ann likes=tea", about: "fills in a form" },
  ],
  output: "inbox-answer",
  run: async (input, cli) => (await import("../commands/inbox/answer-question.ts")).answerQuestion(input, cli),
});

export const inboxCommands = [inbox, inboxShow, inboxAnswer];

/** Lists the answers to a permission question, and says what they mean. */
function permissionWords(): string {
  const rows = answerRows();
  const words = rows.flatMap(([name]) => (name === "no" ? [] : [name]));
  const meanings = rows.flatMap(([, { meaning }]) => (meaning === undefined ? [] : [meaning]));
  return `${words.join(", ")}, or no with an optional reason. ${meanings.join(" ")}`.replace(/\.$/, "");
}
