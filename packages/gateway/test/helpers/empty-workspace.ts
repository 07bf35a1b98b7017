/** A workspace without servers, of which a test can say when its servers have started. */
import type { OpenWorkspace } from "@plugboard/host/internal";

export function emptyWorkspace(started: Promise<void> = Promise.resolve()): OpenWorkspace {
  return {
    whenToolsKnown: () => started,
    tools: { view: () => ({ list: () => [], find: () => undefined }), refresh: () => {} },
    forwarding: { servers: () => [] },
    policyWith: () => ({ rules: [] }),
    onConfigRead: () => () => {},
    reachableHostIds: () => [],
  } as unknown as OpenWorkspace;
}

const unused = () => Promise.reject(new Error("nothing is stored"));
export const noOutputs = { save: unused, read: unused };
