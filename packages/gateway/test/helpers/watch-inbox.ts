/** Watches the inbox of a running host, as `plugboard inbox --watch` does. */
import type { Answer, Question } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { onTestFinished } from "vitest";
import type { RunningHost } from "../../../daemon/test/helpers/running-host.ts";

/** Answers each question with the result of `answer`; undefined leaves it open. Returns the list of questions. */
export async function watchInbox(
  { env }: RunningHost,
  answer: (question: Question) => Answer | undefined,
): Promise<Question[]> {
  const fetch = nodeHttpFetch({ socketPath: socketPath(env) });
  const api = await connectRemote({ fetch, version: VERSION, kind: "cli", watchesInbox: true });
  onTestFinished(() => api.close());
  const { inbox } = await api.workspace({ cwd: env["HOME"]! });
  const asked: Question[] = [];
  const follow = async () => {
    for await (const event of api.events(api.seq)) {
      if (event.type !== "question.asked") continue;
      asked.push(event.question);
      const given = answer(event.question);
      if (given) await inbox.answer(event.question.id, given);
    }
  };
  // The stream fails when the test closes the host.
  follow().catch(() => {});
  return asked;
}
