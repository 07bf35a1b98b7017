/** Asks the questions of the chats, one after the other, in the frame of the chat. */
import { toHostError } from "@plugboard/contracts";
import type { PermissionQuestion } from "@plugboard/contracts";
import { renderPermission } from "../render/questions/render-question.ts";
import { makeQuoter, requesterName } from "../render/quote-untrusted.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { notify } from "../terminal/notify.ts";
import { styled } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";
import { answerInDialogue } from "./answer-in-dialogue.ts";
import type { Key } from "./input/key-parser.ts";
import { LinePrompt } from "./line-prompt.ts";
import type { OpenChat, OpenQuestion } from "./session/chat-session.ts";
import { describeThrown } from "./slash/describe-thrown.ts";
import { DENIED, openMenu, pressKey } from "./state/permission-menu.ts";
import type { MenuResult, PermissionMenu } from "./state/permission-menu.ts";
import { withOperations } from "../workspace/with-operations.ts";

export interface DialogScreen {
  readonly columns: number;
  /** Prints everything that has happened so far, so that the question comes after it. */
  draw(): void;
  print(text: Text): void;
  /** The chat on the screen. */
  readonly current: OpenChat | undefined;
}

/** For this time after a question appears, keys of a user who is typing still go to the input line. */
const TYPING_GRACE_MS = 400;

export class QuestionDialogs {
  readonly #screen: DialogScreen;
  readonly #cli: CliContext;
  readonly #now: () => number;
  #queue = Promise.resolve();
  #isClosed = false;
  #menu: PermissionMenu | undefined;
  #menuShownAt = 0;
  #choose: (result: MenuResult) => void = () => {};
  #linePrompt: LinePrompt | undefined;

  constructor(screen: DialogScreen, cli: CliContext, now: () => number) {
    this.#screen = screen;
    this.#cli = cli;
    this.#now = now;
  }

  get menu(): PermissionMenu | undefined {
    return this.#menu;
  }

  get linePrompt(): LinePrompt | undefined {
    return this.#linePrompt;
  }

  add(question: OpenQuestion): void {
    this.#queue = this.#queue.then(() =>
      this.#isClosed || question.settled.aborted ? undefined : this.#ask(question),
    );
  }

  /** Returns false if the key is not for a question. `isTyping` is true while the input line has a text. */
  press(key: Key, isTyping: boolean): boolean {
    if (this.#linePrompt) {
      this.#linePrompt.press(key);
      return true;
    }
    if (!this.#menu || (isTyping && this.#now() - this.#menuShownAt < TYPING_GRACE_MS)) return false;
    const next = pressKey(this.#menu, key);
    if ("type" in next) this.#choose(next);
    else this.#menu = next;
    return true;
  }

  /** Denies or dismisses the question on the screen. Returns false if there is none. */
  deny(): boolean {
    if (this.#menu) this.#choose(DENIED);
    else if (this.#linePrompt) this.#linePrompt.press({ type: "key", name: "interrupt" });
    else return false;
    return true;
  }

  /** Denies the question on the screen, and resolves when the host knows it. The host dismisses the others. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.deny();
    await this.#queue;
  }

  /** Never rejects, because the next question waits for it. */
  async #ask(open: OpenQuestion): Promise<void> {
    const { question, chat, settled } = open;
    notify(`${requesterName(question)} has a question`, this.#cli);
    this.#screen.draw();
    if (chat !== this.#screen.current)
      this.#screen.print(styled("bold", `A question of the chat ${chat.transcript.chat.title || chat.id}:`));
    if (question.type === "permission") return this.#askPermission(question, open);
    const dialogue = {
      columns: this.#screen.columns,
      show: (text: string) => this.#screen.print(text.replace(/^\n/, "")),
      read: (prompt: string) => this.#readLine(prompt, settled),
    };
    await answerInDialogue(open, dialogue, this.#cli.openUrl);
    this.#screen.draw();
  }

  async #readLine(prompt: string, settled: AbortSignal): Promise<string> {
    const linePrompt = new LinePrompt(prompt, settled);
    this.#linePrompt = linePrompt;
    this.#screen.draw();
    try {
      return await linePrompt.typed;
    } finally {
      this.#linePrompt = undefined;
    }
  }

  /** Prints the arguments before the choices. Long ones are cut, and a choice shows the rest. */
  async #askPermission(question: PermissionQuestion, { chat, settled }: OpenQuestion): Promise<void> {
    const { inbox, config } = chat.workspace;
    let isCut = false;
    const { columns } = this.#screen;
    const print = (quote: ReturnType<typeof makeQuoter>) =>
      this.#screen.print(renderPermission(question, quote).replace(/^\n/, ""));
    print(makeQuoter({ columns, onTruncate: () => (isCut = true), hint: "v shows everything" }));
    try {
      for (;;) {
        const result = await this.#readChoice(openMenu(question, { isCut }), settled);
        if (!result) return;
        if (result.type === "answer") return await inbox.answer(question.id, result.answer);
        if (result.type === "view") {
          isCut = false;
          print(makeQuoter({ columns }));
          continue;
        }
        const problem = await addAllowRule(result.rule, this.#cli);
        if (problem === undefined) {
          await config.reload();
          this.#screen.print(`Added the rule ${result.rule}`);
          return await inbox.answer(question.id, { type: "permission", decision: "once" });
        }
        this.#screen.print(styled("red", problem));
      }
    } catch (thrown) {
      if (!settled.aborted) this.#screen.print(styled("red", describeThrown(thrown)));
    }
  }

  /** Returns undefined if the question was settled elsewhere. */
  async #readChoice(menu: PermissionMenu, settled: AbortSignal): Promise<MenuResult | undefined> {
    if (settled.aborted) return undefined;
    this.#menu = menu;
    this.#menuShownAt = this.#now();
    this.#screen.draw();
    const result = await new Promise<MenuResult | undefined>((resolve) => {
      this.#choose = resolve;
      settled.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    this.#menu = undefined;
    this.#screen.draw();
    return result;
  }
}

/** Adds the rule to the user's config. Returns the reason if the rule is invalid. */
async function addAllowRule(rule: string, cli: Pick<CliContext, "cwd" | "env">): Promise<string | undefined> {
  try {
    await withOperations(cli, (operations) => operations.addRules("allow", [rule]));
    return undefined;
  } catch (thrown) {
    const { code, message } = toHostError(thrown);
    if (code !== "USAGE") throw thrown;
    return message;
  }
}
