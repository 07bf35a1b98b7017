/** Follows the events of a command that a person watches: answers questions, reports logins, shows slow servers. */
import type { EventSubscription } from "../events/follow-events.ts";
import type { PromptContext } from "../events/follow-questions.ts";
import { reportLogins } from "../events/report-logins.ts";
import { reportUnattended } from "../events/report-unattended.ts";
import { reportUnstored } from "../events/report-unstored.ts";
import { showServerActivity } from "../events/show-server-activity.ts";
import type { ServerActivityView } from "../events/show-server-activity.ts";
import { answerOnTerminal } from "../prompt/answer-on-terminal.ts";
import { approveWithoutTerminal } from "../prompt/approve-question.ts";
import { loginWithoutTerminal } from "../prompt/login-without-terminal.ts";

export interface FollowOptions {
  /** True if a person can answer questions. */
  readonly attended: boolean;
  /** Set if the command reports logins: those of one server, or of all servers. */
  readonly login: { readonly server?: string | undefined } | undefined;
}

export function followCommand(context: PromptContext, options: FollowOptions): ServerActivityView {
  const activity = showServerActivity(context, { server: options.login?.server });
  const subscriptions = [...answerQuestions(context, options), activity];
  return {
    running: () => activity.running(),
    stop: async () => void (await Promise.all(subscriptions.map((subscription) => subscription.stop()))),
  };
}

function answerQuestions(context: PromptContext, { attended, login }: FollowOptions): readonly EventSubscription[] {
  const { api, snapshot, cli } = context;
  if (!attended) return [reportUnattended(api, snapshot.seq, cli)];
  const answer = cli.canPrompt ? answerOnTerminal : context.approves ? approveWithoutTerminal : loginWithoutTerminal;
  const answering = answer(context);
  if (!login) return [answering];
  return [answering, reportLogins(context, login.server), reportUnstored(api, snapshot.seq, cli)];
}
