import { HostError } from "@plugboard/contracts";
import { renderError } from "#render/render-error.js";
import { expect, it } from "vitest";

it("renderError indents further lines of a server's text", () => {
  const error = new HostError("UNEXPECTED_RESPONSE", { server: "s", reason: "x\nUSAGE: run this" });
  expect(renderError(error)).toMatch(/^UNEXPECTED_RESPONSE: [^\n]*x\n {4}USAGE: run this[^\n]*\n$/);
});
