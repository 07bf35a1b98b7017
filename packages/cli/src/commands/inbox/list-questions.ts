/** Implements `plugboard inbox`. */
import { renderInbox } from "../../render/questions/render-inbox.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withInbox } from "./with-inbox.ts";
import type { InboxInput } from "./with-inbox.ts";
import type { InboxOutput } from "../../outputs/access-outputs.ts";

const NO_HOST = "No host is running, so no question waits. `plugboard serve` starts one.\n";

export function listQuestions(input: InboxInput, cli: CliContext): Promise<number> {
  const { stdout } = cli;
  return withInbox(input, cli, async (context) => {
    const questions = (await context?.workspace.inbox.list()) ?? [];
    if (input.json) stdout.json({ running: context !== undefined, questions } satisfies InboxOutput);
    else stdout.write(context ? renderInbox(questions, Date.now()) : NO_HOST);
    return 0;
  });
}
