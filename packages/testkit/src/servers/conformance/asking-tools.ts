/** Tools of the conformance fixture that ask the client: forms, texts from its model, and its roots. */
import type { InputRequest } from "@modelcontextprotocol/server";
import { conformanceTool, textReply } from "./conformance-tool.ts";
import type { ConformanceTool } from "./conformance-tool.ts";
import { answerText, confirmation, elicitation, rootsRequest, samplingRequest, textQuestion } from "./questions.ts";

const DEFAULTS = elicitation("A form with defaults", {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
});

const OPTIONS = ["option1", "option2", "option3"];
const TITLED = OPTIONS.map((option) => ({ const: option, title: `The ${option}` }));

const ENUMS = elicitation("A form with choices", {
  untitledSingle: { type: "string", enum: OPTIONS },
  titledSingle: { type: "string", oneOf: TITLED },
  legacyEnum: { type: "string", enum: OPTIONS, enumNames: TITLED.map(({ title }) => title) },
  untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
  titledMulti: { type: "array", items: { anyOf: TITLED } },
});

const PROMPT = { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] } as const;
const MESSAGE = { type: "object", properties: { message: { type: "string" } }, required: ["message"] } as const;

export const askingTools = {
  test_sampling: conformanceTool(
    "Asks the client's model",
    ({ args, answers }) => askOnce(answers, { sample: samplingRequest(String(args["prompt"])) }),
    PROMPT,
  ),
  test_elicitation: conformanceTool(
    "Asks for a text",
    ({ args, answers }) => askOnce(answers, { response: textQuestion(String(args["message"]), "response") }),
    MESSAGE,
  ),
  // Both packages reject a question that the client has not declared support for.
  test_missing_capability: asking("Needs a client that supports sampling", { sample: samplingRequest("Hello") }),
  test_elicitation_sep1034_defaults: asking("Shows a form with defaults", { form: DEFAULTS }),
  test_elicitation_sep1330_enums: asking("Shows a form with choices", { form: ENUMS }),
  test_streaming_elicitation: conformanceTool("Reports its progress, then asks", async ({ answers, progress }) => {
    await progress(50, 100);
    return askOnce(answers, { confirm: confirmation() });
  }),
  test_input_required_result_elicitation: asking("Asks for a name", {
    user_name: textQuestion("What is your name?", "name"),
  }),
  test_input_required_result_sampling: asking("Asks the client's model", {
    capital_question: samplingRequest("What is the capital of France?"),
  }),
  test_input_required_result_list_roots: asking("Asks for the roots", { client_roots: rootsRequest() }),
  test_input_required_result_request_state: asking("Keeps a state", { confirm: confirmation() }, "state-ok"),
  test_input_required_result_tampered_state: asking("Signs its state", { confirm: confirmation() }, "signed"),
  test_input_required_result_multiple_inputs: asking(
    "Asks three questions at once",
    {
      user_name: textQuestion("What is your name?", "name"),
      greeting: samplingRequest("Generate a greeting"),
      client_roots: rootsRequest(),
    },
    "several",
  ),
  test_input_required_result_multi_round: conformanceTool("Asks in two rounds", ({ answers, state }) => {
    const questions = { step1: textQuestion("What is your name?", "name") };
    const name = answerText(answers, "step1");
    if (name !== undefined)
      return { questions: { step2: textQuestion("What is your favourite colour?", "color") }, state: { name } };
    const colour = answerText(answers, "step2");
    return colour !== undefined && state !== undefined
      ? textReply(`${JSON.stringify(state)} and ${colour}`)
      : { questions, state: {} };
  }),
  test_input_required_result_capabilities: conformanceTool("Asks what the client supports", (call) => {
    const { capabilities, answers } = call;
    const questions: { [key: string]: InputRequest } = {};
    if (capabilities["elicitation"] !== undefined) questions["elicited"] = textQuestion("A value?", "value");
    if (capabilities["sampling"] !== undefined) questions["sampled"] = samplingRequest("A value?");
    return askOnce(answers, questions);
  }),
};

function asking(
  description: string,
  questions: { readonly [key: string]: InputRequest },
  state?: string,
): ConformanceTool {
  return conformanceTool(description, (call) => askOnce(call.answers, questions, state));
}

/** Returns the questions. When all of them have an answer, returns the answers as text. */
function askOnce(
  answers: { readonly [key: string]: unknown },
  questions: { readonly [key: string]: InputRequest },
  state?: string,
) {
  const texts = Object.keys(questions).map((key) => answerText(answers, key));
  if (texts.every((text) => text !== undefined))
    return textReply([...texts, state ?? ""].join(" ").trim() || "nothing");
  return { questions, ...(state !== undefined && { state }) };
}
