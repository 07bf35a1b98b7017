/**
 * Asks a principal of the gateway to log in, in its own client, if its request needs a login. The client opens the page
 * of the login. With a device code, the user enters the code there. Otherwise the user pastes the URL at which the
 * browser ends into a form. All texts are Plugboard's own, none is from the server.
 */
import { abortable, cancelled, HostError, sanitizeLine, toAbortSignal } from "@plugboard/contracts";
import type { Ask, AskAnswer, Outcome, ResumeContext, Suspended } from "@plugboard/mcp";
import { clientLoginIn, ownLoginError } from "../auth/oauth/client-login.ts";
import type { ClientLogin } from "../auth/oauth/client-login.ts";
import { REDIRECT_URL } from "../tools/login-tool.ts";
import type { RequestContext } from "./ask-user.ts";

/** Sends the request again, after the login. */
type Repeat = (ctx: ResumeContext) => Promise<Outcome>;

/** Suspends the failed request. Returns undefined if it failed for another reason, or if the client can't be asked. */
export function askClientToLogIn(
  error: HostError,
  elicitation: RequestContext["elicitation"],
  repeat: Repeat,
): Suspended | undefined {
  const login = clientLoginIn(error);
  if (!login || typeof elicitation !== "object") return undefined;
  const { form, url } = elicitation;
  const wait = (ctx: ResumeContext) => complete(login, login.done, repeat, ctx);
  if (login.step.type === "device") return url ? ask(login, visit(login), wait, repeat) : undefined;
  if (!form) return undefined;
  const paste = ask(login, redirectForm(login, url), pasteAnswer(login, repeat), repeat);
  return url ? ask(login, visit(login), async () => paste, repeat) : paste;
}

/**
 * Returns instructions for a client that can't be asked. Returns undefined if the request failed for another reason.
 */
export function loginInstructions(error: HostError): string | undefined {
  const login = clientLoginIn(error);
  if (!login) return undefined;
  const { step } = login;
  const server = quote(login.server);
  const open = `You are not logged in at ${server}. Ask the user to open this page and log in there: ${pageOf(login)}`;
  if (step.type === "device") {
    return `${open}\nThe page asks for the code ${step.code}. Then make the request again.`;
  }
  return [
    open,
    `After the login, the browser ends at a page that it can't load. Ask the user for the URL of that page, and call the tool \`log_in\` of ${server} with it as \`${REDIRECT_URL}\`.`,
  ].join("\n");
}

type OnAccepted = (ctx: ResumeContext, answer: AskAnswer) => Promise<Outcome>;

/** Suspends the request until the client has answered, or until the login has ended without an answer. */
function ask(login: ClientLogin, question: Ask, onAccepted: OnAccepted, repeat: Repeat): Suspended {
  return {
    type: "asks",
    asks: { login: question },
    obsolete: login.ended,
    resume: async ({ login: answer }, ctx) => {
      if (login.ended.aborted) return complete(login, login.done, repeat, ctx);
      if (answer?.action === "accept") return onAccepted(ctx, answer);
      if (answer?.action === "decline") login.cancel();
      const reason = answer?.action === "decline" ? "you declined it" : "the client gave no answer";
      return { type: "failed", error: new HostError("LOGIN_FAILED", { server: login.server, reason, own: true }) };
    },
    // The login goes on, because the user may finish it for a later request.
    abandon: () => {},
  };
}

async function complete(
  { server }: ClientLogin,
  done: Promise<void>,
  repeat: Repeat,
  ctx: ResumeContext,
): Promise<Outcome> {
  try {
    // If the client cancels this request, the login goes on.
    await abortable(done, toAbortSignal(ctx.signal));
  } catch (thrown) {
    return { type: "failed", error: ctx.signal?.aborted ? cancelled() : ownLoginError(server, thrown) };
  }
  return repeat(ctx);
}

function pasteAnswer(login: ClientLogin, repeat: Repeat): OnAccepted {
  return (ctx, answer) => {
    const url = "content" in answer ? answer.content?.[REDIRECT_URL] : undefined;
    return complete(login, login.paste(typeof url === "string" ? url : ""), repeat, ctx);
  };
}

function visit(login: ClientLogin): Ask {
  const { server, step, ended } = login;
  const url = pageOf(login);
  const message = `Log in at ${quote(server)}.${step.type === "device" ? ` The page asks for the code ${step.code}.` : ""}`;
  return {
    type: "elicitation",
    elicitation: { mode: "url", message, url },
    rawParams: { mode: "url", message, url },
    visited: ended,
  };
}

function redirectForm(login: ClientLogin, isOpen: boolean): Ask {
  const first = isOpen ? "" : `Open this page and log in there: ${pageOf(login)}\n`;
  const message = `Log in at ${quote(login.server)}.\n${first}After the login, the browser ends at a page that it can't load. Paste the URL of that page here.`;
  const field = { type: "string", title: "The URL at which the browser ends" } as const;
  const requestedSchema = { type: "object", properties: { [REDIRECT_URL]: field }, required: [REDIRECT_URL] };
  return {
    type: "elicitation",
    elicitation: { mode: "form", message, fields: [{ ...field, name: REDIRECT_URL, required: true }] },
    rawParams: { message, requestedSchema },
  };
}

function pageOf({ step }: ClientLogin): string {
  return (step.type === "device" ? step.completeUrl : undefined) ?? step.url;
}

function quote(server: string): string {
  return `"${sanitizeLine(server)}"`;
}
