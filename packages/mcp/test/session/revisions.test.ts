import { LEGACY_NAMES, MODERN_NAMES, NEWEST_REVISION, REVISIONS } from "#session/revisions.js";
import { describe, expect, it } from "vitest";
import { serveFront } from "../helpers/served-front.ts";

const HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" };

describe("the table of revisions", () => {
  it("lists each revision once, the newest first", () => {
    const names = REVISIONS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].toSorted().toReversed());
    expect(NEWEST_REVISION).toBe(REVISIONS[0]);
    expect([...MODERN_NAMES, ...LEGACY_NAMES]).toEqual(names);
  });

  it.each(LEGACY_NAMES)("lets a client of %s open a session in its revision", async (name) => {
    const front = await serveFront();
    const params = { protocolVersion: name, capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const response = await fetch(front.url, { method: "POST", headers: HEADERS, body });
    expect(await response.text()).toContain(`"protocolVersion":"${name}"`);
  });
});
