/** Shows on the live line which servers a command waits for. Every command with a workspace does it on a terminal. */
import type { CliContext } from "../terminal/cli-context.ts";
import { followEvents } from "./follow-events.ts";
import type { EventSubscription } from "./follow-events.ts";
import type { PromptContext } from "./follow-questions.ts";
import { activityAfter, describeActivity, initialActivity } from "./server-activity.ts";
import { runningServers, slowServers, withDetail } from "./server-activity.ts";

const OUTPUT_POLL_MS = 1000;

export interface ServerActivityView extends EventSubscription {
  /** The ids of the servers that have to be stopped when the command ends. */
  running(): readonly string[];
}

export interface ServerActivityOptions {
  /** The only server that the command waits for. By default all. */
  readonly server?: string | undefined;
  readonly now?: () => number;
}

export function showServerActivity(
  {
    api,
    workspace,
    snapshot,
    cli,
  }: Pick<PromptContext, "api" | "workspace" | "snapshot"> & {
    readonly cli: Pick<CliContext, "liveLine" | "stderr">;
  },
  { server, now = Date.now }: ServerActivityOptions = {},
): ServerActivityView {
  if (!cli.stderr.isTTY) return { running: () => [], stop: () => Promise.resolve() };
  const servers = snapshot.servers.filter(({ id }) => server === undefined || id === server);
  let activity = initialActivity(servers, now());
  let nextPoll = 0;
  const subscription = followEvents(api, snapshot.seq, (event) => {
    activity = activityAfter(activity, event);
  });
  /** Reads the details of slow servers. A failure is ignored, because the command's own request reports it. */
  const pollOutput = () => {
    if (now() < nextPoll) return;
    nextPoll = now() + OUTPUT_POLL_MS;
    for (const id of slowServers(activity, now())) {
      void workspace.servers.detail(id).then(
        (detail) => (activity = withDetail(activity, id, detail)),
        () => {},
      );
    }
  };
  const hide = cli.liveLine.show(() => {
    pollOutput();
    return describeActivity(activity, now());
  });
  return {
    running: () => runningServers(activity),
    async stop() {
      hide();
      await subscription.stop();
    },
  };
}
