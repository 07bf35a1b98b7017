/** The chat in the terminal: connects keys, the session and the screen. */
import type { HostError } from "@plugboard/contracts";
import type { ChatInput } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import { notify } from "../terminal/notify.ts";
import { linesOf, styled } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";
import { makeQuoter, requesterName } from "../render/quote-untrusted.ts";
import { renderPermission } from "../render/questions/render-question.ts";
import { addAllowRule } from "./add-allow-rule.ts";
import { answerQuestion } from "./answer-question.ts";
import { ChatSession } from "./session/chat-session.ts";
import type { OpenChat, OpenQuestion, SessionOptions } from "./session/chat-session.ts";
import { CompletionLists } from "./completion-lists.ts";
import { applySuggestion, completeInput } from "./input/complete-input.ts";
import type { Completions } from "./input/complete-input.ts";
import { clearText, editText, EMPTY_EDITOR, insertText, replaceText, submitText } from "./input/editor.ts";
import type { Editor } from "./input/editor.ts";
import type { Key } from "./input/key-parser.ts";
import { parseMessage } from "./input/parse-message.ts";
import { LinePrompt } from "./line-prompt.ts";
import { renderFrame } from "./render-frame.ts";
import type { RawInput } from "./screen/raw-input.ts";
import type { Screen } from "./screen/screen.ts";
import { DENIED, openMenu, pressKey } from "./state/permission-menu.ts";
import type { MenuResult, PermissionMenu } from "./state/permission-menu.ts";
import { nextToPrint } from "./state/print-progress.ts";
import { findCall, inputText } from "./state/transcript.ts";
import { describeError, runSlashLine } from "./slash/slash-commands.ts";
import { parseSlashLine } from "./slash/slash-command.ts";
import { renderWholeCall } from "./view/render-call.ts";
import { renderEntry } from "./view/render-entry.ts";

export interface ChatAppOptions extends Pick<SessionOptions, "api" | "spec"> {
  readonly cli: CliContext;
  readonly screen: Screen;
  readonly input: RawInput;
}

/** A second Ctrl-C within this time leaves the chat. */
const LEAVE_MS = 2000;
const REDRAW_MS = 500;
const DRAW_DELAY_MS = 25;
/** Keys that were meant for the input line must not answer a question that has just appeared. */
const ARM_MS = 400;

export class ChatApp {
  readonly session: ChatSession;
  readonly #cli: CliContext;
  readonly #screen: Screen;
  readonly #input: RawInput;
  readonly #lists: CompletionLists;
  readonly #redraw: NodeJS.Timeout;
  readonly #left: Promise<HostError | undefined>;
  #leave: (error?: HostError) => void = () => {};
  #editor: Editor = EMPTY_EDITOR;
  #completions: Completions | undefined;
  /** The selected suggestion, and whether the user has moved the selection. */
  #selection = { index: 0, moved: false };
  #menu: PermissionMenu | undefined;
  #menuShownAt = 0;
  #chooseFromMenu: (result: MenuResult) => void = () => {};
  #linePrompt: LinePrompt | undefined;
  #questions = Promise.resolve();
  #interruptedAt = -Infinity;
  #hint: string | undefined;
  #drawTimer: NodeJS.Timeout | undefined;

  constructor({ api, spec, cli, screen, input }: ChatAppOptions) {
    this.#cli = cli;
    this.#screen = screen;
    this.#input = input;
    this.#left = new Promise((resolve) => (this.#leave = resolve));
    this.session = new ChatSession({
      api,
      spec,
      now: Date.now,
      listener: {
        onChange: () => this.#drawSoon(),
        onQuestion: (question) => this.#queueQuestion(question),
        onServersChange: () => this.#lists.refreshSoon(),
        onEnd: (error) => this.#leave(error),
      },
    });
    this.#lists = new CompletionLists(this.session, () => this.#updateCompletions());
    // Shows how long the turn takes.
    this.#redraw = setInterval(() => {
      if (this.session.current?.transcript.turn) this.draw();
    }, REDRAW_MS);
  }

  /** Resolves when the user leaves, or with the error that ended the connection to the host. */
  async run(): Promise<HostError | undefined> {
    const onResize = () => this.draw();
    const { stream } = this.#cli.stdout;
    stream.on("resize", onResize);
    const onSignal = () => this.#leave();
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
    this.#input.onKeys((keys) => {
      for (const key of keys) this.#press(key);
      this.draw();
    });
    this.draw();
    try {
      return await this.#left;
    } finally {
      stream.off("resize", onResize);
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onSignal);
      clearInterval(this.#redraw);
      clearTimeout(this.#drawTimer);
      this.#lists.close();
      if (this.#menu) this.#chooseFromMenu(DENIED);
      this.#linePrompt?.press({ type: "key", name: "interrupt" });
      // The denial must reach the host before the connection ends.
      await this.#questions;
      await this.session.close();
    }
  }

  /** Draws the changes that come quickly after each other together. */
  #drawSoon(): void {
    this.#drawTimer ??= setTimeout(() => this.draw(), DRAW_DELAY_MS);
  }

  draw(): void {
    clearTimeout(this.#drawTimer);
    this.#drawTimer = undefined;
    const { current, servers } = this.session;
    const { columns, rows } = this.#screen;
    const now = Date.now();
    const { live } = current ? this.#printFinished(current, columns, now) : { live: [] };
    const state = {
      editor: this.#editor,
      live,
      transcript: current?.transcript,
      servers,
      menu: this.#menu,
      linePrompt: this.#linePrompt,
      completions: this.#completions,
      selected: this.#selection.index,
      hint: this.#hint,
    };
    this.#screen.draw(renderFrame(state, { columns, rows }, now));
  }

  /** Shows a text above the input, without adding it to the chat. */
  #print(text: Text): void {
    this.#screen.print(["", ...linesOf(text)]);
  }

  #printFinished(chat: OpenChat, columns: number, now: number) {
    const { finished, live, progress } = nextToPrint(chat.transcript.entries, chat.printed);
    chat.printed = progress;
    this.#screen.print(finished.flatMap((entry) => renderEntry(entry, { columns, now })));
    return { live };
  }

  #press(key: Key): void {
    const name = key.type === "key" ? key.name : undefined;
    if (name === "interrupt") return this.#interrupt(key);
    this.#hint = undefined;
    if (name === "suspend") return this.#input.suspend(() => this.draw());
    if (this.#menu) return this.#pressMenu(this.#menu, key);
    if (this.#linePrompt) return this.#linePrompt.press(key);
    switch (name) {
      case "escape":
        return this.#escape();
      case "end-of-input":
        return this.#editor.text === "" ? this.#leave() : undefined;
      case "expand":
        return this.#expand();
      case "enter":
        return this.#enter();
      case "tab":
        return this.#acceptSuggestion();
      case "up":
      case "down":
        if (this.#completions) return this.#moveSelection(name === "up" ? -1 : 1, this.#completions);
        break;
      default:
        break;
    }
    this.#edit(editText(this.#editor, key));
  }

  #edit(editor: Editor): void {
    if (editor === this.#editor) return;
    this.#editor = editor;
    this.#selection = { index: 0, moved: false };
    this.#updateCompletions();
  }

  #updateCompletions(): void {
    const { text, cursor } = this.#editor;
    const completions = completeInput(text, cursor, this.#lists.sources);
    this.#completions = completions?.promptArgument
      ? this.#lists.completePromptArgument(completions, completions.promptArgument)
      : completions;
    this.draw();
  }

  #moveSelection(by: number, { suggestions }: Completions): void {
    const index = (this.#selection.index + by + suggestions.length) % suggestions.length;
    this.#selection = { index, moved: true };
  }

  #acceptSuggestion(): void {
    const suggestion = this.#completions?.suggestions[this.#selection.index];
    if (this.#completions && suggestion) this.#edit(applySuggestion(this.#editor, this.#completions, suggestion));
  }

  #enter(): void {
    const { text, cursor } = this.#editor;
    if (this.#completions && this.#selection.moved) return this.#acceptSuggestion();
    if (text[cursor - 1] === "\\") return this.#edit(replaceText(this.#editor, cursor - 1, cursor, "\n"));
    if (text.trim() === "" || !this.session.current) return;
    this.#edit(submitText(this.#editor));
    const line = parseSlashLine(text);
    if (line) {
      this.#screen.print(["", [styled("cyan", "› "), text.trim()]]);
      void runSlashLine(line, this.#slashContext(this.session.current)).then(() => this.draw());
    } else this.#send(parseMessage(text, this.#lists.sources.servers));
  }

  #slashContext(chat: OpenChat) {
    return {
      session: this.session,
      chat,
      cli: this.#cli,
      columns: this.#screen.columns,
      now: Date.now(),
      print: (text: Text) => this.#print(text),
      show: (shown: OpenChat) => this.#showChat(shown),
      insert: (text: string) => this.#edit(insertText(this.#editor, text)),
      leave: () => this.#leave(),
    };
  }

  #showChat({ transcript: { chat } }: OpenChat): void {
    this.#print(styled("bold", `── ${chat.title || "New chat"} ──`));
    this.draw();
  }

  #send(input: ChatInput): void {
    this.session.send(input).catch((thrown: unknown) => {
      // The text is not lost: the user can correct it and send it again.
      if (this.#editor.text === "") this.#edit(insertText(this.#editor, inputText(input)));
      this.#print(styled("red", describeError(thrown)));
    });
  }

  #escape(): void {
    if (this.#completions) {
      this.#completions = undefined;
      return;
    }
    if (this.session.current?.transcript.turn) this.#cancelTurn();
  }

  /** Puts the messages that were not sent back into the input. */
  #cancelTurn(): void {
    this.session.cancel().then(
      (inputs) => {
        const text = [...inputs.map(inputText), this.#editor.text].filter((part) => part !== "").join("\n");
        if (inputs.length > 0) this.#edit(insertText(clearText(this.#editor), text));
      },
      (thrown: unknown) => this.#print(styled("red", describeError(thrown))),
    );
  }

  /** Denies, clears or cancels; a second Ctrl-C leaves. */
  #interrupt(key: Key): void {
    if (Date.now() - this.#interruptedAt < LEAVE_MS) return this.#leave();
    this.#interruptedAt = Date.now();
    this.#hint = "Press Ctrl-C again to leave";
    setTimeout(() => {
      this.#hint = undefined;
      this.draw();
    }, LEAVE_MS).unref();
    if (this.#menu) this.#chooseFromMenu(DENIED);
    else if (this.#linePrompt) this.#linePrompt.press(key);
    else if (this.#editor.text !== "") this.#edit(clearText(this.#editor));
    else if (this.session.current?.transcript.turn) this.#cancelTurn();
  }

  #expand(): void {
    const call = this.session.current && findCall(this.session.current.transcript);
    if (call) this.#screen.print(["", ...renderWholeCall(call, this.#screen.columns)]);
  }

  #queueQuestion(question: OpenQuestion): void {
    this.#questions = this.#questions.then(() => (question.settled.aborted ? undefined : this.#ask(question)));
  }

  /** Never rejects, because the next question waits for it. */
  async #ask(open: OpenQuestion): Promise<void> {
    const { question, chat, settled } = open;
    notify(`${requesterName(question)} has a question`, this.#cli);
    if (chat !== this.session.current) this.#print(`A question of the chat ${chat.transcript.chat.title || chat.id}:`);
    if (question.type === "permission") return this.#askPermission(open);
    const dialogue = {
      columns: this.#screen.columns,
      show: (text: string) => this.#print(text.replace(/^\n/, "")),
      read: (prompt: string) => this.#readLine(prompt, settled),
    };
    await answerQuestion(open, dialogue, this.#cli.openUrl);
    this.draw();
  }

  async #readLine(prompt: string, settled: AbortSignal): Promise<string> {
    const linePrompt = new LinePrompt(prompt, settled);
    this.#linePrompt = linePrompt;
    this.draw();
    try {
      return await linePrompt.typed;
    } finally {
      this.#linePrompt = undefined;
    }
  }

  /** Prints the arguments in full before the choices are shown. */
  async #askPermission({ question, chat, settled }: OpenQuestion): Promise<void> {
    if (question.type !== "permission") return;
    const quote = makeQuoter({ columns: this.#screen.columns });
    this.#print(renderPermission(question, quote).replace(/^\n/, ""));
    try {
      for (;;) {
        const result = await this.#readChoice(openMenu(question), settled);
        if (!result) return;
        if (result.type === "answer") return await chat.workspace.inbox.answer(question.id, result.answer);
        const problem = await addAllowRule(result.rule, this.#cli);
        if (problem === undefined) {
          await chat.workspace.config.reload();
          this.#print(`Added the rule ${result.rule}`);
          return await chat.workspace.inbox.answer(question.id, { type: "permission", decision: "once" });
        }
        this.#print(styled("red", problem));
      }
    } catch (thrown) {
      if (!settled.aborted) this.#print(styled("red", describeError(thrown)));
    }
  }

  /** Returns undefined if the question was settled elsewhere. */
  async #readChoice(menu: PermissionMenu, settled: AbortSignal): Promise<MenuResult | undefined> {
    this.#menu = menu;
    this.#menuShownAt = Date.now();
    this.draw();
    const result = await new Promise<MenuResult | undefined>((resolve) => {
      this.#chooseFromMenu = resolve;
      settled.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    this.#menu = undefined;
    this.draw();
    return result;
  }

  #pressMenu(menu: PermissionMenu, key: Key): void {
    const wasTyping = this.#editor.text !== "";
    if (wasTyping && Date.now() - this.#menuShownAt < ARM_MS) return this.#edit(editText(this.#editor, key));
    const next = pressKey(menu, key);
    if ("type" in next) this.#chooseFromMenu(next);
    else this.#menu = next;
  }
}
