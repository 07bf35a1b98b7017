/** Tests which variables of the host and of a chat's client are used together. */
import { mergeModelVariables } from "@plugboard/agent/chat";
import { describe, expect, it } from "vitest";

const own = { PLUGBOARD_MODEL: "compatible/host", PLUGBOARD_MODEL_URL: "http://host/v1", PLUGBOARD_MODEL_KEY: "host" };
const anthropic = { ANTHROPIC_API_KEY: "host", ANTHROPIC_BASE_URL: "http://host" };
const host = { HOME: "/home/host", ...own, ...anthropic };

describe("mergeModelVariables", () => {
  it("sends no key of the host to a URL of the client", () => {
    const url = { PLUGBOARD_MODEL_URL: "http://client/v1" };
    expect(mergeModelVariables(host, url)).toEqual({ HOME: "/home/host", ...url });
    const baseUrl = { ANTHROPIC_BASE_URL: "http://client" };
    expect(mergeModelVariables(host, baseUrl)).toEqual({ HOME: "/home/host", ...own, ...baseUrl });
  });

  it("sends no key of the client to a URL of the host", () => {
    const key = { ANTHROPIC_API_KEY: "client" };
    expect(mergeModelVariables(host, key)).toEqual({ HOME: "/home/host", ...own, ...key });
  });

  it("uses no URL and no key of the host with a model of the client", () => {
    const model = { PLUGBOARD_MODEL: "compatible/client" };
    expect(mergeModelVariables(host, model)).toEqual({ HOME: "/home/host", ...anthropic, ...model });
    const key = { PLUGBOARD_MODEL_KEY: "client" };
    expect(mergeModelVariables(host, key)).toEqual({ HOME: "/home/host", ...anthropic, ...key });
  });

  it("keeps the variables of the host if the client sets none for a model", () => {
    expect(mergeModelVariables(host, { PATH: "/bin" })).toMatchObject({
      ...own,
      ...anthropic,
      PATH: "/bin",
    });
  });
});
