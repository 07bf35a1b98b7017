import { shownState } from "@plugboard/contracts";
import type { ErrorDetails, ServerStatus } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const ready: ServerStatus = {
  id: "files",
  transport: "stdio",
  source: "user",
  target: "files",
  enabled: true,
  state: "ready",
  tools: 1,
};

function failed(code: keyof ErrorDetails, more: Partial<ServerStatus> = {}): ServerStatus {
  return { ...ready, state: "error", lastError: { code, message: "", details: {} }, ...more };
}

describe("shownState", () => {
  it.each<[string, ServerStatus, ReturnType<typeof shownState>]>([
    ["a server that is ready", ready, "ready"],
    ["a server that waits for its next attempt", { ...ready, state: "connecting", retryAt: 1 }, "retrying"],
    ["a disabled server", { ...ready, state: "idle", enabled: false }, "disabled"],
    ["an entry that can't be read", failed("SERVER_INVALID", { enabled: false }), "invalid"],
    ["a server whose variable is not set", failed("SERVER_INVALID"), "error"],
    ["a server that is not approved", failed("SERVER_UNTRUSTED", { enabled: false }), "untrusted"],
  ])("tells the state of %s", (_, server, state) => {
    expect(shownState(server)).toBe(state);
  });
});
