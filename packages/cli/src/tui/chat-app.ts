/** The chat in the terminal: connects keys, the session and the screen. */
import { inputText, isHostError } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import { linesOf, styled } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";
import { ChatSession } from "./session/chat-session.ts";
import type { OpenChat, ServerNeed, ChatSessionOptions } from "./session/chat-session.ts";
import { CompletionLists } from "./completion-lists.ts";
import type { Key } from "./input/key-parser.ts";
import { parseChatInput } from "./input/parse-chat-input.ts";
import { InputLine } from "./input-line.ts";
import { ModelOffer } from "./model-offer.ts";
import { QuestionDialogs } from "./question-dialogs.ts";
import { addScrolled, layOutEntries } from "./lay-out-entries.ts";
import { renderControls, renderFrame } from "./render-frame.ts";
import type { RawInput } from "./screen/raw-input.ts";
import type { Screen } from "./screen/screen.ts";
import { describeThrown } from "./slash/describe-thrown.ts";
import { findCall } from "./state/find-call.ts";
import { runSlashLine } from "./slash/slash-commands.ts";
import { parseSlashLine } from "./slash/slash-command.ts";
import { wrapText } from "./text/wrap-text.ts";
import { renderWholeCall } from "./view/render-call.ts";

export interface ChatAppOptions extends Pick<ChatSessionOptions, "api" | "spec"> {
  readonly cli: CliContext;
  readonly screen: Screen;
  readonly input: RawInput;
}

/** A second Ctrl-C within this time leaves the chat, unless another key was pressed in between. */
const LEAVE_MS = 2000;
const REDRAW_MS = 500;
const DRAW_DELAY_MS = 25;

const NEEDS: { readonly [N in ServerNeed]: (server: string) => string } = {
  login: (server) => `${server} needs a login. Use /mcp login ${server}.`,
  approval: (server) =>
    `${server} is defined by this project, and you have not approved it. Use /mcp enable ${server}.`,
};

export class ChatApp {
  readonly session: ChatSession;
  readonly #cli: CliContext;
  readonly #screen: Screen;
  readonly #input: RawInput;
  readonly #lists: CompletionLists;
  readonly #line: InputLine;
  readonly #dialogs: QuestionDialogs;
  readonly #offer: ModelOffer;
  readonly #redraw: NodeJS.Timeout;
  readonly #left: Promise<HostError | undefined>;
  #leave: (error?: HostError) => void = () => {};
  /** Shown while a further Ctrl-C leaves the chat. */
  #hint: string | undefined;
  #hintTimer: NodeJS.Timeout | undefined;
  /** The texts that were entered before the chat was open. */
  readonly #early: string[] = [];
  /** The rows of a growing answer at the top of the frame. */
  #growing: readonly Text[] = [];
  #isSuspended = false;
  #drawTimer: NodeJS.Timeout | undefined;

  constructor({ api, spec, cli, screen, input }: ChatAppOptions) {
    this.#cli = cli;
    this.#screen = screen;
    this.#input = input;
    this.#left = new Promise((resolve) => (this.#leave = resolve));
    const session = new ChatSession({
      api,
      spec,
      now: Date.now,
      listener: {
        onChange: () => this.#drawSoon(),
        onQuestion: (question) => this.#dialogs.add(question),
        onServersChange: () => this.#lists.refreshSoon(),
        onServerNeeds: (server, need) => this.#print(styled("yellow", NEEDS[need](server))),
        onEnd: (error) => this.#leave(error),
      },
    });
    this.session = session;
    this.#lists = new CompletionLists(session, () => {
      this.#line.complete();
      this.#drawSoon();
    });
    this.#line = new InputLine(this.#lists);
    this.#offer = new ModelOffer(session, cli, (text) => this.#print(text));
    const dialogScreen = {
      get columns() {
        return screen.columns;
      },
      get current() {
        return session.current;
      },
      draw: () => this.draw(),
      print: (text: Text) => this.#print(text),
    };
    this.#dialogs = new QuestionDialogs(dialogScreen, cli, Date.now);
    // Redraws while a turn runs, because the frame shows how long it takes.
    this.#redraw = setInterval(() => {
      if (session.current?.transcript.turn) this.draw();
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
      // Denies the question on the screen. The denial must reach the host before the connection ends.
      await this.#dialogs.close();
      await this.session.close();
    }
  }

  /** Sends what was typed before the chat was open, and says what to set if it has no model. */
  async onOpen(chat: OpenChat): Promise<void> {
    for (let text = this.#early.shift(); text !== undefined; text = this.#early.shift()) await this.#submit(text, chat);
    await this.#offer.load();
    this.draw();
  }

  /** Batches changes that arrive in quick succession into one draw. */
  #drawSoon(): void {
    this.#drawTimer ??= setTimeout(() => this.draw(), DRAW_DELAY_MS);
  }

  draw(): void {
    clearTimeout(this.#drawTimer);
    this.#drawTimer = undefined;
    if (this.#isSuspended) return;
    this.#screen.updateSize();
    const { current, servers } = this.session;
    const now = Date.now();
    const state = {
      editor: this.#line.editor,
      transcript: current?.transcript,
      servers,
      early: this.#early,
      menu: this.#dialogs.menu,
      linePrompt: this.#dialogs.linePrompt,
      completions: this.#line.completions,
      selected: this.#line.selected,
      placeholder: this.#offer.placeholder,
      hint: this.#hint,
    };
    const controls = renderControls(state, this.#screen, now);
    const live = current ? this.#printAndLayOut(current, controls.room, now) : [];
    this.#screen.draw(renderFrame(live, controls));
  }

  /** Shows a text above the input, without adding it to the chat. */
  #print(text: Text): void {
    this.#screen.print(["", ...linesOf(text)]);
    this.#drawSoon();
  }

  #printError(thrown: unknown): void {
    this.#screen.print(["", ...wrapText(styled("red", describeThrown(thrown)), this.#screen.columns)]);
    this.#drawSoon();
  }

  /** Prints the rows that are final, and returns the others. */
  #printAndLayOut(chat: OpenChat, room: number, now: number): readonly Text[] {
    const { columns } = this.#screen;
    const scrolled = this.#growing.slice(0, this.#screen.countScrolledRows());
    const askedCall = this.#dialogs.menu?.question.call;
    const printed = addScrolled(chat.printed, scrolled);
    const layout = layOutEntries(chat.transcript.entries, printed, { columns, now, room, askedCall });
    const { print, live, growing, progress } = layout;
    chat.printed = progress;
    // If the rows do not fit, the upper ones are left out, so the frame does not begin with the growing answer.
    this.#growing = live.length > room ? [] : live.slice(0, growing);
    this.#screen.print(print);
    return live;
  }

  #press(key: Key): void {
    const name = key.type === "key" ? key.name : undefined;
    if (name === "interrupt") return this.#interrupt();
    this.#hint = undefined;
    if (name === "suspend") return this.#suspend();
    if (this.#dialogs.press(key, this.#line.text !== "")) return;
    switch (name) {
      case "escape":
        return this.#escape();
      case "end-of-input":
        return this.#line.text === "" ? this.#leave() : undefined;
      case "expand":
        return this.#expand();
      case "enter":
        return this.#enter();
      case "tab":
        if (this.#line.text === "") return this.#line.insert(this.#offer.command);
        break;
      default:
        break;
    }
    this.#line.press(key);
  }

  /** Gives the terminal back to the shell, until the process continues. */
  #suspend(): void {
    this.#screen.hide();
    this.#isSuspended = true;
    this.#input.suspend(() => {
      this.#isSuspended = false;
      this.draw();
    });
  }

  #enter(): void {
    const { current } = this.session;
    const text = this.#line.submit();
    if (text === undefined) return;
    if (current && this.#early.length === 0) void this.#submit(text, current);
    else this.#early.push(text);
  }

  /** Never rejects. */
  async #submit(text: string, chat: OpenChat): Promise<void> {
    const line = parseSlashLine(text);
    if (!line) return this.#send(text, chat);
    this.#screen.print(["", ...wrapText(text.trim(), this.#screen.columns, { first: styled("cyan", "› ") })]);
    await runSlashLine(line, this.#slashContext(chat));
    this.draw();
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
      insert: (text: string) => this.#line.insert(text),
      leave: () => this.#leave(),
    };
  }

  #showChat({ transcript: { chat } }: OpenChat): void {
    this.#print(styled("bold", `── ${chat.title || "New chat"} ──`));
    this.draw();
  }

  /** Never rejects. */
  async #send(text: string, chat: OpenChat): Promise<void> {
    try {
      const servers = this.session.servers ?? (await this.session.refreshServers(chat));
      await this.session.send(
        parseChatInput(
          text,
          servers.map(({ id }) => id),
        ),
        chat,
      );
    } catch (thrown) {
      // Does not put the text back into the input, where the user types /model next.
      if (isHostError(thrown) && thrown.code === "MODEL_NOT_SET") return this.#offer.remind();
      // The text is not lost: the user can correct it and send it again.
      if (this.#line.text === "") this.#line.insert(text);
      this.#printError(thrown);
    }
  }

  #escape(): void {
    if (this.#line.hideSuggestions()) return;
    if (this.session.current?.transcript.turn) this.#cancelTurn();
  }

  /** Cancels the turn and moves the queued messages into the input. */
  #cancelTurn(): void {
    this.session.cancel().then(
      (inputs) => {
        const text = [...inputs.map(inputText), this.#line.text].filter((part) => part !== "").join("\n");
        if (inputs.length > 0) this.#line.replaceAll(text);
        this.draw();
      },
      (thrown: unknown) => this.#printError(thrown),
    );
  }

  /** Denies the question, clears the input or cancels the turn. A second Ctrl-C leaves the chat. */
  #interrupt(): void {
    if (this.#hint !== undefined) return this.#leave();
    this.#hint = "Press Ctrl-C again to leave";
    clearTimeout(this.#hintTimer);
    this.#hintTimer = setTimeout(() => {
      this.#hint = undefined;
      this.draw();
    }, LEAVE_MS);
    this.#hintTimer.unref();
    if (this.#dialogs.deny()) return;
    if (this.#line.text !== "") this.#line.clear();
    else if (this.session.current?.transcript.turn) this.#cancelTurn();
  }

  #expand(): void {
    const call = this.session.current && findCall(this.session.current.transcript);
    if (call) this.#screen.print(["", ...renderWholeCall(call, this.#screen.columns)]);
  }
}
