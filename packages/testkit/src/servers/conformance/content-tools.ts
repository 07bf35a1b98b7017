/** Tools of the conformance fixture that ask nothing: every kind of content, logs, progress, errors and changes. */
import { setTimeout as delay } from "node:timers/promises";
import { PIXEL } from "../modern/pixel.ts";
import { changes } from "./changes.ts";
import { conformanceTool, textReply } from "./conformance-tool.ts";

const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const image = { type: "image", data: PIXEL, mimeType: "image/png" } as const;
const embedded = (uri: string) =>
  ({ type: "resource", resource: { uri, mimeType: "text/plain", text: "An embedded resource" } }) as const;

/** How long `test_reconnection` works after it has closed its stream. A gateway starts its own stream earlier. */
const RECONNECTION_MS = 250;

export const contentTools = {
  test_simple_text: conformanceTool("Answers with text", () => textReply("A simple text")),
  test_image_content: conformanceTool("Answers with an image", () => ({ content: [image] })),
  test_audio_content: conformanceTool("Answers with audio", () => ({
    content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }],
  })),
  test_embedded_resource: conformanceTool("Answers with an embedded resource", () => ({
    content: [embedded("test://embedded-resource")],
  })),
  test_multiple_content_types: conformanceTool("Answers with text, an image and a resource", () => ({
    content: [{ type: "text", text: "Several kinds of content" }, image, embedded("test://mixed-content-resource")],
  })),
  test_tool_with_logging: conformanceTool("Logs three times", async ({ log }) => {
    for (const entry of ["started", "working", "finished"]) await log("info", entry);
    return textReply("logged");
  }),
  test_logging_tool: conformanceTool("Logs once", async ({ log }) => {
    await log("info", "a log entry");
    return textReply("logged");
  }),
  test_tool_with_progress: conformanceTool("Reports its progress three times", async ({ progress }) => {
    for (const done of [0, 50, 100]) await progress(done, 100);
    return textReply("done");
  }),
  test_error_handling: conformanceTool("Answers with an error", () => ({
    ...textReply("This tool always fails"),
    isError: true,
  })),
  test_reconnection: conformanceTool("Closes its response stream, then answers", async ({ closeStream }) => {
    closeStream();
    await delay(RECONNECTION_MS);
    return textReply("answered on another stream");
  }),
  test_trigger_tool_change: conformanceTool("Adds or removes a tool", ({ listChanged }) => {
    changes.tool = !changes.tool;
    listChanged("tools");
    return textReply("the list of tools has changed");
  }),
  test_trigger_prompt_change: conformanceTool("Adds or removes a prompt", ({ listChanged }) => {
    changes.prompt = !changes.prompt;
    listChanged("prompts");
    return textReply("the list of prompts has changed");
  }),
  test_header_parameter: conformanceTool(
    "Has an argument that is also sent as a header",
    ({ args }) => textReply(String(args["region"])),
    { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
  ),
  json_schema_2020_12_tool: conformanceTool("Has a schema with many keywords", () => textReply("valid"), {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: { $anchor: "address", type: "object", properties: { street: { type: "string" } } },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contact: { enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contact: { const: "phone" } }, required: ["contact"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  }),
};
