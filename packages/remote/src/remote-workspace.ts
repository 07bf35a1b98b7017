/** A workspace of a host in another process. Each method is one request. */
import {
  buildApi,
  cancelled,
  controlPaths,
  deserializeError,
  HostError,
  packArguments,
  WORKSPACE_METHODS,
} from "@plugboard/contracts";
import type { CallEvent, LocalOptions, Workspace } from "@plugboard/contracts";
import type { ControlClient } from "./control-client.ts";

export interface RemoteWorkspace extends Workspace {
  readonly id: string;
}

/** `onSent` gets the sequence number up to which the host had sent its events before a result. */
export function remoteWorkspace(
  client: ControlClient,
  channel: string,
  id: string,
  onSent: (seq: number) => void,
): RemoteWorkspace {
  const methods = buildApi(WORKSPACE_METHODS, (path) => {
    const url = controlPaths.invoke(channel, id, path);
    return async (...args) => {
      const { sent, local } = packArguments(path, args);
      if (WORKSPACE_METHODS[path].progress) {
        return readResult(client.requestEvents("POST", url, sent, local.signal), local, onSent);
      }
      return client.requestJson("POST", url, sent, local.signal);
    };
  });
  return { ...methods, id };
}

/** Reads a stream of progress events up to the result. */
async function readResult(
  stream: AsyncIterable<unknown>,
  { signal, onProgress }: LocalOptions,
  onSent: (seq: number) => void,
): Promise<unknown> {
  for await (const event of stream) {
    const callEvent = event as CallEvent;
    if ("progress" in callEvent) {
      onProgress?.(callEvent.progress);
      continue;
    }
    if (callEvent.seq !== undefined) onSent(callEvent.seq);
    if ("error" in callEvent) throw deserializeError(callEvent.error);
    return callEvent.result;
  }
  if (signal?.aborted) throw cancelled();
  throw new HostError("HOST_UNREACHABLE", { reason: "the stream ended without a result" });
}
