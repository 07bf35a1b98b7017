/** Implements `plugboard inbox show`. */
import { renderQuestion } from "../../render/questions/render-inbox.ts";
import { makeQuoter } from "../../render/quote-untrusted.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { findQuestion, withInbox } from "./with-inbox.ts";
import type { InboxInput } from "./with-inbox.ts";

export function showInboxQuestion(input: InboxInput & { readonly id: string }, cli: CliContext): Promise<number> {
  const { stdout } = cli;
  return withInbox(input, cli, async (context) => {
    const question = await findQuestion(input.id, context);
    if (input.json) stdout.json(question);
    else stdout.write(renderQuestion(question, makeQuoter({ columns: stdout.columns })));
    return 0;
  });
}
