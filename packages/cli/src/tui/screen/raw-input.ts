/** Reads keys from the terminal. Restores the terminal at the end, however the process ends. */
import type { Output } from "../../terminal/output.ts";
import { KeyParser } from "../input/key-parser.ts";
import type { Key } from "../input/key-parser.ts";

export interface RawInput {
  /** The listener gets the keys that were typed since the beginning, then each further key. */
  onKeys(listener: (keys: readonly Key[]) => void): void;
  /** Stops the process like Ctrl-Z in a shell. Calls the function when it continues. */
  suspend(resumed: () => void): void;
  /** Restores the terminal. */
  close(): void;
}

const BRACKETED_PASTE_ON = "\u001b[?2004h";
const BRACKETED_PASTE_OFF = "\u001b[?2004l";
const SHOW_CURSOR = "\u001b[?25h";
/** An Escape without a following character within this time is the key itself. */
const ESCAPE_DELAY_MS = 50;

export function openRawInput(stdin: NodeJS.ReadStream, { stream }: Output): RawInput {
  const parser = new KeyParser();
  let waiting: Key[] = [];
  let listener: ((keys: readonly Key[]) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOpen = false;

  const emit = (keys: readonly Key[]) => {
    if (keys.length === 0) return;
    if (listener) listener(keys);
    else waiting.push(...keys);
  };
  const onData = (input: string) => {
    clearTimeout(timer);
    // Before the raw mode, the terminal has turned Enter into a line feed.
    emit(parser.push(listener ? input : input.replaceAll("\n", "\r")));
    if (parser.isPending) timer = setTimeout(() => emit(parser.flush()), ESCAPE_DELAY_MS);
  };
  // A terminal that is gone can't be read any more.
  const onEnd = () => emit([{ type: "key", name: "end-of-input" }]);

  const enter = () => {
    stdin.setRawMode(true);
    stream.write(BRACKETED_PASTE_ON);
    isOpen = true;
  };
  const restore = () => {
    if (!isOpen) return;
    isOpen = false;
    stream.write(`${BRACKETED_PASTE_OFF}${SHOW_CURSOR}`);
    stdin.setRawMode(false);
  };

  enter();
  stdin.setEncoding("utf8");
  stdin.on("data", onData).on("end", onEnd);
  process.on("exit", restore);
  return {
    onKeys(added) {
      listener = added;
      const typed = waiting;
      waiting = [];
      emit(typed);
    },
    suspend(resumed) {
      restore();
      process.once("SIGCONT", () => {
        enter();
        resumed();
      });
      process.kill(process.pid, "SIGTSTP");
    },
    close() {
      clearTimeout(timer);
      stdin.off("data", onData).off("end", onEnd);
      restore();
      stdin.pause();
      process.off("exit", restore);
    },
  };
}
