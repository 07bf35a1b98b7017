import { describe, expect, it, vi } from "vitest";
import { ctx, ErrorReply, openScriptedSession } from "../../helpers/scripted-session.ts";
import type { Methods } from "../../helpers/scripted-session.ts";

const CALL = { method: "tools/call", params: { name: "it", arguments: {} } } as const;
/** The two messages of the official server package if a server asks in a way that the modern era does not have. */
const REJECTIONS = {
  "not supported by the era":
    "Method 'sampling/createMessage' is not supported by the negotiated protocol version (wire era 2026-07-28)",
  "not available on the revision":
    "Server-to-client requests are not available on protocol revision 2026-07-28: 'elicitation/create' cannot be sent while serving a request on that revision. Return inputRequired({ ... }) from the handler instead — the client fulfils the embedded requests and retries the original request (multi round-trip requests).",
};

describe.each(Object.entries(REJECTIONS))("a server's message that asking is %s", (_, message) => {
  it("changes the era if it is the whole text of a result or of an error", async () => {
    const result = await answerWith(text(message));
    expect(result.onCannotAsk).toHaveBeenCalledOnce();
    expect(JSON.stringify(result.outcome)).toContain("Call the tool again");
    const error = await answerWith(new ErrorReply({ code: -32603, message }));
    expect(error.onCannotAsk).toHaveBeenCalledOnce();
  });

  it.each([
    ["after other words", `The log says: ${message}`],
    ["before other words", `${message} See the log.`],
    ["on a line of its own", `12:00 started\n${message}\n12:01 stopped`],
    ["on the first line", `${message}\n12:01 stopped`],
  ])("does not change the era if a result or an error quotes it %s", async (_, quoting) => {
    for (const answer of [text(quoting), new ErrorReply({ code: -32603, message: quoting })]) {
      const { onCannotAsk, outcome } = await answerWith(answer);
      expect(onCannotAsk).not.toHaveBeenCalled();
      expect(JSON.stringify(outcome)).not.toContain("Call the tool again");
    }
  });
});

function text(value: string) {
  return { resultType: "complete", content: [{ type: "text", text: value }] };
}

async function answerWith(answer: Awaited<ReturnType<Methods[string]>>) {
  const onCannotAsk = vi.fn<() => boolean>(() => true);
  const { session } = await openScriptedSession("modern", { "tools/call": () => answer }, { ports: { onCannotAsk } });
  return { onCannotAsk, outcome: await session.request(CALL, ctx) };
}
