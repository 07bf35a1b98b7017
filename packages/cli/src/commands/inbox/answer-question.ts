/** Implements `plugboard inbox answer`. */
import { sanitizeLine } from "@plugboard/contracts";
import { requesterName } from "../../render/quote-untrusted.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { parseAnswer } from "./parse-answer.ts";
import { findQuestion, withInbox } from "./with-inbox.ts";
import type { InboxInput } from "./with-inbox.ts";
import type { InboxAnswerOutput } from "../../outputs/access-outputs.ts";

export function answerQuestion(
  input: InboxInput & { readonly id: string; readonly answer: readonly string[] },
  cli: CliContext,
): Promise<number> {
  const { stdout } = cli;
  return withInbox(input, cli, async (context) => {
    const question = await findQuestion(input.id, context);
    const { id } = question;
    const answer = parseAnswer(question, input.answer);
    const { inbox } = context!.workspace;
    if (answer === "dismiss") await inbox.dismiss(id);
    else await inbox.answer(id, answer);
    const dismissed = answer === "dismiss";
    if (input.json) stdout.json({ question: id, dismissed } satisfies InboxAnswerOutput);
    else
      stdout.write(
        `${dismissed ? "Dismissed" : "Answered"} the question of ${sanitizeLine(requesterName(question))}.\n`,
      );
    return 0;
  });
}
