/** Tests that the page does for an App exactly what the user has agreed to. */
import { carryOutRequest } from "#apps/carry-out-request.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

let done: unknown[][];
beforeEach(() => {
  done = [];
  vi.stubGlobal("window", { open: (...args: unknown[]) => done.push(["open", ...args]) });
  vi.stubGlobal("document", {
    createElement: () => {
      const link = { download: "", click: () => done.push(["save", link.download]) };
      return link;
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

const carryOut = (request: Parameters<typeof carryOutRequest>[0]) =>
  carryOutRequest(request, async (text) => done.push(["send", text]));

describe("carryOutRequest", () => {
  it("opens a link in a new tab that knows nothing of the page", async () => {
    await carryOut({ type: "link", url: "https://a.example/" });
    expect(done).toEqual([["open", "https://a.example/", "_blank", "noopener,noreferrer"]]);
  });

  it("saves each file", async () => {
    const blob = new Blob(["a"]);
    await carryOut({
      type: "download",
      files: [
        { name: "a.txt", blob },
        { name: "b.txt", blob },
      ],
    });
    expect(done).toEqual([
      ["save", "a.txt"],
      ["save", "b.txt"],
    ]);
  });

  it("sends a message, and fails if it can't be sent", async () => {
    await carryOut({ type: "message", text: "Say more" });
    expect(done).toEqual([["send", "Say more"]]);
    const failed = carryOutRequest({ type: "message", text: "a" }, () =>
      Promise.reject(new Error("The chat has ended")),
    );
    await expect(failed).rejects.toThrow("The chat has ended");
  });
});
