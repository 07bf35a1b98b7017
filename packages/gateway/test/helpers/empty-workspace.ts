/** A workspace without servers, of which a test can say when its servers have started. */
import type { OpenWorkspace } from "@plugboard/host/workspace";

/** `parts` overrides some of its members. */
export function emptyWorkspace(started: Promise<void> = Promise.resolve(), parts: object = {}): OpenWorkspace {
  return {
    whenToolsKnown: () => started,
    tools: { view: () => ({ list: () => [], find: () => undefined }), refresh: () => {} },
    forwarding: { servers: () => [] },
    policyWith: () => ({ rules: [] }),
    onConfigRead: () => () => {},
    reachableHostIds: () => [],
    ...parts,
  } as unknown as OpenWorkspace;
}

const unused = () => Promise.reject(new Error("nothing is stored"));
export const noOutputs = { save: unused, read: unused };
