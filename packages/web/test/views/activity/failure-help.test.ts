import { failureHelp } from "#views/activity/failure-help.js";
import { describe, expect, it } from "vitest";

describe("failureHelp", () => {
  it.each([
    [undefined, "tool"],
    ["INVALID_ARGUMENTS", "tool"],
    ["REQUEST_TIMEOUT", "log"],
    ["AUTH_REQUIRED", "server"],
    ["A_CODE_OF_A_LATER_VERSION", "server"],
  ])("leads from the error code %s to the place where the user can act: %s", (code, place) => {
    expect(failureHelp(code).place).toBe(place);
  });

  it("warns that a call may have taken effect, unless it was not sent", () => {
    const warning = "may have taken effect";
    expect(failureHelp("SERVER_CRASHED").text).toContain(warning);
    expect(failureHelp("SERVER_NOT_READING").text).not.toContain(warning);
  });
});
