/** The choices of a permission question and the keys that select one. Pure. */
import { NATIVE_SERVER_ID, offeredAnswers, PERMISSION_ANSWERS } from "@plugboard/contracts";
import type { AnswerName, PermissionAnswer, PermissionQuestion } from "@plugboard/contracts";
import { shortName, requesterName } from "../../render/quote-untrusted.ts";
import { EMPTY_EDITOR, editText } from "../input/editor.ts";
import type { Editor } from "../input/editor.ts";
import type { Key } from "../input/key-parser.ts";
import { suggestRule } from "./suggest-rule.ts";

type ChoiceName = AnswerName | "pattern" | "reason" | "view";

interface MenuChoice {
  readonly name: ChoiceName;
  /** The letter that selects it. */
  readonly letter: string;
  readonly label: string;
}

export interface PermissionMenu {
  readonly question: PermissionQuestion;
  readonly choices: readonly MenuChoice[];
  readonly selected: number;
  /** The text that the user edits: the rule to allow, or the reason of a denial. */
  readonly input?: { readonly for: "pattern" | "reason"; readonly editor: Editor };
}

export type MenuResult =
  | { readonly type: "answer"; readonly answer: PermissionAnswer }
  /** The user allows this call, and all that match the rule. */
  | { readonly type: "rule"; readonly rule: string }
  /** The user wants to see everything before the answer. */
  | { readonly type: "view" };

/** `isCut`: parts of the question were not shown. */
export function openMenu(question: PermissionQuestion, { isCut = false } = {}): PermissionMenu {
  const name = requesterName(question);
  const covered = describeScope(question);
  const rule = suggestRule(question);
  const answers = offeredAnswers(question).map(([answer, { letter, menu }]): MenuChoice => {
    const texts: { readonly [place: string]: string } = {
      "{tool}": name + covered,
      "{server}": shortName(question.server),
    };
    return { name: answer, letter, label: menu.replace(/\{(?:tool|server)\}/, (place) => texts[place]!) };
  });
  const choices: MenuChoice[] = [
    ...answers.slice(0, -1),
    ...(rule === undefined
      ? []
      : ([
          { name: "pattern", letter: "p", label: `Yes, always for arguments like these: ${shortRule(rule)}` },
        ] as const)),
    // The last answer is no.
    ...answers.slice(-1),
    { name: "reason", letter: "r", label: "No, and tell the model why" },
    ...(isCut ? ([{ name: "view", letter: "v", label: "Show everything first" }] as const) : []),
  ];
  return { question, choices, selected: 0 };
}

/** Returns the next menu, or the result if the key has chosen. */
export function pressKey(menu: PermissionMenu, key: Key): PermissionMenu | MenuResult {
  if (menu.input) return editInput(menu, menu.input, key);
  const { choices, selected } = menu;
  if (key.type === "text") {
    // Several characters at once were typed fast and meant for something else, so they match no choice.
    const letter = key.text.toLowerCase();
    const index = choices.findIndex((choice, place) => choice.letter === letter || String(place + 1) === letter);
    return index === -1 ? menu : choose({ ...menu, selected: index });
  }
  if (key.type === "paste") return menu;
  switch (key.name) {
    case "up":
    case "shift-tab":
      return { ...menu, selected: (selected + choices.length - 1) % choices.length };
    case "down":
    case "tab":
      return { ...menu, selected: (selected + 1) % choices.length };
    case "enter":
      return choose(menu);
    case "escape":
    case "interrupt":
      return DENIED;
    default:
      return menu;
  }
}

export const DENIED: MenuResult = { type: "answer", answer: { type: "permission", decision: "no" } };

function choose(menu: PermissionMenu): PermissionMenu | MenuResult {
  const choice = menu.choices[menu.selected]!;
  switch (choice.name) {
    case "pattern": {
      const text = suggestRule(menu.question) ?? "";
      return { ...menu, input: { for: "pattern", editor: { ...EMPTY_EDITOR, text, cursor: text.length } } };
    }
    case "view":
      return { type: "view" };
    case "reason":
      return { ...menu, input: { for: "reason", editor: EMPTY_EDITOR } };
    default:
      return { type: "answer", answer: PERMISSION_ANSWERS[choice.name].answer };
  }
}

function editInput(
  menu: PermissionMenu,
  input: NonNullable<PermissionMenu["input"]>,
  key: Key,
): PermissionMenu | MenuResult {
  if (key.type === "key" && key.name === "interrupt") return DENIED;
  if (key.type === "key" && key.name === "escape") {
    const { input: _, ...closed } = menu;
    return closed;
  }
  if (key.type !== "key" || key.name !== "enter") {
    return { ...menu, input: { ...input, editor: editText(input.editor, key) } };
  }
  const text = input.editor.text.trim();
  if (input.for === "pattern") return text === "" ? menu : { type: "rule", rule: text };
  const reason = text === "" ? {} : { reason: text };
  return { type: "answer", answer: { type: "permission", decision: "no", ...reason } };
}

/**
 * Says which further calls a decision allows. Decisions about native tools apply only in the folder of the chat. If a
 * native tool sends requests to a server, they apply only to that server.
 */
function describeScope({ server, tool, arguments: args }: PermissionQuestion): string {
  if (server !== NATIVE_SERVER_ID) return "";
  const [requested, target] = [REQUESTED.get(tool), args["server"]];
  if (requested !== undefined && typeof target === "string") return ` (every ${requested} of ${shortName(target)})`;
  return tool === "terminal" ? " (every command, in this folder)" : " (every call, in this folder)";
}

const REQUESTED: ReadonlyMap<string, string> = new Map([
  ["mcp_resource_read", "resource"],
  ["mcp_prompt_get", "prompt"],
]);

/** Shortens the rule for the menu. The whole rule is shown when it is edited. */
function shortRule(rule: string): string {
  return shortName(rule).replace(/^"|"$/g, "").replaceAll('\\"', '"');
}
