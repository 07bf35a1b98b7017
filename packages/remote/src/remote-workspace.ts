/** A workspace of a host that runs elsewhere: each method is one request. */
import { controlPaths, HostError, reviveError } from "@plugboard/contracts";
import type {
  CallEvent,
  CallOptions,
  ConfigProblem,
  JsonObject,
  OfferedTool,
  Question,
  ServerStatus,
  Snapshot,
  StartReport,
  ToolRef,
  ToolResult,
  Workspace,
} from "@plugboard/contracts";
import type { Link } from "./link.ts";

export interface RemoteWorkspace extends Workspace {
  readonly id: string;
}

export function remoteWorkspace(link: Link, channel: string, id: string): RemoteWorkspace {
  const invoke = async <Result>(method: string, args: readonly unknown[] = [], signal?: AbortSignal) =>
    (await link.ask("POST", controlPaths.invoke(channel, id, method), args, signal)) as Result;

  return {
    id,
    status: () => invoke<ServerStatus[]>("status"),
    snapshot: () => invoke<Snapshot>("snapshot"),
    start: () => invoke<StartReport>("start"),
    release: () => invoke<void>("release"),
    servers: {
      connect: (server, { signal } = {}) => invoke<ServerStatus>("servers.connect", [server], signal),
      disconnect: (server) => invoke<void>("servers.disconnect", [server]),
    },
    tools: {
      list: () => invoke<OfferedTool[]>("tools.list"),
      call: (ref, args, options = {}) => call(link, controlPaths.invoke(channel, id, "tools.call"), ref, args, options),
    },
    inbox: {
      list: () => invoke<Question[]>("inbox.list"),
      answer: (question, answer) => invoke<void>("inbox.answer", [question, answer]),
      dismiss: (question) => invoke<void>("inbox.dismiss", [question]),
    },
    config: { problems: () => invoke<ConfigProblem[]>("config.problems") },
  };
}

/** A call is a stream of progress that ends in its result. Closing it gives the call up. */
async function call(
  link: Link,
  path: string,
  ref: ToolRef,
  args: JsonObject,
  { signal, onProgress }: CallOptions,
): Promise<ToolResult> {
  for await (const event of link.stream("POST", path, [ref, args], signal)) {
    const told = event as CallEvent;
    if ("progress" in told) onProgress?.(told.progress);
    else if ("error" in told) throw reviveError(told.error);
    else return told.result;
  }
  if (signal?.aborted) throw new HostError("CANCELLED", { reason: "the caller gave up" });
  throw new HostError("HOST_UNREACHABLE", { reason: "the call's stream ended without a result" });
}
