/** Tests how the requests that clients wait for end when the host stops. */
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { PendingRequests } from "#control/pending-requests.js";

describe("PendingRequests", () => {
  it("settles each request like its work, and counts it until then", async () => {
    const pending = new PendingRequests();
    const done = pending.track(Promise.resolve(5));
    const failed = pending.track(Promise.reject(new Error("no")));
    expect(pending.size).toBe(2);
    expect(await done).toBe(5);
    await expect(failed).rejects.toThrow("no");
    await Promise.resolve();
    expect(pending.size).toBe(0);
  });

  it("rejects all pending requests with the given error", async () => {
    const pending = new PendingRequests();
    const requests = [1, 2].map(() => pending.track(new Promise(() => {})));
    const error = new HostError("UNAUTHORIZED", {});
    pending.rejectAll(error);
    for (const request of requests) await expect(request).rejects.toBe(error);
  });
});
