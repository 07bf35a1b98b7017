/** Reads the prompt of `plugboard run`: the argument, with stdin as its context, or stdin alone. */
import { HostError } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import type { CliContext } from "../../terminal/cli-context.ts";

/** About 250 000 tokens, more than most models accept. */
const MAX_BYTES = 1024 * 1024;
/** How long stdin may stay silent. A program may start the command with a stdin that it never closes. */
const FIRST_BYTE_MS = 3000;

/** Throws USAGE if there is no prompt, or if stdin is too long or not text. */
export async function readPrompt(
  prompt: string | undefined,
  { stdin, stderr }: Pick<CliContext, "stdin" | "stderr">,
): Promise<string> {
  const given = prompt === "-" ? "" : (prompt ?? "").trim();
  if (stdin.isTTY) {
    if (given !== "") return given;
    throw usageError("the prompt is missing; write it in quotes, or pipe it to the command", { command: "run" });
  }
  const isContext = given !== "";
  if (isContext && !(await hasInput(stdin))) {
    stderr.write(`Nothing arrived on stdin within ${FIRST_BYTE_MS / 1000} s. Going on without it.\n`);
    return given;
  }
  const text = decode(await readBytes(stdin)).trimEnd();
  if (text === "" && given === "") throw usageError("the prompt is empty", { command: "run" });
  if (text === "") return given;
  return isContext ? `${given}\n\n<stdin>\n${text}\n</stdin>` : text;
}

/** Resolves to true at the first byte or the end of the input, and to false after a few seconds without either. */
function hasInput(stdin: CliContext["stdin"]): Promise<boolean> {
  if (stdin.readableEnded || stdin.readableLength > 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (result: boolean) => {
      clearTimeout(timer);
      stdin.off("readable", onInput).off("end", onInput).off("error", onInput);
      // An input that nobody reads must not keep the process alive.
      if (!result) stdin.destroy();
      resolve(result);
    };
    const onInput = () => settle(true);
    const timer = setTimeout(() => settle(false), FIRST_BYTE_MS);
    stdin.on("readable", onInput).on("end", onInput).on("error", onInput);
  });
}

async function readBytes(stdin: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > MAX_BYTES)
      throw inputError(`it has more than ${MAX_BYTES} bytes. Save it to a file and name the file in the prompt`);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw inputError("it is not UTF-8 text", error);
  }
}

function inputError(reason: string, cause?: unknown): HostError {
  return new HostError("USAGE", { message: `stdin can't be used: ${reason}`, omitHelp: true }, { cause });
}
