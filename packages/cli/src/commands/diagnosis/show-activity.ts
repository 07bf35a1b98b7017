/** Implements `plugboard activity`. */
import { ERROR_TABLE, canonicalJson } from "@plugboard/contracts";
import type { ActivityEntry } from "@plugboard/contracts";
import { RepeatedEvents, toJournalEntry } from "@plugboard/host/journal";
import { ACTIVITY_HEAD, renderActivity, renderActivityRow } from "../../render/diagnosis/render-activity.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showCallStats } from "./show-call-stats.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { whileOutputIsRead } from "../../terminal/run-until-stopped.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";

interface ActivityInput extends CommandOptions {
  readonly tail: boolean;
  readonly server: string | undefined;
  readonly limit: number | undefined;
  readonly states: boolean;
  readonly stats: boolean;
}

const DEFAULT_LIMIT = 50;
/** How many entries are read without --states. Most of them may be states, which are not shown. */
const MAX_READ = 5000;

/** Shows the latest entries of the journal, oldest first, or the statistics of calls. */
export function showActivity(input: ActivityInput, cli: CliContext): Promise<number> {
  const show = input.stats ? showCallStats : input.tail ? tailActivity : showRecent;
  return withWorkspace({ ...input, unattended: true }, cli, (context) => show(input, cli, context));
}

async function showRecent(input: ActivityInput, { stdout }: CliContext, context: CommandContext): Promise<number> {
  const entries = await readRecent(input, context);
  if (input.json) for (const entry of entries) stdout.jsonLine(entry);
  else stdout.write(renderActivity(entries));
  return 0;
}

/** How many shown entries are remembered, so that none is shown twice. */
const MAX_REMEMBERED = 10_000;

/** Shows the latest entries, and then the events of the running host as they occur. */
async function tailActivity(input: ActivityInput, cli: CliContext, context: CommandContext): Promise<number> {
  const { stdout, stderr } = cli;
  const { api, workspace, isPrivate, interrupted } = context;
  // An event after the snapshot may come twice: from the journal and from the host.
  const shown = new Set<string>();
  const print = (entry: ActivityEntry) => {
    const key = canonicalJson(entry);
    if (shown.has(key)) return;
    if (shown.size >= MAX_REMEMBERED) shown.clear();
    shown.add(key);
    if (input.json) stdout.jsonLine(entry);
    else stdout.write(renderActivityRow(entry));
  };
  const { seq } = await rejectOnInterrupt(workspace.snapshot(), interrupted);
  const recent = await readRecent(input, context);
  if (!input.json) stdout.write(ACTIVITY_HEAD);
  recent.forEach(print);
  if (isPrivate) {
    stderr.write("No host is running, so there are no new entries. Start one with `plugboard serve`.\n");
    return ERROR_TABLE.HOST_UNREACHABLE.exit;
  }
  const repeated = new RepeatedEvents();
  await whileOutputIsRead(cli, interrupted, async (signal) => {
    for await (const event of api.events(seq, signal)) {
      const entry = toJournalEntry(event);
      if (!entry || repeated.isRepeated(event)) continue;
      if (isWanted(entry, input) && concerns(entry, input.server)) print(entry);
    }
    if (!signal.aborted) stderr.write("The host has ended.\n");
  });
  return 0;
}

/** Throws SERVER_UNKNOWN, with a suggestion, if there is neither an entry nor a server of that name. */
async function readRecent(input: ActivityInput, { workspace, interrupted }: CommandContext): Promise<ActivityEntry[]> {
  const { server, limit = DEFAULT_LIMIT, states } = input;
  const query = { limit: states ? limit : MAX_READ, ...(server !== undefined && { server }) };
  const entries = await rejectOnInterrupt(workspace.activity.recent(query), interrupted);
  if (entries.length === 0 && server !== undefined) {
    await rejectOnInterrupt(workspace.servers.detail(server), interrupted);
  }
  const wanted = entries.filter((entry) => isWanted(entry, input));
  return wanted.slice(0, limit).reverse();
}

/** Without --states, leaves out the states of servers, except for failures. There are several for each start. */
function isWanted(entry: ActivityEntry, { states }: ActivityInput): boolean {
  return states || entry.type !== "server" || entry.code !== undefined;
}

function concerns(entry: ActivityEntry, server: string | undefined): boolean {
  return server === undefined || ("server" in entry && entry.server === server);
}
