/** Implements `plugboard inbox --watch`: asks each question on the terminal, or prints the questions as JSON lines. */
import { HostError } from "@plugboard/contracts";
import { answerInbox, connectToInbox } from "../../workspace/answer-inbox.ts";
import type { InboxConnection } from "../../workspace/answer-inbox.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { usageError } from "../../command-line/usage-error.ts";
import { Interruption } from "../../terminal/interruption.ts";
import { whileOutputIsRead } from "../../terminal/run-until-stopped.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { InboxInput } from "./with-inbox.ts";
import type { InboxLine } from "../../outputs/access-outputs.ts";

/** Runs until it is interrupted. Throws if the host ends. */
export async function watchInbox(input: InboxInput, cli: CliContext): Promise<number> {
  const { stdin, stderr, cwd } = cli;
  if (!input.json && !(stdin.isTTY && stderr.isTTY)) {
    throw usageError("--watch asks on a terminal; use it with --json elsewhere", { command: "inbox" });
  }
  const connection = await connectToInbox(cli, toWorkspaceSpec(input, cwd));
  if (!connection) throw new HostError("HOST_UNREACHABLE", { reason: "no host is running" });
  const interruption = new Interruption(cli);
  try {
    await whileOutputIsRead(cli, interruption.signal, (signal) =>
      input.json ? printQuestions(connection, cli, signal) : askQuestions(connection, cli, interruption),
    );
    if (!interruption.signal.aborted) throw new HostError("HOST_CLOSED", {});
    return interruption.exitStatus ?? 0;
  } finally {
    interruption.stopListening();
    await connection.close();
  }
}

async function askQuestions(connection: InboxConnection, cli: CliContext, interruption: Interruption): Promise<void> {
  cli.stderr.write("Watching for questions. Press Ctrl-C to stop.\n");
  const answering = answerInbox(connection, cli, interruption);
  try {
    await connection.ended(interruption.signal);
  } finally {
    await answering.stop();
  }
}

/** Prints a snapshot, then each question when it is asked and when it is settled. */
async function printQuestions(
  { api, snapshot }: InboxConnection,
  { stdout }: CliContext,
  signal: AbortSignal,
): Promise<void> {
  const print = (line: InboxLine) => stdout.jsonLine(line);
  print({ type: "snapshot", questions: snapshot.questions });
  for await (const event of api.events(snapshot.seq, signal)) {
    if (event.type === "question.asked") print({ type: "asked", question: event.question });
    if (event.type === "question.settled") {
      print({ type: "settled", id: event.question.id, by: event.settlement.by });
    }
  }
}
