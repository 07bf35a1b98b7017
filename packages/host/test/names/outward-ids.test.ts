/** Tests the task ids and cursors that clients of the gateway see. */
import { outwardCursor, parseOutwardCursor } from "#names/outward-cursor.js";
import { outwardTaskId, parseOutwardTaskId } from "#names/outward-task-id.js";
import { describe, expect, it } from "vitest";

describe("parseOutwardTaskId", () => {
  it.each(["1", "a/b", "", "%2F"])("returns the server and the task %j of an outward task id", (taskId) => {
    const outward = outwardTaskId({ server: "s", taskId });
    expect(parseOutwardTaskId(outward)).toEqual({ server: "s", taskId });
  });

  it.each(["", "s", "/1"])("returns undefined for %j", (outward) => {
    expect(parseOutwardTaskId(outward)).toBeUndefined();
  });
});

describe("parseOutwardCursor", () => {
  it("returns the position in the list of an outward cursor", () => {
    expect(parseOutwardCursor("tools", outwardCursor("tools", 5000))).toBe(5000);
  });

  it.each([
    "",
    "5000",
    "dG9vbHM6",
    outwardCursor("prompts", 5000),
    outwardCursor("tools", 0),
    outwardCursor("tools", -1),
  ])("rejects the cursor %j", (cursor) => {
    expect(parseOutwardCursor("tools", cursor)).toBeUndefined();
  });
});
