/** Puts the questions of this command's own calls to the person at the terminal, one after another. */
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { HostError, sameCaller, sanitiseLine, toHostError } from "@plugboard/contracts";
import type {
  Answer,
  ElicitationQuestion,
  FormElicitation,
  FormValue,
  HostApi,
  Question,
  Workspace,
} from "@plugboard/contracts";
import type { Surroundings } from "../surroundings.ts";
import { readFieldInput } from "./field-input.ts";
import { fieldPrompt, FORM_HELP, renderAsker, renderField, renderPermission } from "./render-question.ts";

export interface Prompting {
  stop(): Promise<void>;
}

export function answerOnTerminal(
  api: HostApi,
  workspace: Workspace,
  { stdin, stderr }: Surroundings,
  interrupt: () => void,
): Prompting {
  const stopped = new AbortController();
  const settled = new Map<string, AbortController>();
  let queue = Promise.resolve();

  const done = (async () => {
    for await (const event of api.events(undefined, stopped.signal)) {
      if (event.type === "question.settled") settled.get(event.question.id)?.abort();
      if (event.type !== "question.asked") continue;
      const { question } = event;
      if (question.owner === "workspace" || !sameCaller(question.owner, api.caller)) continue;
      const gone = new AbortController();
      settled.set(question.id, gone);
      queue = queue.then(() => ask(question, gone.signal)).finally(() => settled.delete(question.id));
    }
  })();

  /** The terminal is taken only while a question is open, so that nothing typed otherwise is swallowed. */
  async function ask(question: Question, gone: AbortSignal): Promise<void> {
    if (gone.aborted) return;
    const lines = createInterface({ input: stdin, output: stderr, terminal: true });
    lines.on("SIGINT", interrupt);
    try {
      const answer = await putQuestion(
        question,
        (prompt) => readLine(lines, prompt, gone),
        (text) => stderr.write(text),
      );
      if (gone.aborted) return;
      if (answer) await workspace.inbox.answer(question.id, answer);
      else await workspace.inbox.dismiss(question.id);
    } catch (error) {
      stderr.write(`\n  ${toHostError(error).message}\n`);
      if (!gone.aborted) await workspace.inbox.dismiss(question.id);
    } finally {
      lines.close();
    }
  }

  return {
    async stop() {
      stopped.abort();
      for (const gone of settled.values()) gone.abort();
      await done;
      await queue;
    },
  };
}

type Read = (prompt: string) => Promise<string>;
type Show = (text: string) => void;

/** Nothing means: dismissed. */
function putQuestion(question: Question, read: Read, show: Show): Promise<Answer | undefined> {
  if (question.type === "elicitation") return putElicitation(question, read, show);
  show(renderPermission(question));
  return readPermission(read);
}

async function readPermission(read: Read): Promise<Answer> {
  for (;;) {
    const typed = (await read("Allow this call once? y / n / n <reason the model sees>: ")).trim();
    if (/^y(es)?$/i.test(typed)) return { type: "permission", decision: "once" };
    const no = /^no?(?:\s+(.+))?$/i.exec(typed);
    if (no) return { type: "permission", decision: "no", ...(no[1] !== undefined && { reason: no[1] }) };
  }
}

async function putElicitation(question: ElicitationQuestion, read: Read, show: Show): Promise<Answer | undefined> {
  const { elicitation } = question;
  show(renderAsker(question));
  if (elicitation.mode === "form") {
    show(FORM_HELP);
    return readForm(elicitation, read, show);
  }
  for (;;) {
    const typed = (await read("  Agree? y / n (nothing is opened for you): ")).trim();
    if (/^y(es)?$/i.test(typed)) return { type: "elicitation", action: "accept" };
    if (/^no?$/i.test(typed)) return { type: "elicitation", action: "decline" };
  }
}

async function readForm({ fields }: FormElicitation, read: Read, show: Show): Promise<Answer | undefined> {
  const content: { [name: string]: FormValue } = {};
  for (const field of fields) {
    show(renderField(field));
    for (;;) {
      const typed = await read(fieldPrompt(field));
      if (typed.trim() === ":decline") return { type: "elicitation", action: "decline" };
      if (typed.trim() === ":cancel") return undefined;
      const input = readFieldInput(field, typed);
      if ("value" in input) content[field.name] = input.value;
      if (!("wrong" in input)) break;
      show(`  ${sanitiseLine(field.name)} ${sanitiseLine(input.wrong)}.\n`);
    }
  }
  return { type: "elicitation", action: "accept", content };
}

/** Rejects when the question is taken back or the terminal ends. */
function readLine(lines: Interface, prompt: string, gone: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new HostError("CANCELLED", { reason: "the terminal has ended" }));
    if (gone.aborted) return reject(takenBack());
    gone.addEventListener("abort", () => reject(takenBack()), { once: true });
    lines.once("close", end);
    lines.question(prompt, { signal: gone }, (line) => {
      lines.off("close", end);
      resolve(line);
    });
  });
}

function takenBack(): HostError {
  return new HostError("CANCELLED", { reason: "the question was taken back" });
}
