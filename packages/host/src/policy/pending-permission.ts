/**
 * A permission that the caller of a tool gives itself: its client is asked with a form, as part of the call. The text
 * of the form is Plugboard's own. Names and arguments are quoted on single lines, so that they can't imitate that text.
 */
import { offeredAnswers, OWNER, PERMISSION_ANSWERS, principalIdOf, sanitizeLine } from "@plugboard/contracts";
import type { JsonObject, PermissionAnswer } from "@plugboard/contracts";
import type { Ask, AskAnswer } from "@plugboard/mcp";
import { canonicalDigest } from "@plugboard/store";
import { applyAnswer, dismissedPermission, emitDecision, unapprovedPermission } from "./ask-permission.ts";
import type { AskPermissionPorts, PermissionRequest } from "./ask-permission.ts";
import type { DecisionKey } from "./decision-store.ts";

export interface PendingPermissionOptions {
  readonly request: PermissionRequest;
  readonly ports: AskPermissionPorts;
  /** Throws if a rule denies the call by now. */
  readonly recheck: () => void;
}

const MAX_NAME = 100;
const MAX_ARGUMENTS = 2000;

export class PendingPermission {
  /** Aborts when the answer to another question has allowed the call. */
  readonly obsolete: AbortSignal;

  readonly #options: PendingPermissionOptions;
  readonly #stopListening: () => void;

  constructor(options: PendingPermissionOptions) {
    const { request, ports } = options;
    const obsolete = new AbortController();
    this.#options = options;
    this.obsolete = obsolete.signal;
    const abortIfAllowed = () => {
      if (ports.decisions.find(request.key) === "allow") obsolete.abort();
    };
    abortIfAllowed();
    this.#stopListening = ports.decisions.onRemembered(abortIfAllowed);
  }

  /** The definition of the tool that the permission is for. */
  get definition() {
    return this.#options.request.definition;
  }

  /** Identifies the tool that is permitted and the rule that asked. Equal in all processes. */
  get subject(): string {
    return permissionSubject(this.#options.request.key);
  }

  /** Returns the question as a form for the caller's client. */
  ask(): Ask {
    return toAsk(this.#options.request);
  }

  /**
   * Resolves if the call is allowed. Rejects if the answer denies the call or dismisses the form, even if another answer
   * has allowed it meanwhile. A withdrawn form has no answer: without one, and with an invalid one, the call needs another
   * answer that has allowed it. Anybody may deny the call. `mayApprove` says whether the request that brought the answer
   * may also allow it.
   */
  async answer(answer: AskAnswer | undefined, mayApprove: boolean): Promise<void> {
    const { request, ports, recheck } = this.#options;
    this.#stopListening();
    const given = parseAnswer(answer, request);
    if (given?.decision === "no") await applyAnswer(given, request, ports);
    else if (isRefusal(answer)) throw dismissedPermission(request, ports);
    else if (this.obsolete.aborted) emitDecision(request, ports, "allow", "stored");
    else if (given && !mayApprove) throw unapprovedPermission(request, ports);
    else if (given) await applyAnswer(given, request, ports);
    else throw dismissedPermission(request, ports);
    recheck();
  }

  /** Called when the caller gives up the call. */
  abandon(): void {
    this.#stopListening();
  }
}

export function permissionSubject({ server, definition, tool, pin, rule }: DecisionKey): string {
  return canonicalDigest({ server, definition, tool, pin, rule });
}

function toAsk(request: PermissionRequest): Ask {
  const { server, tool, arguments: args, key, previouslyApproved } = request;
  const name = quoteName(`${server}:${tool}`);
  const lines = [
    `Allow the call of the tool ${name}?`,
    `Arguments: ${quoteArguments(args)}`,
    ...(key.rule === undefined ? [] : [`Your rule ${quoteName(key.rule)} asks before this call.`]),
    ...(previouslyApproved ? ["The server has changed the tool since you allowed it."] : []),
  ];
  const message = lines.join("\n");
  const choices = choicesOf(request).map(([value, { label: title }]) => ({ value, title }));
  // Clients show the title next to the choices, so it names the tool again.
  const field = {
    type: "string",
    title: `Allow ${name}?`,
    enum: choices.map(({ value }) => value),
    enumNames: choices.map(({ title }) => title),
  };
  const requestedSchema = { type: "object", properties: { decision: field }, required: ["decision"] };
  const fields = [{ type: "choice", name: "decision", title: field.title, required: true, choices }] as const;
  return {
    type: "elicitation",
    elicitation: { mode: "form", message, fields },
    rawParams: { message, requestedSchema },
  };
}

/**
 * Returns the answers that a client may give for itself. It can't allow a whole server. It can
 * answer "always" only if it has a token of its own. Without one, the answer would count for the
 * owner, and so for all other programs of the user.
 */
function choicesOf({ server, caller, key }: PermissionRequest) {
  const hasOwnToken = principalIdOf(caller) !== OWNER.id;
  return offeredAnswers({ server, pin: key.pin }).filter(
    ([, { grant }]) => grant?.lasts !== "always" || (hasOwnToken && grant.covers !== "server"),
  );
}

/** Returns whether the user has denied the call or dismissed the form. */
export function isRefusal(answer: AskAnswer | undefined): boolean {
  return isDenial(answer) || answer?.action === "cancel";
}

function isDenial(answer: AskAnswer | undefined): boolean {
  if (answer?.action === "accept") return answer.content?.["decision"] === PERMISSION_ANSWERS.no.answer.decision;
  return answer?.action === "decline";
}

function parseAnswer(answer: AskAnswer | undefined, request: PermissionRequest): PermissionAnswer | undefined {
  if (isDenial(answer)) return PERMISSION_ANSWERS.no.answer;
  if (answer?.action !== "accept") return undefined;
  const { content } = answer;
  const [, chosen] = choicesOf(request).find(([name]) => name === content?.["decision"]) ?? [];
  return chosen?.answer;
}

function quoteName(name: string): string {
  return `"${sanitizeLine(cut(name, MAX_NAME))}"`;
}

/** JSON has no line breaks, so the arguments stay on their line. */
function quoteArguments(args: JsonObject): string {
  return sanitizeLine(cut(JSON.stringify(args), MAX_ARGUMENTS));
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length - limit} characters more)`;
}
